internal import JSON
internal import Logging
internal import ReaderIdentityStore
internal import ReaderTokens

/// The token server as the file configures it; another file can replace the configuration.
struct ReaderTokensInForce: Sendable {
    let server = TokenServer(audience: ReaderToken.defaultAudience)
    private let log: Logger

    init(_ issuing: DaemonConfiguration.TokenIssuing, _ log: Logger) async throws(AssemblyFault) {
        self.log = log
        await server.replace(grants: issuing.grants, signers: try issuing.signers())
    }

    /// Keys that cannot be read change nothing.
    func apply(_ issuing: DaemonConfiguration.TokenIssuing) async {
        do throws(AssemblyFault) {
            await server.replace(grants: issuing.grants, signers: try issuing.signers())
        } catch {
            log.error("reader tokens are made as before", metadata: ["why": "\(error)"])
        }
    }
}

extension DaemonConfiguration.TokenIssuing {
    /// Reads the keys.
    func signers() throws(AssemblyFault) -> [ReaderTokenSigner] {
        var signers: [ReaderTokenSigner] = []
        for key in keys { signers.append(try key.signer()) }
        return signers
    }
}

extension DaemonConfiguration.TokenIssuing.Key {
    private static let member = "readerTokens.keys"

    /// The private key, from a file that is its owner's alone.
    fileprivate func signer() throws(AssemblyFault) -> ReaderTokenSigner {
        let result: Result<ReaderTokenSigner, ReaderTokensError>
        do throws(IdentityStoreError) {
            result = try PrivateFile.withSecret(file) { pem throws(IdentityStoreError) in
                Result { () throws(ReaderTokensError) in
                    try ReaderTokenSigner(pem: pem, identifier, of: brand)
                }
            }
        } catch {
            throw AssemblyFault(Self.member, file: file, error)
        }
        do throws(ReaderTokensError) {
            return try result.get()
        } catch {
            throw AssemblyFault(Self.member, "\(Terminal.safe(file)): \(error.explanation)")
        }
    }
}
