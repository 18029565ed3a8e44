internal import Logging
internal import OpenSSLCrypto
internal import ReaderAPI
internal import ReaderIdentityStore

extension DaemonConfiguration.Webhooks {
    /// The fewest bytes of a secret.
    private static let shortestSecret = 16

    /// What sends webhooks; their secret is in a file that is its owner's alone.
    func queue(_ metrics: CounterMetrics, _ log: Logger) throws(IdentityStoreError) -> WebhookQueue {
        let secret = try PrivateFile.withSecret(secretFile) {
            bytes throws(IdentityStoreError) -> SecretBytes in
            guard bytes.count >= Self.shortestSecret else { throw .notAFile(path: secretFile) }
            return SecretBytes(copying: bytes)
        }
        return WebhookQueue(
            to: origins.compactMap(WebhookOrigin.init), secret: secret, metrics: metrics, log: log)
    }
}
