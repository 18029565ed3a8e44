internal import ErrorMapping
internal import Fleet
internal import JSON
internal import Logging
internal import ReaderTokens

/// The token server with the configuration in force. A reload can replace the configuration.
struct ReaderTokensInForce: Sendable {
    let server = TokenServer(audience: ReaderToken.defaultAudience, counting: TokenCountInMemory())
    private let hub: KioskTokens?
    private let log: Logger

    /// - Parameter hub: the client that requests tokens from the hub. Nil if this computer belongs to no
    ///   fleet.
    init(
        _ issuing: DaemonConfiguration.TokenIssuing, from hub: KioskTokens?, _ log: Logger
    ) async throws(AssemblyFault) {
        self.hub = hub
        self.log = log
        await server.replace(grants: issuing.grants, from: try source(of: issuing))
    }

    /// Applies another configuration. If a key cannot be read, nothing changes.
    func apply(_ issuing: DaemonConfiguration.TokenIssuing) async {
        do throws(AssemblyFault) {
            await server.replace(grants: issuing.grants, from: try source(of: issuing))
        } catch {
            log.error(
                "the new keys of readerTokens cannot be used: reader tokens are made as before",
                metadata: ["why": "\(error)"])
        }
    }

    /// Returns the source of tokens: the hub, or the keys of the configuration.
    private func source(
        of issuing: DaemonConfiguration.TokenIssuing
    ) throws(AssemblyFault) -> TokenSource {
        // A member `fleet` that was added to the file after the start takes effect only at the next start, so
        // there is no `hub` yet. The list of keys is then empty, and no token is made.
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
    /// Converts the hub's error. A caller without a grant and a caller with too many requests get the hub's
    /// reason. Every other error is reported as an unavailable hub.
    init(_ error: HubError) {
        switch error {
        case .refused(403, "readerTokenNotGranted", _): self = .notAllowed
        case .tooMany(let seconds): self = .tooMany(retryAfter: seconds)
        case .refused(_, let id, _):
            self = .brandUnavailable(
                .hubUnavailable(
                    "the hub, which makes this kiosk's reader tokens, refused the request (\(Terminal.safe(id))): see the hub's log"
                ))
        case .unreachable, .malformed, .file:
            self = .brandUnavailable(
                .hubUnavailable(
                    "the hub, which makes this kiosk's reader tokens, does not answer: try again later"))
        }
    }
}

extension DaemonConfiguration.TokenIssuing {
    /// Reads the keys from their files.
    func signers() throws(AssemblyFault) -> [ReaderTokenSigner] {
        try mapping(keys.map { key throws(TokenKeyFileError) in try key.signer() }) {
            (error: TokenKeyFileError) in AssemblyFault("readerTokens.keys", error.explanation)
        }
    }
}
