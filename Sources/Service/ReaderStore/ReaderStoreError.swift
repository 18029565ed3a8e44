package import MdocTrust

/// Why the store does not give what was asked of it. None of these ever stands for "nothing is trusted".
package enum ReaderStoreError: Error, Equatable, Sendable {
    /// No store has been set up in the folder.
    case absent
    /// The store was set up, and nothing was ever put into it.
    case empty
    /// Others than its owner may write to the folder or the file: what is in it may be theirs.
    case writableByOthers
    /// The folder or the file belongs to another user.
    case ownedByAnother
    /// The system refuses access, or the folder cannot be made.
    case notPermitted
    /// The file is none of this program.
    case notAStore
    /// A later version of this program wrote the file.
    case versionUnknown(Int)
    /// The file is cut off or its bytes were changed.
    case damaged
    /// The sources that are there do not make the snapshot of this id.
    case snapshotDamaged(TrustSnapshot.ID)
    /// Another process held the store for longer than `ReaderStore.longestWait`.
    case busy
    /// Another process put a snapshot in place since the current one was read.
    case changedMeanwhile
    /// No snapshot that is kept has this id.
    case snapshotUnknown
    /// Several snapshots that are kept have ids that begin so.
    case snapshotAmbiguous
    /// There is no earlier snapshot, or it is no longer kept.
    case noPredecessor
    case noSpace
    /// SQLite's extended result code for what is none of the above.
    case failed(code: Int32)
}
