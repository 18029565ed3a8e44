package import JSON
internal import MdocModel
internal import ReaderStore
internal import Reports
internal import RequestPlanner

extension PresentationRecord {
    /// The presentation as JSON for a caller with these scopes, or for a webhook if `scopes` is empty.
    ///
    /// `admin` and `order` see the outcome without answers. `screen` does not see the reasons of failed
    /// checks. Only `app` and `desk` see the documents of a data request, and only `clerk` and `desk` see the
    /// name and portrait of a display request.
    ///
    /// - Parameter scopes: the scopes by which the caller may access this presentation.
    package func json(for scopes: Set<Scope>) -> JSONValue {
        let reference = isCustomersScreen(scopes) ? nil : order.reference ?? order.repeatedReference
        var members: [(String, JSONValue)] = [
            ("id", .string(id.description)), ("kind", .string(order.kind.rawValue)), ("lane", .string(lane)),
            ("isStanding", .boolean(owner == PresentationCoordinator.owner(ofStanding: lane))),
            ("reference", JSONValue(reference?.name)),
            ("holder", reference.map { .integer(Int64($0.holder)) } ?? .null),
            ("state", .string(state.rawValue)),
            ("outcome", JSONValue(conclusion?.outcome.rawValue)),
            ("test", completion?.hasTestDocument.map { .boolean($0) } ?? .null),
            reasonsMember(for: scopes),
            ("hint", JSONValue(hint?.rawValue)), ("deadline", JSONValue(deadline.map { "\($0)" })),
            ("repeats", JSONValue(repeated?.id.description)), ("created", .string("\(created)")),
            ("ended", JSONValue(completion.map { "\($0.ended)" })),
            ("intent", .string(order.intent.description)),
            ("validation", .string(order.validation.rawValue)), ("retention", .string(order.retention.name)),
            ("asks", .array(plan.asks.map(JSONValue.string))), ("adds", plan.adds),
            ("brand", brand.map { ["name": .string($0.name), "logo": JSONValue($0.logo)] } ?? .null),
            thenMember(for: scopes),
        ]
        // Other callers find the decision in the member `result`, which `admin` does not get.
        if completion != nil, scopes.contains(.admin), seesOutcomeAlone(scopes) {
            members.append(("decision", JSONValue(completion?.decision?.rawValue)))
        }
        return .object(members + resultMembers(for: scopes))
    }

    /// The member `reasons`, as far as a caller with these scopes may see it.
    func reasonsMember(for scopes: Set<Scope>) -> (String, JSONValue) {
        ("reasons", .array(reasons(for: scopes).map { .string($0) }))
    }

    /// The member `then`: the second request and its result.
    func thenMember(for scopes: Set<Scope>) -> (String, JSONValue) {
        ("then", further.map { json($0, for: scopes) } ?? .null)
    }

    /// The member `result`, or nothing if there is no report or the scopes do not include it.
    func resultMembers(for scopes: Set<Scope>) -> [(String, JSONValue)] {
        guard !seesOutcomeAlone(scopes), let completion, let report = completion.report else { return [] }
        return [("result", result(report, completion, for: scopes))]
    }

    /// Whether a caller with these scopes sees neither answers nor documents. Empty scopes stand for a
    /// webhook, which contains answers.
    private func seesOutcomeAlone(_ scopes: Set<Scope>) -> Bool {
        !scopes.isEmpty && scopes.isSubset(of: [.order, .admin])
    }

    /// Whether the JSON is for the customer's page: scope `screen`, without `app` or `clerk`.
    private func isCustomersScreen(_ scopes: Set<Scope>) -> Bool {
        scopes.contains(.screen) && scopes.isSubset(of: [.screen, .order, .admin])
    }

    /// The ids of the reasons. The customer's page and `order` learn why no response came, for example that the
    /// phone has no Bluetooth, and that a decision was dismissed or not made in time. They learn neither which
    /// check failed nor what the clerk decided.
    private func reasons(for scopes: Set<Scope>) -> [String] {
        let reasons = conclusion?.reasons ?? []
        let isLimited = isCustomersScreen(scopes) || scopes == [.order]
        guard isLimited, conclusion?.outcome != .failed else { return reasons.map(\.id) }
        let undecided: [Conclusion.Reason] = [.outcome(.decisionDismissed), .outcome(.decisionOverdue)]
        return reasons.filter { undecided.contains($0) }.map(\.id)
    }

    /// The value of the member `result`, as far as a caller with these scopes may see it.
    private func result(
        _ report: TransactionReport, _ completion: Completion, for scopes: Set<Scope>
    ) -> JSONValue {
        if isCustomersScreen(scopes) { return report.screenResult }
        // With a second request, the outcome follows from the second report. The reasons of the outcome are
        // then listed with that report.
        let own = completion.further == nil ? conclusion : nil
        var members = report.resultMembers(for: own, by: basis, at: completion.ended)
        members.append(("decision", JSONValue(completion.decision?.rawValue)))
        members.append(("receipt", JSONValue(completion.receipt.id)))
        members.append(("retainedUntil", JSONValue(completion.retainedUntil.map { "\($0)" })))
        switch order.kind {
        case .data where !scopes.isDisjoint(with: [.app, .desk]):
            members += dataMembers(report, completion, for: scopes)
        case .display where !scopes.isDisjoint(with: [.clerk, .desk]):
            members += shownMembers(completion.shown)
        case .data, .display: break
        }
        return .object(members)
    }

    /// The members `documents` and `portrait`: null until the outcome is decided. The portrait is a path from
    /// which `app` can fetch it once; `documents` does not contain it.
    private func dataMembers(
        _ report: TransactionReport, _ completion: Completion, for scopes: Set<Scope>
    ) -> [(String, JSONValue)] {
        guard conclusion != nil else { return [("documents", .null), ("portrait", .null)] }
        let isThere = report.portrait != nil && !completion.isPortraitTaken && scopes.contains(.app)
        return [
            ("documents", report.documentsWithElements),
            ("portrait", isThere ? .string("/v1/presentations/\(id)/documents/portrait") : .null),
        ]
    }

    /// The members `portrait` and `name` for a clerk who compares.
    private func shownMembers(_ shown: ShownPerson?) -> [(String, JSONValue)] {
        let portrait = shown?.portrait.map { _ in "/v1/presentations/\(id)/portrait" }
        let name = shown?.name.map { name -> JSONValue in
            ["given": JSONValue(name.given), "family": JSONValue(name.family)]
        }
        return [("portrait", JSONValue(portrait)), ("name", name ?? .null)]
    }

    /// The second request, with its result for the scopes that may see it.
    private func json(_ further: Further, for scopes: Set<Scope>) -> JSONValue {
        var result = JSONValue.null
        if let completion, let report = completion.further,
            scopes.isEmpty || !scopes.isDisjoint(with: [.app, .clerk, .desk])
        {
            var members = report.resultMembers(for: conclusion, by: basis, at: completion.ended)
            // A person decides once for both requests, and the first result contains the decision.
            members.append(("decision", .null))
            members.append(("receipt", JSONValue(completion.furtherReceipt)))
            members.append(("retainedUntil", JSONValue(completion.furtherRetainedUntil.map { "\($0)" })))
            if !scopes.isDisjoint(with: [.app, .desk]) {
                members += dataMembers(report, completion, for: scopes)
            }
            result = .object(members)
        }
        return [
            "intent": .string(further.order.intent.description),
            "retention": .string(further.order.retention.name),
            "asks": .array(further.plan.asks.map(JSONValue.string)), "adds": further.plan.adds,
            "result": result,
        ]
    }
}

extension TransactionReport {
    /// The documents in the JSON format of the command line, with the size of a portrait instead of its
    /// bytes; null if the report has no elements.
    fileprivate var documentsWithElements: JSONValue {
        documents.contains { $0.verified != nil } ? documentsJSON(portrait: .size) : .null
    }
}

extension RequestPlan {
    /// The questions of the request, which pages show before there is an answer.
    var asks: [String] { subjects.compactMap(\.receiptSubject).map { "\($0)" } }

    /// The elements that the plan adds to the claims of the intent.
    fileprivate var adds: JSONValue {
        .array(additions.map { .string("\($0.nameSpace)/\($0.identifier)") })
    }
}
