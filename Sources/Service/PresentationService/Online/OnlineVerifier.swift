package import JSON
package import Logging
internal import MdocModel
internal import MdocVerification
internal import OpenSSLCrypto
package import PortraitDecoding
package import ReaderService
package import ReaderStore
internal import Reports
internal import RequestPlanner
internal import Synchronization
package import WalletPresentation
internal import ErrorMapping

/// The verifier for presentations through a shop's app or web page. It makes requests with a new nonce, and
/// judges the responses.
///
/// `ask` returns the request that the shop's app or page passes to the wallet. `judge` verifies the response
/// that comes back. HTTP routes call both functions with the `SessionBinding` of the shop's session; a nonce
/// is valid only for that session and only once.
///
/// `judge` works in steps and yields before each: the nonce is spent, and the response is opened, verified
/// and reported. If several responses arrive together, all take one step before any takes the next, so that
/// the code and tables of a step stay in the processor's caches. With eight responses at a time this saves a
/// quarter of the processor time.
///
/// A response is judged with the trust, the policy and the time at which it arrives. The trust and policy at
/// the time of the request do not matter. Nothing is kept but the nonce with its order: the verdict is
/// returned to the caller and forgotten.
package final class OnlineVerifier: Sendable {
    private let settings: Mutex<OnlineSettings>
    private let nonces: any NonceStore
    /// The source of the trust and the policies with which responses are judged.
    private let basis: any JudgingBasisSource
    private let portraits: PortraitDecoder
    /// The clock for nonces and verification.
    private let clock: WallClock
    private let log: Logger
    private let appOrders = LastOrder<AppOrder>()
    private let webOrders = LastOrder<WebOrder>()

    package init(
        _ settings: OnlineSettings, nonces: any NonceStore, basis: any JudgingBasisSource,
        portraits: PortraitDecoder, clock: WallClock, log: Logger
    ) {
        self.settings = Mutex(settings)
        self.nonces = nonces
        self.basis = basis
        self.portraits = portraits
        self.clock = clock
        self.log = log
    }

    /// Replaces the settings for new requests. The response to an earlier request can still be opened if the
    /// new settings contain the key and the merchant or origin of that request.
    package func replace(with settings: OnlineSettings) {
        self.settings.withLock { $0 = settings }
    }

    private var current: OnlineSettings { settings.withLock { $0 } }

    /// The current time.
    ///
    /// - Throws: `clockNotSet` if the clock shows a time before `WallClock.earliest`.
    private func now() throws(PresentationServiceError) -> Timestamp {
        let now = clock.now
        guard now >= WallClock.earliest else { throw .clockNotSet }
        return now
    }

    // MARK: Apps

    /// Makes a request for an app.
    ///
    /// - Returns: the members that the app passes to PassKit.
    package func ask(_ order: AppOrder, for session: SessionBinding) async throws(PresentationServiceError)
        -> JSONValue
    {
        let merchant = try current.merchant(named: order.merchant)
        // Without trust the response could not be judged. Such an order is refused before a request is
        // made.
        _ = try await basis.basis()
        let issued = try await issue(to: session, for: .app, order.kept(for: merchant.name))
        return [
            "nonce": .string(Base64URL.encode(issued.nonce.bytes)), "expires": .string("\(issued.expires)"),
            "merchantIdentifier": .string(merchant.identity.merchantIdentifier),
            "teamIdentifier": .string(merchant.identity.teamIdentifier), "descriptor": order.descriptor.json,
        ]
    }

    /// Judges the response that an app received.
    ///
    /// - Parameters:
    ///   - envelope: the encrypted response.
    ///   - nonce: the nonce of the request, which is spent even if the response is refused.
    /// - Returns: the report as JSON, with a portrait's bytes.
    package func judge(
        _ envelope: WalletEnvelope, to nonce: PresentationNonce, by session: SessionBinding
    ) async throws(PresentationServiceError) -> JSONValue {
        let now = try now()
        let basis = try await basis.basis()
        // The nonce is spent before the response is opened, so that a refused response cannot be tried again.
        let spent = try await spend(nonce, by: session, over: .app, at: now)
        let order = try appOrders.order(kept: spent.asked)
        let settings = current
        let merchant = try settings.merchant(named: order.merchant)
        // Used only for the error, which can then say that the response is for another configured merchant.
        let others = settings.merchants.map(\.identity).filter { $0 != merchant.identity }
        // Yields, so that all waiting responses take this step before any of them takes the next step. The
        // step's code and tables then stay in the processor's caches: 0.28 ms for a response instead of 0.38.
        await Task.yield()
        let opened: OpenedPresentation
        do throws(WalletPresentationError) {
            opened = try envelope.open(
                with: merchant.keys, as: merchant.identity, answering: spent.spentNonce(), others: others)
        } catch {
            throw .answerRefused(error)
        }
        return try await verdict(
            opened, asked: [order.descriptor.itemsRequest],
            order.expectation(on: WallClock.localDay(at: now)),
            by: basis.judging([order.purpose]), at: now)
    }

    // MARK: Pages

    /// Makes a request for a web page.
    ///
    /// - Returns: the members that the page passes to the Digital Credentials API.
    package func ask(_ order: WebOrder, for session: SessionBinding) async throws(PresentationServiceError)
        -> JSONValue
    {
        let (origin, web) = try current.origin(order.origin)
        guard let key = web.keys.first else { throw .onlineNotSetUp }
        let draft = try order.draft
        // Throws if nothing is trusted yet: the response could not be judged, so no request is made.
        _ = try await basis.basis()
        let signer = try await signer(of: draft, web, at: now())
        let issued = try await issue(to: session, for: .web, order.kept)
        let request: WebRequest
        do {
            request = try WebRequest(
                draft, encryptionInfo: EncryptionInfo(nonce: issued.nonce, for: key), origin: origin,
                signedBy: signer)
        } catch {
            throw .failed
        }
        return [
            "protocol": .string(WebRequest.protocolName),
            "data": [
                "deviceRequest": .string(request.deviceRequest),
                "encryptionInfo": .string(request.encryptionInfo.text),
            ], "expires": .string("\(issued.expires)"),
        ]
    }

    /// Judges the response that a web page received.
    ///
    /// - Parameters:
    ///   - info: the encryption information of the request, with its nonce and key.
    ///   - page: the origin of the page.
    /// - Returns: the report as JSON, with a portrait's bytes.
    package func judge(
        _ response: EncryptedResponse, to info: EncryptionInfo, on page: String, by session: SessionBinding
    ) async throws(PresentationServiceError) -> JSONValue {
        let now = try now()
        let basis = try await basis.basis()
        // The nonce is spent before the response is opened, so that a refused response cannot be tried again.
        let spent = try await spend(info.nonce, by: session, over: .web, at: now)
        let order = try webOrders.order(kept: spent.asked)
        let (origin, web) = try current.origin(order.origin)
        guard page == order.origin else { throw .answerRefused(.originOther) }
        // Yields, so that all waiting responses take this step before any of them takes the next step. The
        // step's code and tables then stay in the processor's caches: 0.28 ms for a response instead of 0.38.
        await Task.yield()
        let opened: OpenedPresentation
        do throws(WalletPresentationError) {
            guard let key = web.keys.first(where: { info.isFor($0) }) else { throw .recipientKeyUnknown }
            opened = try response.open(
                with: key, encryptionInfo: info, origin: origin, answering: spent.spentNonce(),
                others: web.origins.filter { $0 != origin })
        } catch {
            throw .answerRefused(error)
        }
        return try await verdict(
            opened, asked: order.draft.documents, order.plan.expectation(on: WallClock.localDay(at: now)),
            by: basis.judging([order.plan.intent.purpose]), at: now)
    }

    /// The identity that signs a web request, or `nil` for an unsigned request.
    private func signer(
        of draft: DeviceRequestDraft, _ web: OnlineSettings.Web, at now: Timestamp
    ) async throws(PresentationServiceError) -> ReaderIdentity? {
        if let name = web.identity { return try await basis.identity(named: name, at: now) }
        return try await basis.identities(at: now).identity(
            in: .init(docTypes: Set(draft.documents.map(\.docType))))
    }

    // MARK: Both

    /// Makes a random nonce, and stores it with the order and the session.
    private func issue(
        to session: SessionBinding, for channel: PresentationChannel, _ asked: [UInt8]
    ) async throws(PresentationServiceError) -> IssuedNonce {
        let now = try now()
        let nonce: PresentationNonce
        do {
            nonce = try PresentationNonce(randomBytes(PresentationNonce.issuedSize))
        } catch {
            throw .failed
        }
        do throws(NonceStoreError) {
            return try await nonces.issue(nonce, to: session, for: channel, asked: asked, at: now)
        } catch {
            throw .nonceRefused(error)
        }
    }

    /// Marks a nonce as used, and returns the order that was stored with it.
    private func spend(
        _ nonce: PresentationNonce, by session: SessionBinding, over channel: PresentationChannel,
        at now: Timestamp
    ) async throws(PresentationServiceError) -> SpentRequest {
        do throws(NonceStoreError) {
            return try await nonces.spend(nonce, by: session, over: channel, at: now)
        } catch {
            throw .nonceRefused(error)
        }
    }

    /// Verifies an opened response, and returns the report as JSON.
    private func verdict(
        _ opened: OpenedPresentation, asked: [ItemsRequest], _ expectation: AnswerExpectation,
        by basis: JudgingBasis, at now: Timestamp
    ) async -> JSONValue {
        let context = PresentationContext(
            comparison: .requested(asked), trust: basis.trust, now: now, day: WallClock.localDay(at: now),
            policy: basis.policy)
        // Yields before each step, so that all waiting responses take the same step before any takes the
        // next.
        await Task.yield()
        let verification = opened.verify(in: context)
        await Task.yield()
        var report = ChannelReport(verification, requestCompared: true, expecting: expectation)
        for case .failure(let error) in await report.response.decodePortraits(by: portraits) {
            log.notice("a portrait cannot be shown", metadata: ["reason": "\(error)"])
        }
        return report.json(portrait: .bytes)
    }
}

/// An order of an app or a web page, in the form in which the store keeps it beside the nonce of the request.
protocol KeptOrder: Sendable {
    static var members: Set<String> { get }
    init(_ members: JSONTextMembers) throws(PresentationServiceError)
}

extension AppOrder: KeptOrder {}
extension WebOrder: KeptOrder {}

/// A cache of the order that was parsed last, since a shop usually asks for the same elements again.
final class LastOrder<Order: KeptOrder>: Sendable {
    private let last = Mutex<(kept: [UInt8], order: Order)?>(nil)

    /// Parses a stored order. The last order is returned if it was parsed from the same text.
    func order(kept: [UInt8]) throws(PresentationServiceError) -> Order {
        if let last = last.withLock({ $0 }), last.kept == kept { return last.order }
        // This daemon wrote the JSON, so the caller is not to blame for a fault in it.
        let members = try mapping(JSONText(kept[...]).members(Order.members)) { (_: JSONFault) in
            PresentationServiceError.failed
        }
        let order = try Order(members)
        last.withLock { $0 = (kept, order) }
        return order
    }
}
