internal import PresentationService
internal import ErrorMapping
internal import HTTPServing
internal import Hummingbird
internal import JSON
internal import MdocModel
internal import WalletPresentation

/// The routes for a shop's own server, which requests presentations through the shop's app or web page. If
/// the configuration has no settings for such requests, each route answers `onlineNotSetUp`.
struct OnlineRoutes {
    /// The maximum number of bytes of a body with an encrypted response: 1.5 MiB.
    private static let longestAnswer = 3 << 19

    let verifier: OnlineVerifier?

    var all: [APIRoute] {
        [
            APIRoute(.post, "/v1/wallet/requests", for: .scopes([.online])) { call in
                let (session, members) = try await asking(call, AppOrder.members)
                return .json(
                    try await required.ask(AppOrder(members), for: session), status: .created)
            },
            APIRoute(.post, "/v1/wallet/presentations", for: .scopes([.online])) { call in
                let (session, nonce, envelope) = try await Self.appAnswer(call)
                return .json(try await required.judge(envelope, to: nonce, by: session))
            },
            APIRoute(.post, "/v1/web/requests", for: .scopes([.online])) { call in
                let (session, members) = try await asking(call, WebOrder.members)
                return .json(
                    try await required.ask(WebOrder(members), for: session), status: .created)
            },
            APIRoute(.post, "/v1/web/presentations", for: .scopes([.online])) { call in
                let (session, info, origin, response) = try await Self.webAnswer(call)
                return .json(try await required.judge(response, to: info, on: origin, by: session))
            },
        ]
    }

    /// The verifier of the responses that apps and web pages receive.
    ///
    /// - Throws: `onlineNotSetUp` if nothing is configured.
    private var required: OnlineVerifier {
        get throws(APIProblem) {
            guard let verifier else { throw .onlineNotSetUp }
            return verifier
        }
    }

    /// Reads the session and the members of an order.
    private func asking(
        _ call: APICall, _ members: Set<String>
    ) async throws -> (SessionBinding, JSONTextMembers) {
        let body = try await call.body()
        let read = try mapping(body.members(members.union(["session"])), APIProblem.init(body:))
        return (try mapping(Self.session(read), APIProblem.init(body:)), read)
    }

    private static func session(_ members: JSONTextMembers) throws(JSONFault) -> SessionBinding {
        SessionBinding(session: try members.required("session").string(upTo: 256).utf8)
    }

    /// Reads the session, the nonce and the encrypted response of an app.
    private static func appAnswer(
        _ call: APICall
    ) async throws -> (SessionBinding, PresentationNonce, WalletEnvelope) {
        let body = try await call.body(upTo: longestAnswer)
        let members = try mapping(body.members(["session", "nonce", "envelope"]), APIProblem.init(body:))
        let (session, nonce, envelope) = try mapping(
            (
                Self.session(members), Base64URL.decode(members.required("nonce").string(upTo: 128).utf8),
                Base64URL.decode(members.required("envelope").string(upTo: longestAnswer).utf8)
            ), APIProblem.init(body:))
        // A text that is not base64url was never issued as a nonce.
        guard let nonce else { throw APIProblem(NonceRefusal.unknown) }
        do throws(WalletPresentationError) {
            guard let envelope else { throw .notBase64URL(.envelope) }
            return (session, try PresentationNonce(nonce), try WalletEnvelope(envelope[...]))
        } catch {
            throw APIProblem(error)
        }
    }

    /// Reads the session, the origin, the encryption information and the encrypted response of a web page.
    private static func webAnswer(
        _ call: APICall
    ) async throws -> (SessionBinding, EncryptionInfo, String, EncryptedResponse) {
        let body = try await call.body(upTo: longestAnswer)
        let members = try mapping(
            body.members(["session", "origin", "encryptionInfo", "response"]), APIProblem.init(body:))
        let (session, origin, info, response) = try mapping(
            (
                Self.session(members), members.required("origin").string(upTo: 300),
                members.required("encryptionInfo").string(upTo: EncryptionInfo.maximumSize),
                members.required("response").string(upTo: longestAnswer)
            ), APIProblem.init(body:))
        return try mapping((session, EncryptionInfo(info), origin, EncryptedResponse(response.utf8))) {
            (error: WalletPresentationError) in APIProblem(error)
        }
    }
}
