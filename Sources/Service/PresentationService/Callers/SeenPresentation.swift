package import JSON

/// A presentation as its caller may know it.
package struct SeenPresentation: Sendable {
    package let record: PresentationRecord
    /// The scopes by which the caller may; never empty.
    package let scopes: Set<Scope>

    package var json: JSONValue { record.json(for: scopes) }
}

extension PresentationCoordinator {
    /// A presentation that the caller may know by one of these scopes. Of another's nobody learns that it is there.
    package func presentation(
        _ id: PresentationID, for caller: KnownCaller, by needed: Set<Scope>
    ) throws(PresentationServiceError) -> SeenPresentation {
        let record = try record(id)
        let scopes = scopes(of: caller, over: record)
        guard !scopes.isDisjoint(with: needed) else { throw .presentationUnknown }
        return SeenPresentation(record: record, scopes: scopes)
    }

    package func scopes(of caller: KnownCaller, over record: PresentationRecord) -> Set<Scope> {
        caller.scopes(over: record, latest: book.latest(at: record.lane)?.id)
    }
}
