package import MdocModel
package import MdocVerification
package import RequestPlanner

/// A request to a phone, and the identities that may sign it. The question does not depend on the wallet,
/// which is not known before the engagement.
package struct PresentationQuestion: Sendable {
    /// The documents and elements to request.
    package enum Content: Sendable {
        /// The smallest request that answers an intent.
        case planned(RequestPlan)
        /// Requests that are sent one after another in a session. A later request is sent only if no earlier
        /// request brought a document.
        case drafts([DeviceRequestDraft])
        /// The smallest request for one of these plans. Earlier plans are preferred, and no kind of document
        /// is requested twice.
        case anyOf([RequestPlan])
    }

    package var content: Content
    /// The rules that choose the identity that signs the request. If no rule matches, the request is sent
    /// unsigned. If a rule matches, the request is signed or not sent.
    package var identities: ReaderIdentityChoice
    /// The name of the wallet, if the operator gave it. A rule of `identities` may apply to one wallet only.
    package var wallet: String?
    /// The brand in whose name the request is sent. A rule of `identities` may apply to one brand only.
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

    /// Returns the requests for a wallet with these capabilities, in the order in which they are sent.
    func drafts(for capabilities: EngagementCapabilities) -> [DeviceRequestDraft] {
        switch content {
        case .planned(let plan): plan.drafts(for: capabilities)
        case .drafts(let drafts): drafts.map { $0.suited(to: capabilities) }
        case .anyOf(let plans): plans.drafts(for: capabilities)
        }
    }

    /// Returns the identity that signs this request; `nil` if no rule matches. The request is then sent
    /// unsigned.
    func identity(asking draft: DeviceRequestDraft) -> ReaderIdentity? {
        let docTypes = Set(draft.documents.map(\.docType))
        return identities.identity(in: .init(wallet: wallet, brand: brand, docTypes: docTypes))
    }
}

/// A second request to the same phone in the same session, which is sent only if the first answer calls for
/// a second request.
package struct FurtherQuestion: Sendable {
    package let question: PresentationQuestion
    /// Returns whether an answer to the first request calls for the second request.
    package let isDue: @Sendable (VerifiedResponse) -> Bool

    package init(_ question: PresentationQuestion, isDue: @escaping @Sendable (VerifiedResponse) -> Bool) {
        self.question = question
        self.isDue = isDue
    }
}
