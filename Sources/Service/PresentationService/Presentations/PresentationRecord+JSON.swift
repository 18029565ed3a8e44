package import JSON
internal import MdocModel
internal import ReaderStore
internal import Reports
internal import RequestPlanner

extension PresentationRecord {
    /// As somebody may see it by these scopes; without any, as a webhook gets it. The answers are not for `admin`, and for
    /// `screen` without the reasons of the checks. The documents of a data request are for `app` alone, and what a clerk compares of a display
    /// request for `clerk` alone.
    package func json(for scopes: Set<Scope>) -> JSONValue {
        let reference = isCustomersScreen(scopes) ? nil : order.reference
        var members: [(String, JSONValue)] = [
            ("id", .string(id.description)), ("kind", .string(order.kind.rawValue)), ("lane", .string(lane)),
            ("isStanding", .boolean(owner == PresentationCoordinator.owner(ofStanding: lane))),
            ("reference", JSONValue(reference?.name)),
            ("holder", reference.map { .integer(Int64($0.holder)) } ?? .null),
            ("state", .string(state.rawValue)),
            ("outcome", JSONValue(conclusion?.outcome.rawValue)),
            ("test", completion?.hasTestDocument.map { .boolean($0) } ?? .null),
            reasonsMember(for: scopes),
            ("hint", JSONValue(hint?.rawValue)), ("created", .string("\(created)")),
            ("ended", JSONValue(completion.map { "\($0.ended)" })),
            ("intent", .string(order.intent.description)),
            ("validation", .string(order.validation.rawValue)), ("retention", .string(order.retention.name)),
            ("asks", plan.asks),
            ("brand", brand.map { ["name": .string($0.name), "logo": JSONValue($0.logo)] } ?? .null),
            thenMember(for: scopes),
        ]
        if completion != nil, scopes.contains(.admin), seesOutcomeAlone(scopes) {
            members.append(("decision", JSONValue(completion?.decision?.rawValue)))
        }
        return .object(members + resultMembers(for: scopes))
    }

    func reasonsMember(for scopes: Set<Scope>) -> (String, JSONValue) {
        ("reasons", .array(reasons(for: scopes).map { .string($0) }))
    }

    func thenMember(for scopes: Set<Scope>) -> (String, JSONValue) {
        ("then", further.map { json($0, for: scopes) } ?? .null)
    }

    /// `result`, where an answer came and they may see it.
    func resultMembers(for scopes: Set<Scope>) -> [(String, JSONValue)] {
        guard !seesOutcomeAlone(scopes), let completion, let report = completion.report else { return [] }
        return [("result", result(report, completion, for: scopes))]
    }

    /// Whether neither answers nor documents are for them.
    private func seesOutcomeAlone(_ scopes: Set<Scope>) -> Bool {
        !scopes.isEmpty && scopes.isSubset(of: [.order, .admin])
    }

    /// Whether the customer sees it: by scope `screen`, without one that orders or compares.
    private func isCustomersScreen(_ scopes: Set<Scope>) -> Bool {
        scopes.contains(.screen) && scopes.isSubset(of: [.screen, .order, .admin])
    }

    /// For `screen` only that nobody decided; what a person decided is not for the customer's screen.
    private func reasons(for scopes: Set<Scope>) -> [String] {
        let reasons = conclusion?.reasons ?? []
        guard isCustomersScreen(scopes) || scopes == [.order] else { return reasons.map(\.id) }
        let undecided: [Conclusion.Reason] = [.outcome(.decisionDismissed), .outcome(.decisionOverdue)]
        return reasons.filter { undecided.contains($0) }.map(\.id)
    }

    private func result(
        _ report: TransactionReport, _ completion: Completion, for scopes: Set<Scope>
    ) -> JSONValue {
        if isCustomersScreen(scopes) { return report.screenResult }
        // Where something was asked next the outcome follows from that.
        let own = completion.further == nil ? conclusion : nil
        var members = report.resultMembers(for: own, by: basis, at: completion.ended)
        members.append(("decision", JSONValue(completion.decision?.rawValue)))
        members.append(("receipt", JSONValue(completion.receipt.id)))
        members.append(("retainedUntil", JSONValue(completion.retainedUntil.map { "\($0)" })))
        switch order.kind {
        case .data where scopes.contains(.app): members += dataMembers(report, completion)
        case .display where scopes.contains(.clerk): members += shownMembers(completion.shown)
        case .data, .display: break
        }
        return .object(members)
    }

    /// Null until everything is decided. A portrait is handed out once, and not among the documents.
    private func dataMembers(
        _ report: TransactionReport, _ completion: Completion
    ) -> [(String, JSONValue)] {
        guard conclusion != nil else { return [("documents", .null), ("portrait", .null)] }
        let isThere = report.portrait != nil && !completion.isPortraitTaken
        return [
            ("documents", report.documentsWithElements),
            ("portrait", isThere ? .string("/v1/presentations/\(id)/documents/portrait") : .null),
        ]
    }

    private func shownMembers(_ shown: ShownPerson?) -> [(String, JSONValue)] {
        let portrait = shown?.portrait.map { _ in "/v1/presentations/\(id)/portrait" }
        let name = shown?.name.map { name -> JSONValue in
            ["given": JSONValue(name.given), "family": JSONValue(name.family)]
        }
        return [("portrait", JSONValue(portrait)), ("name", name ?? .null)]
    }

    private func json(_ further: Further, for scopes: Set<Scope>) -> JSONValue {
        var result = JSONValue.null
        if let completion, let report = completion.further,
            scopes.isEmpty || !scopes.isDisjoint(with: [.app, .clerk])
        {
            var members = report.resultMembers(for: conclusion, by: basis, at: completion.ended)
            members.append(("decision", .null))
            members.append(("receipt", JSONValue(completion.furtherReceipt)))
            members.append(("retainedUntil", JSONValue(completion.furtherRetainedUntil.map { "\($0)" })))
            if scopes.contains(.app) { members += dataMembers(report, completion) }
            result = .object(members)
        }
        return [
            "intent": .string(further.order.intent.description),
            "retention": .string(further.order.retention.name), "asks": further.plan.asks, "result": result,
        ]
    }
}

extension TransactionReport {
    /// The documents as the command line writes them, a portrait as its size; null where no elements are here, or no
    /// longer.
    fileprivate var documentsWithElements: JSONValue {
        documents.contains { $0.verified != nil } ? documentsJSON(portrait: .size) : .null
    }
}

extension RequestPlan {
    /// What is asked, for those who show it before there is an answer.
    fileprivate var asks: JSONValue {
        .array(subjects.compactMap(\.receiptSubject).map { .string("\($0)") })
    }
}
