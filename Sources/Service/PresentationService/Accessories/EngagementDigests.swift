internal import OpenSSLCrypto

/// The digest of a code with which a phone is engaged. It tells codes apart and reveals nothing of them.
struct EngagementDigest: Hashable, Sendable {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// The function that makes the digests of codes: HMAC-SHA-256 with a random key, which this run of the daemon
/// makes and never stores.
final class EngagementDigests: Sendable {
    private static let keySize = 32

    private let key: SecretBytes

    init() throws(OpenSSLCryptoError) {
        key = try SecretBytes.random(Self.keySize)
    }

    /// Returns the digest of a code.
    ///
    /// - Throws: `failed` if OpenSSL fails.
    func digest(of bytes: ArraySlice<UInt8>) throws(PresentationServiceError) -> EngagementDigest {
        do throws(OpenSSLCryptoError) {
            return EngagementDigest(try hmacSHA256(key: key, over: [bytes]))
        } catch {
            throw .failed
        }
    }
}
