internal import ErrorMapping
internal import Fleet
internal import JSON
internal import Logging
internal import ReaderTokens

/// The token server as the file configures it; another file can replace the configuration.
struct ReaderTokensInForce: Sendable {
    let server = TokenServer(audience: ReaderToken.defaultAudience, counting: TokenCountInMemory())
    private let hub: KioskTokens?
    private let log: Logger

    /// - Parameter hub: what asks the hub for tokens; nil if this computer belongs to no fleet.
    init(
        _ issuing: DaemonConfiguration.TokenIssuing, from hub: KioskTokens?, _ log: Logger
    ) async throws(AssemblyFault) {
        self.hub = hub
        self.log = log
        await server.replace(grants: issuing.grants, from: try source(of: issuing))
    }

    /// Keys that cannot be read change nothing.
    func apply(_ issuing: DaemonConfiguration.TokenIssuing) async {
        do throws(AssemblyFault) {
            await server.replace(grants: issuing.grants, from: try source(of: issuing))
        } catch {
            log.error("reader tokens are made as before", metadata: ["why": "\(error)"])
        }
    }

    private func source(
        of issuing: DaemonConfiguration.TokenIssuing
    ) throws(AssemblyFault) -> TokenSource {
        guard issuing.isFromHub, let hub else { return .keys(try issuing.signers()) }
        return .hub { request throws(TokenRefusal) in
            do throws(HubError) {
                return try await hub.token(brand: request.brand.text, instance: request.instance.text.text)
            } catch {
                throw TokenRefusal(error)
            }
        }
    }
}

extension TokenRefusal {
    /// What the hub says of a token: only that it refuses this one, or too many of them, is passed on as it is.
    init(_ error: HubError) {
        switch error {
        case .refused(403, "readerTokenNotGranted", _): self = .notAllowed
        case .tooMany(let seconds): self = .tooMany(retryAfter: seconds)
        case .refused(_, let id, _):
            self = .brandUnavailable(
                .hubUnavailable(
                    "the hub makes this kiosk's reader tokens, and refuses (\(Terminal.safe(id))): see the hub's log"
                ))
        case .unreachable, .malformed, .file:
            self = .brandUnavailable(
                .hubUnavailable(
                    "the hub makes this kiosk's reader tokens, and does not answer: try again later"))
        }
    }
}

extension DaemonConfiguration.TokenIssuing {
    /// Reads the keys.
    func signers() throws(AssemblyFault) -> [ReaderTokenSigner] {
        try mapping(keys.map { key throws(TokenKeyFileError) in try key.signer() }) {
            (error: TokenKeyFileError) in AssemblyFault("readerTokens.keys", error.explanation)
        }
    }
}
