package import JSON
internal import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto
internal import ReaderStore
internal import Reports
internal import ReaderTokens
internal import RequestPlanner

/// A finished presentation that is only in the store. It belongs to an earlier run of the daemon, or was
/// removed from memory because there were too many presentations.
package struct PastPresentation: Sendable {
    let stored: StoredPresentation
    /// The JSON for the caller who ordered the presentation and for the administrator, without answers and
    /// documents.
    package let json: JSONValue
    /// The JSON with the outcome alone, for callers who start presets.
    package let outcomeAlone: JSONValue

    /// Reads a stored presentation. Returns `nil` if a stored text is not JSON, or if the presentation has no
    /// lane because an early version of the daemon stored it.
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
        // A record without `isOfTest` may come from an early version. It counts as the record of a test
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
    /// Creates the stored form of a presentation. A running presentation is stored with the outcome that
    /// applies if the daemon ends before the presentation does.
    init(_ record: PresentationRecord) {
        let isOver = record.conclusion != nil
        let record = isOver ? record : record.interrupted
        self.init(
            id: record.id.description, owner: record.owner, isOfDesk: record.isOfDesk,
            reference: record.order.reference?.name,
            repeatedReference: record.order.repeatedReference?.name,
            // An order without a reference has no holder number. 1 is stored then and never compared.
            holder: (record.order.reference ?? record.order.repeatedReference)?.holder ?? 1,
            order: record.order.digest, created: record.created,
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
    /// The SHA-256 of all members of the order. A repeated order has the same digest.
    fileprivate var digest: [UInt8] {
        let members: [JSONValue] = [
            .string(kind.rawValue), .string(intent.description), JSONValue(lane), JSONValue(reference?.name),
            JSONValue(reference.map { "\($0.holder)" }), .string(validation.rawValue),
            .string(retention.name), .string(consent.rawValue), JSONValue(then?.intent.description),
            JSONValue(then?.retention.name), JSONValue(policy?.name), JSONValue(identity), JSONValue(wallet),
            JSONValue(webhook),
            JSONValue(readerToken),
        ]
        // Added only if present: orders without a preset brand must have the digests that are already stored.
        let added = presetBrand.map { [JSONValue.string($0.text)] } ?? []
        return Digest(.sha256, of: Array(JSONValue.array(members + added).line.utf8)[...]).bytes
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
            try store.presentations(of: owner, under: reference.name)
                // A presentation that repeats an order has no `reference`, only `repeatedReference`.
                .first { $0.reference == reference.name && $0.holder == reference.holder }
        }
        // `flatMap({ $0 })` flattens a double optional. The result is `nil` if there is no archive, or if the
        // archive has no such presentation.
        guard let past = stored.flatMap({ $0 }).flatMap({ PastPresentation($0) }) else { return nil }
        guard past.stored.order == order.digest else { throw .referenceTaken }
        return past
    }

    /// Returns the JSON of the stored presentations that a caller ordered under one reference. Presentations
    /// in memory are left out.
    func past(under reference: String, for caller: KnownCaller) async throws(PresentationServiceError)
        -> [JSONValue]
    {
        let stored = try await archive?.read(for: caller.name) { store throws(ReaderStoreError) in
            try store.presentations(of: caller.name, under: reference)
        }
        return (stored ?? [])
            // A presentation at a lane that the caller may not use any more is left out.
            .filter { caller.scopes.contains(.admin) || caller.owns($0) }
            .filter { book[PresentationID($0.id)] == nil }
            .compactMap { PastPresentation($0)?.json }
    }

    /// Returns a presentation that is only in the store. It is accessible to the caller who ordered it and to
    /// the administrator.
    ///
    /// - Throws: `presentationUnknown`, also if the caller may not see it.
    package func past(_ id: PresentationID, for caller: KnownCaller) async throws(PresentationServiceError)
        -> PastPresentation
    {
        // The pages of customer and clerk never see a presentation that is no longer in memory.
        guard !caller.scopes.isDisjoint(with: [.app, .desk, .admin]) else { throw .presentationUnknown }
        let stored = try await archive?.read(for: caller.name) { store throws(ReaderStoreError) in
            try store.presentation(id.description)
        }
        // `flatMap({ $0 })` flattens a double optional. The result is `nil` if there is no archive, or if the
        // archive has no such presentation.
        guard let past = stored.flatMap({ $0 }).flatMap({ PastPresentation($0) }),
            caller.owns(past.stored) || caller.scopes.contains(.admin)
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
        // `flatMap({ $0 })` flattens a double optional. The result is `nil` if there is no archive, or if the
        // archive has no such receipt.
        guard let lane = remembered ?? stored.flatMap({ $0 }) else { return false }
        return caller.usesApp(at: lane)
    }
}
