package import MdocTrust
package import ReaderIdentityStore

/// The reason why an operation of the store failed. None of these errors ever means "nothing is trusted".
package enum ReaderStoreError: Error, Equatable, Sendable {
    /// The folder has no store.
    case absent
    /// The store exists, but no trust was ever imported.
    case empty
    /// Users other than the owner may write to the folder or the file, so another user may have changed its
    /// contents.
    case writableByOthers
    /// The folder or the file belongs to another user.
    case ownedByAnother
    /// The system refuses access, or the folder cannot be created.
    case notPermitted
    /// The file is no store of this program.
    case notAStore
    /// A later version of this program wrote the file.
    case versionUnknown(Int)
    /// The file is truncated, or its bytes were changed.
    case damaged
    /// The stored sources do not have the digest that is the id of this snapshot.
    case snapshotDamaged(TrustSnapshot.ID)
    /// Another process was writing for longer than `ReaderStore.longestWait`.
    case busy
    /// Another process changed the current snapshot, or imported a later bundle, after the caller read the
    /// store.
    case changedMeanwhile
    /// No kept snapshot has an id with this prefix.
    case snapshotUnknown
    /// Kept snapshots with different ids begin with this prefix.
    case snapshotAmbiguous
    /// The current snapshot has no predecessor, or the predecessor is no longer kept.
    case noPredecessor
    /// The disk is full.
    case noSpace

    // Receipts

    /// The bytes are not a receipt or chain of receipts, or are of a later version.
    case receiptMalformed
    /// The key cannot sign receipts: it must be EC P-256.
    case receiptKeyUnusable
    /// The file of a key is missing, or this program refuses to read or write it.
    case keyFile(IdentityStoreError)

    // Retained data

    /// The folder for the keys of retained data is inside the store's folder.
    case keysInsideStore
    /// Retained data cannot be opened or sealed: its key is missing, or a stored field was changed or moved
    /// to another record.
    case sealBroken
    /// The retention that the request announced to the holder is not the retention of the profile.
    case retentionDiffers
    /// A reference is empty or longer than `RetainedReference.maximumLength`, or a value is longer than 4096
    /// bytes.
    case tooLong
    /// The deadline is before a time that the store has recorded, so the clock was set back.
    case deadlinePassed

    /// Any other failure, with SQLite's extended result code.
    case failed(code: Int32)
}

extension ReaderStoreError {
    /// The stable id of the error, without its details.
    package var id: String {
        switch self {
        case .absent: "store.absent"
        case .empty: "store.empty"
        case .writableByOthers, .ownedByAnother: "store.exposed"
        case .notPermitted: "store.not_permitted"
        case .versionUnknown: "store.version_unknown"
        case .notAStore, .damaged, .snapshotDamaged: "store.damaged"
        case .busy, .changedMeanwhile: "store.busy"
        case .snapshotUnknown, .snapshotAmbiguous, .noPredecessor: "store.snapshot"
        case .noSpace: "store.no_space"
        case .receiptMalformed, .receiptKeyUnusable: "store.receipt"
        case .keyFile(let error): error.id
        case .keysInsideStore, .sealBroken, .retentionDiffers, .tooLong, .deadlinePassed: "store.retained"
        case .failed: "store.failed"
        }
    }

    /// A text that says what is wrong with the store, and what to do.
    package var explanation: String {
        switch self {
        case .absent: "the store does not exist yet: `countersign trust import` creates it"
        case .empty: "nothing is trusted yet: import roots and lists with `countersign trust import`"
        case .writableByOthers:
            "users other than its owner may write to the store: check what is in it, then run chmod go-w on it"
        case .ownedByAnother:
            "the store belongs to another user: run this command as that user, or name another store"
        case .notPermitted:
            "this user may not read or write the store: run this command as its owner, or name another store"
        case .notAStore: "countersign.sqlite is not a Countersign store, or is truncated: name another folder"
        case .versionUnknown(let version):
            "a later version of countersign wrote it (tables of version \(version)): update countersign"
        case .damaged:
            "the store is truncated or was changed by another program; nothing in it is trusted: move it away, then import roots and lists again"
        case .snapshotDamaged(let id):
            "the data of snapshot \(id.shortText) was changed; nothing in it is trusted:"
                + " `countersign trust rollback ID` returns to another snapshot"
        case .busy: "another process is changing the store: try again"
        case .changedMeanwhile:
            "another process changed the store meanwhile, so nothing was written: try again"
        case .snapshotUnknown:
            "the store has no snapshot with this id: `countersign trust list` shows its snapshots"
        case .snapshotAmbiguous: "several snapshots have ids that begin like this: give more digits of the id"
        case .noPredecessor: "there is no earlier snapshot to go back to"
        case .noSpace: "there is no space left on the store's disk: delete some files"
        case .receiptMalformed:
            "a receipt is malformed, or a later version of countersign wrote it: update countersign"
        case .receiptKeyUnusable: "the key that signs receipts is not an EC key on P-256, or cannot sign"
        case .keyFile(let error): error.explanation
        case .keysInsideStore:
            "the keys of retained data are inside the store: name a folder outside of the store, so that no copy of the store contains the keys"
        case .sealBroken:
            "retained data cannot be opened: its key was deleted, or the data was changed. It is deleted at its deadline"
        case .retentionDiffers: "the retention differs from the one that the request announced to the holder"
        case .tooLong: "a reference must have 1 to 128 bytes, and a retained value at most 4096 bytes"
        case .deadlinePassed:
            "the deadline is before a time that the store has recorded, so the clock was set back: correct the clock"
        case .failed(let code): "SQLite reports error \(code): check the disk"
        }
    }
}
