package import JSON
internal import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto
internal import ReaderStore
internal import Reports
internal import RequestPlanner

/// A finished presentation that is only in the store. It is of an earlier run of the daemon, or was removed
/// from memory because there were too many presentations.
package struct PastPresentation: Sendable {
    let stored: StoredPresentation
    /// The JSON for the caller who ordered the presentation and for the administrator, without answers and
    /// documents.
    package let json: JSONValue
    /// The JSON for a caller who started the presentation by the scope `order`.
    package let outcomeAlone: JSONValue

    /// Returns `nil` if the stored text is not JSON, or names no lane because an early version of the daemon
    /// wrote it.
    init?(_ stored: StoredPresentation) {
        guard !stored.lane.isEmpty, let json = JSONValue(stored: stored.description),
            let outcomeAlone = JSONValue(stored: stored.outcomeDescription)
        else { return nil }
        self.stored = stored
        self.json = json
        self.outcomeAlone = outcomeAlone
    }

    /// Whether the outcome is `allow` and may have come from a test document.
    var isAllowOfTest: Bool {
        // A record without this information may come from an early version, and counts as that of a test
        // document.
        stored.outcome == .allow && stored.isOfTest != false
    }
}

extension JSONValue {
    /// The JSON of a stored text, or `nil` if the text is not JSON.
    fileprivate init?(stored text: String) {
        guard let item = try? JSONItem.parse(Array(text.utf8)[...]) else { return nil }
        self.init(item)
    }
}

extension StoredPresentation {
    /// The end of a presentation. For a presentation that is not over, this is its end for the case that the
    /// daemon ends first.
    init(_ record: PresentationRecord) {
        let isOver = record.conclusion != nil
        let record = isOver ? record : record.interrupted
        self.init(
            id: record.id.description, owner: record.owner, reference: record.order.reference?.name,
            // Without a reference the number of the holder is never compared.
            holder: record.order.reference?.holder ?? 1, order: record.order.digest, created: record.created,
            ended: isOver ? record.completion?.ended : nil, lane: record.lane,
            outcome: record.conclusion?.outcome, isOfTest: record.completion?.hasTestDocument,
            // The administrator's JSON has no answers and no elements. The store therefore contains none
            // either.
            description: record.json(for: [.admin]).line,
            outcomeDescription: record.json(for: [.order]).line,
            webhook: record.order.webhook)
    }
}

extension PresentationOrder {
    /// The SHA-256 of all members, by which a repeated order is recognised.
    fileprivate var digest: [UInt8] {
        let members: [JSONValue] = [
            .string(kind.rawValue), .string(intent.description), JSONValue(lane), JSONValue(reference?.name),
            JSONValue(reference.map { "\($0.holder)" }), .string(validation.rawValue),
            .string(retention.name), .string(consent.rawValue), JSONValue(then?.intent.description),
            JSONValue(then?.retention.name), JSONValue(policy?.name), JSONValue(identity), JSONValue(wallet),
            JSONValue(webhook),
            JSONValue(readerToken),
        ]
        return Digest(.sha256, of: Array(JSONValue.array(members).line.utf8)[...]).bytes
    }
}

extension PresentationCoordinator {
    /// Reads from the store the owner's presentation with the reference of this order. Returns `nil` if the
    /// store has no such presentation. Presentations in memory are not searched.
    ///
    /// - Throws: `referenceTaken` if the earlier order differs.
    func past(
        orderedAs order: PresentationOrder, by owner: String
    ) async throws(PresentationServiceError) -> PastPresentation? {
        guard let reference = order.reference else { return nil }
        let stored = try await archive?.read { store throws(ReaderStoreError) in
            try store.presentations(of: owner, under: reference.name).first { $0.holder == reference.holder }
        }
        // `flatMap({ $0 })` joins two optionals: there is no archive, or no such presentation in it.
        guard let past = stored.flatMap({ $0 }).flatMap({ PastPresentation($0) }) else { return nil }
        guard past.stored.order == order.digest else { throw .referenceTaken }
        return past
    }

    /// The JSON of the presentations that a caller ordered with one reference and that only the store has.
    func past(under reference: String, for caller: KnownCaller) async throws(PresentationServiceError)
        -> [JSONValue]
    {
        let stored = try await archive?.read(for: caller.name) { store throws(ReaderStoreError) in
            try store.presentations(of: caller.name, under: reference)
        }
        return (stored ?? [])
            // A caller no longer sees what it ordered at a lane that it may not use any more.
            .filter { caller.scopes.contains(.admin) || caller.owns(presentationsOf: $0.owner, at: $0.lane) }
            .filter { book[PresentationID($0.id)] == nil }
            .compactMap { PastPresentation($0)?.json }
    }

    /// Returns a presentation that only the store has, to the caller who ordered it or the administrator.
    ///
    /// - Throws: `presentationUnknown`, also if the caller may not see it.
    package func past(_ id: PresentationID, for caller: KnownCaller) async throws(PresentationServiceError)
        -> PastPresentation
    {
        // Pages never see a presentation that is no longer in memory.
        guard !caller.scopes.isDisjoint(with: [.app, .admin]) else { throw .presentationUnknown }
        let stored = try await archive?.read(for: caller.name) { store throws(ReaderStoreError) in
            try store.presentation(id.description)
        }
        // `flatMap({ $0 })` joins two optionals: there is no archive, or no such presentation in it.
        guard let past = stored.flatMap({ $0 }).flatMap({ PastPresentation($0) }),
            caller.owns(presentationsOf: past.stored.owner, at: past.stored.lane)
                || caller.scopes.contains(.admin)
        else { throw .presentationUnknown }
        return past
    }

    /// Whether a receipt belongs to a presentation that this caller ordered, at a lane where the caller has
    /// the scope `app`.
    package func isReceipt(_ number: Int64, of caller: KnownCaller) async throws(PresentationServiceError)
        -> Bool
    {
        let remembered = book.lane(ofReceipt: "\(number)", of: caller.name)
        let stored = try await archive?.read(for: caller.name) { store throws(ReaderStoreError) in
            try store.lane(ofReceipt: number, of: caller.name)
        }
        // `flatMap({ $0 })` joins two optionals: there is no archive, or no such receipt in it.
        guard let lane = remembered ?? stored.flatMap({ $0 }) else { return false }
        return caller.usesApp(at: lane)
    }
}
