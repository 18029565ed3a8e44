package import MdocModel

/// An intent as the least that has to be asked for it.
package struct RequestPlan: Sendable {
    package let intent: RequestIntent
    /// Nil if whoever asks chose what is kept claim by claim.
    package let retention: RetentionChoice?
    /// For each family of the intent, in its order, one request for each of its document types.
    private(set) var requests: [[ItemsRequest]]
    /// All that is asked for, of any of the documents.
    package let askedElements: [AskedElement]

    /// Plans what to ask, or says by which rule it is not asked.
    package init(
        _ intent: RequestIntent, keeping retention: RetentionChoice
    ) throws(RequestPlannerError) {
        try self.init(intent, retention) { retention.keeps($0) }
    }

    /// The same, where the answers to these claims are kept and no others.
    package init(
        _ intent: RequestIntent, keeping claims: Set<Claim>
    ) throws(RequestPlannerError) {
        try self.init(intent, nil) { claims.contains($0) }
    }

    private init(
        _ intent: RequestIntent, _ retention: RetentionChoice?, keeping isKept: (Claim) -> Bool
    ) throws(RequestPlannerError) {
        try intent.check()
        self.intent = intent
        self.retention = retention
        var askedElements: [AskedElement] = []
        requests = try intent.documents.map { family throws(RequestPlannerError) in
            try family.types.map { type throws(RequestPlannerError) in
                let request = try ItemsRequest(intent, of: type, keeping: isKept)
                var required: Set<ElementName> = []
                for claim in intent.required { required.formUnion(try type.elements(answering: claim)) }
                askedElements += request.askedElements(requiring: required)
                return request
            }
        }
        self.askedElements = askedElements
    }

    /// The same, where only documents of these issuers are wanted.
    package func wanting(issuers identifiers: [[UInt8]]) -> RequestPlan {
        var plan = self
        plan.requests = requests.map { requests in
            requests.map { request in
                var request = request
                request.issuerIdentifiers = identifiers
                return request
            }
        }
        return plan
    }

    /// What to send to a wallet with these capabilities.
    package func drafts(for capabilities: EngagementCapabilities) -> [DeviceRequestDraft] {
        [self].drafts(for: capabilities)
    }

    /// The requests of all families.
    package var allRequests: [ItemsRequest] { requests.flatMap(\.self) }

    package var ages: [Int] { intent.claims.compactMap(\.years) }

    package var categories: [String] { intent.claims.flatMap(\.vehicleCategories) }

    package var domesticClasses: [String] { intent.claims.flatMap(\.vehicleClasses) }

    /// Whether the answer is incomplete without a portrait (Q158).
    package var needsPortrait: Bool { intent.claims.contains(where: \.isPortrait) }

    /// Whether what came under this name is kept: the request said so of this element, of the one in whose place it came, or
    /// of an age that it attests.
    package func keeps(_ name: ElementName, of docType: String) -> Bool {
        requests.joined().contains { $0.docType == docType && $0.keeps(name) }
    }
}

extension [RequestPlan] {
    /// What to send to a wallet with these capabilities where any of the documents will do, one after the other in a
    /// session: a later one only where those before brought no document. A wallet of extended requests gets one, which
    /// lets it choose the document; any other is asked for one family at a time, since it would return them all.
    package func drafts(for capabilities: EngagementCapabilities) -> [DeviceRequestDraft] {
        let families = flatMap(\.requests)
        guard capabilities.contains(.extendedRequest) else {
            return families.map { DeviceRequestDraft($0).suited(to: capabilities) }
        }
        let documents = families.flatMap(\.self)
        // With a use case a request that has requestInfo is of version 1.1 by every reading of the draft second edition.
        guard documents.count > 1 || documents.contains(where: \.isExtended) else {
            return [DeviceRequestDraft(documents)]
        }
        let anyOfThem = DeviceRequestInfo.UseCase(
            isMandatory: true, documentSets: documents.indices.map { [$0] })
        return [DeviceRequestDraft(documents, useCases: [anyOfThem])]
    }
}

extension ItemsRequest {
    fileprivate func keeps(_ name: ElementName) -> Bool {
        let kept = nameSpaces.flatMap { space in
            space.elements.filter(\.intentToRetain).map {
                ElementName(nameSpace: space.name, identifier: $0.identifier)
            }
        }
        if kept.contains(name) { return true }
        let isSubstitute = alternatives.contains { alternative in
            kept.contains(alternative.requestedElement) && alternative.sets.contains { $0.contains(name) }
        }
        if isSubstitute { return true }
        // The nearest attestation answers in place of the one that was asked for (ISO/IEC 18013-5 7.2.5).
        guard AgeAttestation(name.identifier) != nil, !asks(for: name.identifier, in: name.nameSpace) else {
            return false
        }
        return kept.contains {
            $0.nameSpace == name.nameSpace && AgeAttestation($0.identifier) != nil
        }
    }
}

/// What a place keeps of an answer. `intentToRetain` follows from it alone, so that the notice to the holder, the
/// storage and the purge all depend on one choice. Only an app of the library for apps chooses claim by claim.
package enum RetentionChoice: String, CaseIterable, Sendable {
    case none
    /// A receipt without personal data.
    case receipt
    /// The answers about age and the document's number.
    case ageAndIDNumber = "age+id-number"
    /// What was asked, once the holder has agreed; portraits stay in memory all the same.
    case consented

    func keeps(_ claim: Claim) -> Bool {
        switch self {
        case .none, .receipt: false
        case .ageAndIDNumber: claim.years != nil || claim.isDocumentNumber
        case .consented: !claim.isPortrait && claim != .inDate
        }
    }
}
