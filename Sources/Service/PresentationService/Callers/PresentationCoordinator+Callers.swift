extension PresentationCoordinator {
    /// A presentation that the caller may know by one of these scopes, with all scopes by which the caller may. Nobody learns that another's
    /// presentation exists.
    package func presentation(
        _ id: PresentationID, for caller: KnownCaller, by needed: Set<Scope>
    ) throws(PresentationServiceError) -> (record: PresentationRecord, scopes: Set<Scope>) {
        let record = try record(id)
        let scopes = scopes(of: caller, over: record)
        guard !scopes.isDisjoint(with: needed) else { throw .presentationUnknown }
        return (record, scopes)
    }

    package func scopes(of caller: KnownCaller, over record: PresentationRecord) -> Set<Scope> {
        caller.scopes(over: record, latest: book.latest(at: record.lane)?.id)
    }
}
