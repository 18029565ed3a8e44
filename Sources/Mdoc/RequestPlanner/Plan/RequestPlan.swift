package import MdocModel

/// The smallest request that answers an intent.
///
/// **Responsibility.** The initialiser checks the intent against the rules (`RequestRule`), and chooses for
/// each document type the least revealing elements that answer each claim: an age attestation instead of a
/// birth date (ISO/IEC 18013-5 7.2.5, Q160). It also sets intentToRetain of each element, from a
/// `RetentionChoice`.
///
/// **Results.**
///
/// - `drafts(for:)` gives the requests to send to one wallet. A wallet with extended requests (second
///   edition, draft) gets one request and chooses the document. Any other wallet is asked for one document
///   after the other.
/// - `askedElements` lists the elements that a complete answer must have.
/// - `keeps(_:of:)` returns whether a returned element is stored after the check.
///
/// **Callers.** The command line, the daemon and the library plan every request with it, before a phone comes
/// to the reader. A plan is a value and does not change; `wanting(issuers:)` returns a changed copy.
///
/// **Limits.** A plan does not depend on a session, a key or a wallet, and does not sign. It judges no
/// answer: `MdocVerification` compares a response with the request, and `Reports` answers the questions.
package struct RequestPlan: Sendable {
    package let intent: RequestIntent
    /// The choice of the parts of the answer that are stored; `nil` if an app chose for each claim.
    package let retention: RetentionChoice?
    /// The requests of each document family, in the order of the intent. A family has one request for each of
    /// its document types.
    private(set) var requests: [[ItemsRequest]]
    /// All requested elements of all documents.
    package let askedElements: [AskedElement]

    /// Plans the request for `intent`.
    ///
    /// - Throws: `RequestPlannerError` with the rule by which the intent is refused.
    package init(
        _ intent: RequestIntent, keeping retention: RetentionChoice
    ) throws(RequestPlannerError) {
        try self.init(intent, retention) { retention.keeps($0) }
    }

    /// Plans the request for `intent`. Only the answers to `claims` are stored after the check.
    package init(
        _ intent: RequestIntent, keeping claims: Set<Claim>
    ) throws(RequestPlannerError) {
        try self.init(intent, nil) { claims.contains($0) }
    }

    /// Plans the request. `isKept` decides for each claim whether its answer is stored after the check.
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

    /// Returns a copy of this plan whose requests accept only documents of the issuers with these
    /// identifiers.
    ///
    /// - Parameter identifiers: The identifiers of the accepted issuers (`ItemsRequest.issuerIdentifiers`).
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

    /// Returns the requests to send to a wallet with these capabilities, in order.
    package func drafts(for capabilities: EngagementCapabilities) -> [DeviceRequestDraft] {
        [self].drafts(for: capabilities)
    }

    /// The requests of all document families.
    package var allRequests: [ItemsRequest] { requests.flatMap(\.self) }

    /// The ages in years of the questions about age.
    package var ages: [Int] { intent.claims.compactMap(\.years) }

    package var categories: [String] { intent.claims.flatMap(\.vehicleCategories) }

    package var domesticClasses: [String] { intent.claims.flatMap(\.vehicleClasses) }

    /// The elements that the plan adds to the claims: the expiry date for a question about driving, because a
    /// licence that has expired permits no driving. Empty if the intent asks for the expiry date itself.
    package var additions: [ElementName] {
        guard !categories.isEmpty || !domesticClasses.isEmpty,
            !intent.claims.contains(where: { $0 == .expiry || $0 == .inDate })
        else { return [] }
        var added: [ElementName] = []
        for element in askedElements where element.name.identifier == "expiry_date" {
            let isNamed = intent.claims.contains(.element(element.name))
            if !isNamed, !added.contains(element.name) { added.append(element.name) }
        }
        return added
    }

    /// Whether the answer is incomplete without a portrait (Q158).
    package var needsPortrait: Bool { intent.claims.contains(where: \.isPortrait) }

    /// Whether a returned element is stored after the check.
    ///
    /// An element is stored if it, or the element that it replaces, has intentToRetain in the request. An
    /// attestation that was not requested is stored if a requested attestation of its namespace has
    /// intentToRetain.
    package func keeps(_ name: ElementName, of docType: String) -> Bool {
        requests.joined().contains { $0.docType == docType && $0.keeps(name) }
    }
}

extension [RequestPlan] {
    /// Returns the requests to send to a wallet, in order. Any one of the planned documents is enough.
    ///
    /// A later request is sent only if the earlier requests returned no document. A wallet with extended
    /// requests gets one request and chooses the document. Any other wallet is asked for one family at a
    /// time, since such a wallet would return the documents of all families.
    package func drafts(for capabilities: EngagementCapabilities) -> [DeviceRequestDraft] {
        let families = flatMap(\.requests)
        guard capabilities.contains(.extendedRequest) else {
            return families.map { DeviceRequestDraft($0).suited(to: capabilities) }
        }
        let documents = families.flatMap(\.self)
        // The draft second edition does not clearly say which version a request with requestInfo has. With a
        // use case, the version is 1.1 in every reading of the draft.
        guard documents.count > 1 || documents.contains(where: \.isExtended) else {
            return [DeviceRequestDraft(documents)]
        }
        let anyOfThem = DeviceRequestInfo.UseCase(
            isMandatory: true, documentSets: documents.indices.map { [$0] })
        return [DeviceRequestDraft(documents, useCases: [anyOfThem])]
    }
}

extension ItemsRequest {
    /// Whether a returned element may be stored according to the intentToRetain of the elements in this
    /// request.
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
        // A document may answer with the nearest attestation (ISO/IEC 18013-5 7.2.5). This attestation is
        // stored if a requested attestation has intentToRetain.
        guard AgeAttestation(name.identifier) != nil, !asks(for: name.identifier, in: name.nameSpace) else {
            return false
        }
        return kept.contains {
            $0.nameSpace == name.nameSpace && AgeAttestation($0.identifier) != nil
        }
    }
}

/// The choice of the parts of an answer that a shop stores.
///
/// The member intentToRetain of the request tells the holder what will be stored, and follows from this
/// choice alone. The choice also decides what the shop stores and deletes. An app that uses the library can
/// choose for each claim instead.
package enum RetentionChoice: String, CaseIterable, Sendable {
    case none
    /// A receipt without personal data.
    case receipt
    /// The answers about age, and the document's number.
    case ageAndIDNumber = "age+id-number"
    /// The requested elements, if the holder consents. Portraits stay in memory and are not stored. An expiry
    /// date that is requested only for `inDate` is not stored.
    case consented

    func keeps(_ claim: Claim) -> Bool {
        switch self {
        case .none, .receipt: false
        case .ageAndIDNumber: claim.years != nil || claim.isDocumentNumber
        // The expiry date that `inDate` requests is needed only for the answer, so it is not stored.
        case .consented: !claim.isPortrait && claim != .inDate
        }
    }
}
