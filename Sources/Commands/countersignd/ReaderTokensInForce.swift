internal import Logging
internal import ReaderIdentityStore
internal import ReaderReports
internal import ReaderTokens

/// The token server by what the file says, and how it goes on by another file.
struct ReaderTokensInForce: Sendable {
    let server = TokenServer(audience: ReaderToken.defaultAudience)
    private let log: Logger

    /// Why a key does not sign.
    struct KeyFault: Error, CustomStringConvertible {
        let description: String
    }

    init(_ issuing: DaemonConfiguration.TokenIssuing, _ log: Logger) async throws(KeyFault) {
        self.log = log
        await server.replace(grants: issuing.grants, signers: try issuing.signers())
    }

    /// Keys that cannot be read change nothing.
    func become(_ issuing: DaemonConfiguration.TokenIssuing) async {
        do throws(KeyFault) {
            await server.replace(grants: issuing.grants, signers: try issuing.signers())
        } catch {
            log.error("reader tokens are made as before", metadata: ["why": "\(error)"])
        }
    }
}

extension DaemonConfiguration.TokenIssuing {
    fileprivate func signers() throws(ReaderTokensInForce.KeyFault) -> [ReaderTokenSigner] {
        var signers: [ReaderTokenSigner] = []
        for key in keys { signers.append(try key.signer()) }
        return signers
    }
}

extension DaemonConfiguration.TokenIssuing.Key {
    /// The private key, from a file that is its owner's alone.
    fileprivate func signer() throws(ReaderTokensInForce.KeyFault) -> ReaderTokenSigner {
        let result: Result<ReaderTokenSigner, ReaderTokensError>
        do throws(IdentityStoreError) {
            result = try PrivateFile.withSecret(file) { pem throws(IdentityStoreError) in
                Result { () throws(ReaderTokensError) in
                    try ReaderTokenSigner(pem: pem, identifier, of: brand)
                }
            }
        } catch {
            throw .init(description: error.explanation)
        }
        do throws(ReaderTokensError) {
            return try result.get()
        } catch {
            throw .init(description: "\(Terminal.safe(file)): \(error.explanation)")
        }
    }
}
