internal import JSON
internal import Logging
internal import OpenSSLCrypto
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

    /// What signs with the private key, from a file that is its owner's alone.
    fileprivate func signer() throws(AssemblyFault) -> ReaderTokenSigner {
        let key: PrivateKey
        do throws(IdentityStoreError) {
            key = try PrivateFile.key(file)
        } catch {
            throw AssemblyFault(Self.member, file: file, error)
        }
        do throws(ReaderTokensError) {
            return try ReaderTokenSigner(key, identifier, of: brand)
        } catch {
            throw AssemblyFault(Self.member, "\(Terminal.safe(file)): \(error.explanation)")
        }
    }
}
