package import JSON
internal import MdocModel
internal import ReaderStore
internal import Reports

extension PresentationCoordinator {
    /// A page of what a caller ordered, and for the administrator of what everybody ordered, without answers and documents; from
    /// the newest on. What is under one reference is on one page, person by person.
    package func list(_ query: PresentationListQuery, for caller: KnownCaller)
        async throws(PresentationServiceError) -> JSONValue
    {
        if let reference = query.reference {
            let known =
                try await past(under: reference, for: caller)
                + book.records(referredToAs: reference, by: caller.name)
                .filter { caller.scopes.contains(.admin) || caller.ordered($0.owner, at: $0.lane) }
                .map { $0.json(for: scopes(of: caller, over: $0)) }
            return ["presentations": .array(known), "next": .null]
        }
        let all = try await past(query, for: caller) + remembered(query, for: caller)
        let rest = all.sorted { $1.cursor < $0.cursor }
            .filter { listed in query.cursor.map { listed.cursor < $0 } ?? true }
        let page = rest.prefix(query.limit)
        let isLast = page.count == rest.count
        return [
            "presentations": .array(page.map(\.json)),
            "next": isLast ? .null : JSONValue(page.last?.cursor.text),
        ]
    }

    private func remembered(
        _ query: PresentationListQuery, for caller: KnownCaller
    ) -> [ListedPresentation] {
        book.ids.compactMap { book[$0] }
            .filter { caller.scopes.contains(.admin) || caller.ordered($0.owner, at: $0.lane) }
            .filter {
                query.takes(
                    lane: $0.lane, outcome: $0.conclusion?.outcome, created: $0.created)
            }
            .map { record in
                let isOwn = caller.ordered(record.owner, at: record.lane)
                return ListedPresentation(
                    cursor: PresentationCursor(created: record.created, id: record.id.description),
                    json: record.json(for: isOwn ? scopes(of: caller, over: record) : [.admin]))
            }
    }

    /// The newest that are no longer in memory: the caller's, or the administrator's all.
    private func past(
        _ query: PresentationListQuery, for caller: KnownCaller
    ) async throws(PresentationServiceError) -> [ListedPresentation] {
        let most = limits.presentations
        let owner = caller.scopes.contains(.admin) ? nil : caller.name
        let stored = try await archive?.look(for: caller.name) { store throws(ReaderStoreError) in
            try store.presentations(of: owner, atMost: most)
        }
        return (stored ?? []).filter {
            book[PresentationID($0.id)] == nil
                && (owner == nil || caller.ordered($0.owner, at: $0.lane))
                && query.takes(lane: $0.lane, outcome: $0.outcome, created: $0.created)
        }.compactMap { stored in
            PastPresentation(stored).map {
                ListedPresentation(
                    cursor: PresentationCursor(created: stored.created, id: stored.id), json: $0.json)
            }
        }
    }
}

/// One presentation of a list.
private struct ListedPresentation: Sendable {
    let cursor: PresentationCursor
    let json: JSONValue
}
