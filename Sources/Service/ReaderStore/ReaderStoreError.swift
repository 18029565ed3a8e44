package import MdocTrust
package import ReaderIdentityStore

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

    // Receipts

    /// The bytes are no receipt or chain of receipts, or one of a later version.
    case receiptMisshapen
    /// The key is none that signs receipts: EC P-256.
    case receiptKeyUnusable
    /// The file of a key is not there, or not as it has to be.
    case keyFile(IdentityStoreError)

    // Retained data

    /// The keys would be where the sealed data is.
    case keysInsideStore
    /// A key that was there is not any more, or a field is not what was sealed: changed, or put in another's place.
    case sealBroken
    /// The request asked to retain something else than the profile has.
    case retentionDiffers
    /// A reference is empty or longer than `RetainedReference.maximumLength`, or a value than any that is kept.
    case tooLong
    /// The store has seen a later time than the deadline: a clock was set back.
    case deadlinePassed

    /// SQLite's extended result code for what is none of the above.
    case failed(code: Int32)
}
