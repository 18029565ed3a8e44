internal import CBOR
internal import Foundation
internal import GRDB
package import MdocModel
package import MdocVerification
internal import OpenSSLCrypto
package import RequestPlanner

/// Element values that a place keeps, sealed, until their deadline and no longer.
///
/// Time here never goes back and never stops: the store remembers the latest instant that it was given, and continues
/// from there where the clock is set back, so that no deadline is postponed. Once nothing is retained any more, the store
/// accepts the clock as it is.
package struct RetainedRecords: Sendable {
    let store: ReaderStore
    let keys: RetentionKeys
    let monotonic: MonotonicTime

    /// - Parameter folder: where the keys are, which must be outside the store. It is created with the first key.
    ///   Nil means `keysFolder(besideStore:)`.
    package init(
        in store: ReaderStore, keysIn folder: String? = nil, time: MonotonicTime = MonotonicTime()
    ) throws(ReaderStoreError) {
        let folder = folder ?? Self.keysFolder(besideStore: store.folder.path)
        let (own, other) = (Self.resolved(store.folder.path), Self.resolved(folder))
        guard other != own, !other.hasPrefix(own + "/") else { throw .keysInsideStore }
        self.store = store
        keys = RetentionKeys(folder: folder)
        monotonic = time
    }

    /// Where the keys are unless somebody says otherwise: beside the store's folder, so that no copy of that has them.
    package static func keysFolder(besideStore folder: String) -> String {
        var path = folder[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return "\(path)-keys"
    }

    private static func resolved(_ path: String) -> String {
        URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }

    /// Keeps the data of a document that the request said would be kept, under a profile, for a reference.
    ///
    /// - Parameters:
    ///   - plan: what was asked; the holder was informed what would be kept.
    ///   - profile: the profile by which `plan` was made; `retentionDiffers` otherwise.
    ///   - owner: who ordered the presentation; nil if callers are not distinguished.
    package func retain(
        _ document: VerifiedDocument, answering plan: RequestPlan, under profile: RetentionProfile,
        consent: HolderConsent, for reference: RetainedReference, orderedBy owner: String? = nil,
        at now: Timestamp
    ) throws(ReaderStoreError) -> RetentionOutcome {
        guard plan.retention == profile.choice else { throw .retentionDiffers }
        let kept = document.elements.filter { element in
            element.signedBy == .issuer && plan.keeps(element.name, of: document.docType)
        }
        guard profile.days > 0, !kept.isEmpty, consent == .given || !profile.needsConsent else {
            return .nothing
        }
        let deadline = profile.deadline(from: now)
        let id = try retain(
            kept.map { ($0.name, $0.value.encoded) }, of: document.docType, under: profile,
            consent: consent, until: deadline, for: reference, orderedBy: owner, at: now)
        return .retained(id, until: deadline)
    }

    /// Makes sure that something could be retained under a profile now: that the store can be written, and the keys are there.
    package func check(_ profile: RetentionProfile, at now: Timestamp) throws(ReaderStoreError) {
        guard profile.days > 0 else { return }
        let deadline = profile.deadline(from: now)
        try store.change { database in
            let state = try RetainedState(at: now, by: monotonic, in: database)
            guard deadline > state.latest else { throw ReaderStoreError.deadlinePassed }
            _ = try keys.digest(of: RetainedReference("check"), making: state.isEmpty)
            _ = try keys.cipher(due: deadline.dayInUTC, making: true)
            try state.write(to: database)
        }
    }

    func retain(
        _ values: [(name: ElementName, value: ArraySlice<UInt8>)], of docType: String,
        under profile: RetentionProfile, consent: HolderConsent, until deadline: Timestamp,
        for reference: RetainedReference, orderedBy owner: String? = nil, at now: Timestamp
    ) throws(ReaderStoreError) -> RetainedRecord.ID {
        try store.change { database in
            let state = try RetainedState(at: now, by: monotonic, in: database)
            guard deadline > state.latest else { throw ReaderStoreError.deadlinePassed }
            let id = RetainedRecord.ID(try randomBytes(RetainedRecord.ID.size))
            let insert = try database.makeStatement(
                sql: """
                    INSERT INTO retained_field (record, reference, doc_type, profile, consent, retained,
                        name_space, identifier, deadline, nonce, sealed)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """)
            let digest = Data(try keys.digest(of: reference, making: state.isEmpty))
            for (name, value) in values {
                let field = try RetainedField(
                    sealing: value, of: name, in: id, until: deadline, with: keys)
                try insert.execute(arguments: [
                    Data(id.bytes), digest, docType, profile.name, consent.rawValue, now.secondsSince1970,
                    name.nameSpace, name.identifier, deadline.secondsSince1970, Data(field.nonce),
                    Data(field.sealed),
                ])
            }
            if let owner {
                try database.execute(
                    sql: "INSERT INTO retained_owner (record, owner) VALUES (?, ?)",
                    arguments: [Data(id.bytes), owner])
            }
            try state.write(to: database)
            return id
        }
    }

    /// The time that counts here where the clock says `now`.
    package func time(at now: Timestamp) throws(ReaderStoreError) -> Timestamp {
        try store.read { database in try RetainedState(at: now, by: monotonic, in: database).latest }
    }

    /// When something falls due next; nil if nothing is retained.
    package func nextDue() throws(ReaderStoreError) -> Timestamp? {
        try store.read { database in
            try Int64.fetchOne(database, sql: "SELECT min(deadline) FROM retained_field")
                .map(Timestamp.init(stored:))
        }
    }

    /// How much is retained, and how many records were removed: numbers only.
    package func counts() throws(ReaderStoreError) -> RetentionCounts {
        try store.read { database in try RetentionCounts(in: database) }
    }
}
