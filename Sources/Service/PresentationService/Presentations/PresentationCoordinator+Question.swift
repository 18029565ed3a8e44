internal import MdocModel
internal import MdocTrust
internal import MdocVerification
internal import ReaderService
internal import Reports
internal import RequestPlanner

/// How an order becomes what a phone is asked, and in whose name.
extension PresentationCoordinator {
    func brand(for order: PresentationOrder) async throws(PresentationServiceError) -> PreparedBrand? {
        guard let token = order.readerToken else {
            guard !order.asksForData else { throw .readerTokenRequired }
            return nil
        }
        guard let brands else {
            throw .readerTokenWithoutBrands
        }
        return try await brands.prepare(token)
    }

    /// Who signs. A brand's identity signs for whom its tokens prepare, and for nobody else.
    func identityName(
        for order: PresentationOrder, _ brand: PreparedBrand?
    ) throws(PresentationServiceError) -> String? {
        guard let name = order.identity else { return brand?.identity }
        guard brand == nil else {
            throw .identityBesideToken
        }
        guard try brands?.own(identity: name) != true else {
            throw .identityOfBrand
        }
        return name
    }

    func question(
        _ plan: RequestPlan, _ order: PresentationOrder, _ brand: PreparedBrand?, _ signer: String?,
        at now: Timestamp
    ) async throws(PresentationServiceError) -> PresentationQuestion {
        PresentationQuestion(
            .planned(plan), identities: try await identities(named: signer, at: now), wallet: order.wallet,
            brand: brand?.identifier)
    }

    private func identities(
        named name: String?, at now: Timestamp
    ) async throws(PresentationServiceError) -> ReaderIdentityChoice {
        guard let name else { return try await basis.identities(at: now) }
        return ReaderIdentityChoice([.init(identity: try await basis.identity(named: name, at: now))])
    }

    /// What is asked next: only where the first answer may be used and each of its questions has a yes.
    func further(
        _ first: RequestPlan, question: PresentationQuestion
    ) -> FurtherQuestion {
        let clock = clock
        return FurtherQuestion(question) { response in
            first.isAnsweredYes(by: response, on: WallClock.localDay(at: clock.now))
        }
    }

    func presentationPlan(
        _ question: PresentationQuestion, _ basis: JudgingBasis, _ settings: LaneSettings
    ) -> PresentationPlan {
        PresentationPlan(
            question: question, trust: basis.trust, policy: basis.policy, deadlines: settings.deadlines,
            retrieval: settings.retrieval, requestVersion: settings.requestVersion, clock: clock)
    }
}
