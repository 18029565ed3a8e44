internal import JSON
internal import MdocModel
internal import ReaderStore
internal import Reports
internal import RequestPlanner

extension PresentationRecord {
    /// As somebody with these scopes may see it. The answers are for all; the documents of a data request for `app` alone,
    /// and what a clerk compares of a display request for `display` alone.
    func json(for scopes: Set<Scope>) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("id", .string(id.description)), ("kind", .string(order.kind.rawValue)), ("lane", .string(lane)),
            ("reference", JSONValue(order.reference?.name)),
            ("holder", order.reference.map { .integer(Int64($0.holder)) } ?? .null),
            ("state", .string(state.rawValue)),
            ("hint", JSONValue(hint?.rawValue)), ("created", .string("\(created)")),
            ("ended", JSONValue(ended.map { "\($0)" })), ("intent", .string(order.intent.description)),
            ("validation", .string(order.validation.rawValue)), ("retention", .string(order.retention.name)),
            ("asks", plan.asks),
            ("brand", brand.map { ["name": .string($0.name), "logo": JSONValue($0.logo)] } ?? .null),
            ("then", then?.json(for: scopes) ?? .null),
        ]
        if let result { members.append(("result", self.json(result, for: scopes))) }
        return .object(members)
    }

    private func json(_ result: PresentationResult, for scopes: Set<Scope>) -> JSONValue {
        var members = result.members
        members.append(("outcome", JSONValue(decision?.rawValue)))
        members.append(("receipt", JSONValue(receipt.id)))
        members.append(("retainedUntil", JSONValue(retainedUntil.map { "\($0)" })))
        switch order.kind {
        case .data where scopes.contains(.app): members.append(("documents", documents ?? .null))
        case .display where scopes.contains(.display): members += shownMembers
        case .data, .display: break
        }
        return .object(members)
    }

    private var shownMembers: [(String, JSONValue)] {
        let portrait = shown?.portrait.map { _ in "/v1/presentations/\(id)/portrait" }
        let name = shown?.name.map { name -> JSONValue in
            ["given": JSONValue(name.given), "family": JSONValue(name.family)]
        }
        return [("portrait", JSONValue(portrait)), ("name", name ?? .null)]
    }
}

extension PresentationRecord.Further {
    fileprivate func json(for scopes: Set<Scope>) -> JSONValue {
        [
            "intent": .string(order.intent.description), "retention": .string(order.retention.name),
            "asks": plan.asks,
            "result": result.map { json($0, for: scopes) } ?? .null,
        ]
    }

    private func json(_ result: PresentationResult, for scopes: Set<Scope>) -> JSONValue {
        var members =
            result.members + [
                ("outcome", .null), ("receipt", JSONValue(receipt)),
                ("retainedUntil", JSONValue(retainedUntil.map { "\($0)" })),
            ]
        if scopes.contains(.app) { members.append(("documents", documents ?? .null)) }
        return .object(members)
    }
}

extension RequestPlan {
    /// What is asked, for those who show it before there is an answer.
    fileprivate var asks: JSONValue {
        .array(subjects.compactMap(\.receiptSubject).map { .string("\($0)") })
    }
}

extension PresentationResult {
    fileprivate var members: [(String, JSONValue)] {
        [
            ("verdict", .string(verdict.rawValue)),
            (
                "answers",
                .array(answers.map { ["ask": .string("\($0.ask)"), "answer": .string($0.answer.rawValue)] })
            ),
            ("reasons", .array(reasons.map { ["id": .string($0.id), "text": .string($0.text)] })),
            ("docType", JSONValue(document?.docType)),
            ("parts", document?.parts ?? .null),
            (
                "issuer",
                document.map {
                    [
                        "country": JSONValue($0.issuerCountry), "name": JSONValue($0.issuerName),
                        "test": .boolean($0.isTest),
                    ]
                } ?? .null
            ),
            ("trustSnapshot", JSONValue(trustSnapshot)),
            ("trustAgeSeconds", trustAge.map(JSONValue.integer) ?? .null), ("policy", JSONValue(policy)),
        ]
    }
}
