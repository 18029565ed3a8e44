internal import ErrorMapping
internal import Foundation
internal import MdocModel
internal import MdocTrust
internal import MdocVerification
internal import PKIX
internal import ReaderIdentityStore
internal import ReaderService
internal import ReaderStore
internal import ReaderTokens
internal import RequestPlanner

/// The parts of a reader that this computer's setup supplies: clock, trusted issuers, policies, identities
/// and token verifier. Trusted issuers, identities and brands are read for each request, so that a change
/// applies without a restart.
struct ReaderInstallation: Sendable {
    let setup: MobileDocumentReader.Setup
    let clock: WallClock
    var deadlines = PresentationDeadlines()

    init(_ setup: MobileDocumentReader.Setup, clock: WallClock) {
        self.setup = setup
        self.clock = clock
        deadlines.engagement = setup.timeout
    }

    /// Returns the time, or throws `clockNotSet` if the clock is before the earliest possible time.
    func now() throws(MobileDocumentReaderError) -> Timestamp {
        let now = clock.now
        guard now >= WallClock.earliest else { throw .serviceUnavailable(.clockNotSet) }
        return now
    }

    /// Returns the policy for verifying the answer to any of the plans.
    ///
    /// - Parameter choice: A revocation policy that replaces the setup's policies. It must be at least as
    ///   strict as the setup's policies.
    func policy(
        for choices: [RequestPlan], choosing choice: MobileDocumentReader.Setup.Revocation?
    ) throws(MobileDocumentReaderError) -> VerificationPolicy {
        var purposes = PurposePolicies()
        // A purpose without a policy in the setup gets the policy that refuses unknown revocation states.
        purposes[.age] = (setup.revocation[.age] ?? .rental).policy
        purposes[.elements] = (setup.revocation[.elements] ?? .rental).policy
        guard
            let revocation = purposes.policy(
                for: choices.map(\.intent.purpose), choosing: [setup.policy?.policy, choice?.policy])
        else { throw .notAllowed(.policyAcceptsMore) }
        var policy = VerificationPolicy(revocation: revocation)
        policy.acceptsTestDocuments = setup.acceptsTestDocuments
        return policy
    }

    /// Returns the trusted issuers: the setup's roots, or the current trust in the store.
    func trust() throws(MobileDocumentReaderError) -> TrustStore {
        switch setup.trust {
        case .roots(let roots): return TrustStore(anchors: try Self.anchors(in: roots))
        case .store:
            let store = try mapping(
                ReaderStore(at: setup.storeFolder, for: .reading), MobileDocumentReaderError.init(store:))
            return TrustStore(
                try mapping(store.currentTrust().snapshot, MobileDocumentReaderError.init(store:)))
        }
    }

    /// Reads the roots of the setup. Throws if one of them is unusable, or if there is none.
    private static func anchors(in roots: [Data]) throws(MobileDocumentReaderError) -> [TrustAnchor] {
        var anchors: [TrustAnchor] = []
        for root in roots {
            guard let certificates = try? certificates(fromPEMOrDER: [UInt8](root)[...]) else {
                throw .serviceUnavailable(.rootsUnusable(id: "root.malformed"))
            }
            for certificate in certificates {
                guard let anchor = try? TrustAnchor(certificate) else {
                    throw .serviceUnavailable(.rootsUnusable(id: "root.refused"))
                }
                anchors.append(anchor)
            }
        }
        // This id is also used for a store without trusted issuers.
        guard !anchors.isEmpty else { throw .serviceUnavailable(.storeUnavailable(id: "store.empty")) }
        return anchors
    }

    /// Returns the identities that may sign the request. The brand's identity comes first, then the setup's
    /// identity. Without either, the rules in the identity folder choose the identities.
    func identities(
        for reader: PreparedReader?, at now: Timestamp
    ) throws(MobileDocumentReaderError) -> ReaderIdentityChoice {
        let ofBrand = try Self.identity(of: reader, at: now)
        let folder = IdentityFolder(store: setup.storeFolder)
        do throws(IdentityStoreError) {
            guard let name = ofBrand ?? setup.identity else {
                return try ReaderIdentities(in: folder, at: now).choice
            }
            let identity = try ReaderIdentities.identity(named: name, in: folder, at: now)
            return ReaderIdentityChoice([.init(identity: identity)])
        } catch {
            throw .serviceUnavailable(.identityUnavailable(id: error.id))
        }
    }

    /// Returns the name of the identity that signs the requests of the token's brand. `nil` without a token,
    /// or if no identity is configured for the brand. Throws `sessionExpired` if 48 hours have passed since
    /// the token's first use.
    private static func identity(
        of reader: PreparedReader?, at now: Timestamp
    ) throws(MobileDocumentReaderError) -> String? {
        try mapping(reader?.identity(at: now)?.text, MobileDocumentReaderError.init(token:))
    }

    // MARK: Tokens

    /// Opens the store for changes, because the reader's identifier and the time of each token's first use
    /// are written to the store. Creates the store if it does not exist.
    private func store() throws(MobileDocumentReaderError) -> ReaderStore {
        try mapping(
            ReaderStore(at: setup.storeFolder, for: .changing), MobileDocumentReaderError.init(store:))
    }

    func instance() throws(MobileDocumentReaderError) -> ReaderInstance {
        try Self.instance(of: store())
    }

    private static func instance(of store: ReaderStore) throws(MobileDocumentReaderError) -> ReaderInstance {
        try mapping(store.readerInstance(), MobileDocumentReaderError.init(store:))
    }

    /// Verifies the token with the store's brand registry and returns the prepared reader, or `nil` without a
    /// token.
    func prepared(
        by token: MobileDocumentReader.Token?, at now: Timestamp
    ) async throws(MobileDocumentReaderError) -> PreparedReader? {
        guard let token else { return nil }
        // No token can contain an audience that is not a `TokenText`.
        guard let audience = TokenText(setup.tokenAudience) else {
            throw .invalidToken(.tokenRefused(id: "token.audience"))
        }
        let registry = try mapping(BrandFolder(store: setup.storeFolder).registry()) {
            (_: BrandRegistryError) in MobileDocumentReaderError.serviceUnavailable(.brandsUnavailable)
        }
        let store = try store()
        // The store records when each token was first used, so that a restart does not extend the time for
        // which the token can be used.
        let verifier = ReaderTokenVerifier(
            registry: registry, instance: try Self.instance(of: store), audience: audience, firstUses: store)
        do throws(ReaderTokensError) {
            return try await verifier.prepare(token.tokenString, at: now)
        } catch {
            throw MobileDocumentReaderError(token: error)
        }
    }
}

extension MobileDocumentReaderError {
    /// Converts an error of the token's verification.
    fileprivate init(token error: ReaderTokensError) {
        let reason = Reason.tokenRefused(id: error.id)
        self =
            switch error {
            case .sessionExpired: .sessionExpired(reason)
            // The time of the token's first use must be written to the store, but another process is changing
            // the store.
            case .firstUseUnknown(.busy): .systemBusy(reason)
            case .firstUseUnknown: .serviceUnavailable(reason)
            default: .invalidToken(reason)
            }
    }

    /// Converts an error of the store.
    fileprivate init(store error: ReaderStoreError) {
        let reason = Reason.storeUnavailable(id: error.id)
        self =
            switch error {
            case .busy, .changedMeanwhile: .systemBusy(reason)
            case .notPermitted: .notAllowed(reason)
            case .failed: .unknown(reason)
            default: .serviceUnavailable(reason)
            }
    }
}
