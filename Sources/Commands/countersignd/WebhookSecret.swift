internal import JSON
internal import OpenSSLCrypto
internal import ReaderIdentityStore

extension DaemonConfiguration.Webhooks {
    private static let member = "webhooks.secretFile"
    /// The fewest bytes of a secret.
    private static let shortestSecret = 16

    /// What signs webhooks, from a file that is its owner's alone.
    func secret() throws(AssemblyFault) -> SecretBytes {
        let secret: SecretBytes?
        do throws(IdentityStoreError) {
            secret = try PrivateFile.withSecret(secretFile) { bytes throws(IdentityStoreError) in
                bytes.count < Self.shortestSecret ? nil : SecretBytes(copying: bytes)
            }
        } catch {
            throw AssemblyFault(Self.member, file: secretFile, error)
        }
        guard let secret else {
            throw AssemblyFault(
                Self.member,
                "\(Terminal.safe(secretFile)) has fewer than \(Self.shortestSecret) bytes: write a longer secret"
            )
        }
        return secret
    }
}
