package import MdocModel
package import MdocVerification
package import RequestPlanner

/// What is to be asked and in whose name, while it is not known yet which wallet will answer.
package struct PresentationQuestion: Sendable {
    package enum Content: Sendable {
        /// The least that an intent needs.
        case planned(RequestPlan)
        /// These, one after the other in a session: a later one only where those before brought no document.
        case drafts([DeviceRequestDraft])
        /// The least that one of these needs, in order of preference; no kind of document twice.
        case anyOf([RequestPlan])
    }

    package var content: Content
    /// Who may sign. Where no rule fits the request goes out unsigned; where one does it is signed or not sent.
    package var identities: ReaderIdentityChoice
    /// What the operator said about the wallet, and the brand of the request: for the rules of `identities`.
    package var wallet: String?
    package var brand: String?

    package init(
        _ content: Content, identities: ReaderIdentityChoice = ReaderIdentityChoice([]),
        wallet: String? = nil, brand: String? = nil
    ) {
        self.content = content
        self.identities = identities
        self.wallet = wallet
        self.brand = brand
    }

    func drafts(for capabilities: EngagementCapabilities) -> [DeviceRequestDraft] {
        switch content {
        case .planned(let plan): plan.drafts(for: capabilities)
        case .drafts(let drafts): drafts.map { $0.suited(to: capabilities) }
        case .anyOf(let plans): plans.drafts(for: capabilities)
        }
    }

    func identity(asking draft: DeviceRequestDraft) -> ReaderIdentity? {
        let docTypes = Set(draft.documents.map(\.docType))
        return identities.identity(in: .init(wallet: wallet, brand: brand, docTypes: docTypes))
    }
}

/// A second question to the same phone in the same session, put only where the answer to the first leads on to it.
package struct FurtherQuestion: Sendable {
    package let question: PresentationQuestion
    /// Whether it is put after this answer to the first.
    package let isDue: @Sendable (VerifiedResponse) -> Bool

    package init(_ question: PresentationQuestion, isDue: @escaping @Sendable (VerifiedResponse) -> Bool) {
        self.question = question
        self.isDue = isDue
    }
}
