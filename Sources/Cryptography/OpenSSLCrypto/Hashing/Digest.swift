internal import COpenSSL

/// The SHA-2 digest of a message (FIPS 180-4), stored without allocation.
package struct Digest: Sendable {
    private var storage = InlineArray<64, UInt8>(repeating: 0)
    /// The size of the digest in bytes.
    package let count: Int

    /// Hashes `bytes`. Traps if OpenSSL has no SHA-2 or no memory, because nothing can be verified without
    /// digests.
    package init(_ algorithm: HashAlgorithm, of bytes: ArraySlice<UInt8>) {
        unsafe self.init(algorithm) { context in unsafe Self.update(context, with: bytes) }
    }

    /// Hashes the concatenation of `parts`.
    package init(_ algorithm: HashAlgorithm, ofParts parts: [ArraySlice<UInt8>]) {
        unsafe self.init(algorithm) { context in parts.allSatisfy { unsafe Self.update(context, with: $0) } }
    }

    /// Hashes the bytes that `feed` passes to OpenSSL's context.
    private init(_ algorithm: HashAlgorithm, _ feed: (OpaquePointer?) -> Bool) {
        count = algorithm.digestSize
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        let begun = unsafe EVP_DigestInit_ex2(context, algorithm.implementation, nil) == 1
        let done = unsafe begun && feed(context)
        var span = storage.mutableSpan
        let written = unsafe span.withUnsafeMutableBufferPointer { target in
            unsafe done && EVP_DigestFinal_ex(context, target.baseAddress, nil) == 1
        }
        precondition(written, "OpenSSL cannot compute SHA-2")
    }

    private static func update(_ context: OpaquePointer?, with bytes: ArraySlice<UInt8>) -> Bool {
        unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) == 1 }
    }

    /// The digest as an array.
    package var bytes: [UInt8] {
        unsafe withUnsafeBytes { unsafe [UInt8]($0) }
    }

    /// Compares the digest in a time that does not depend on its contents. Returns `false` for another
    /// length.
    package func equals(_ other: ArraySlice<UInt8>) -> Bool {
        unsafe withUnsafeBytes { own in
            unsafe other.withUnsafeBytes { unsafe constantTimeEquals(own, $0) }
        }
    }

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        let span = storage.span
        return unsafe span.withUnsafeBytes { unsafe body(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
    }
}

/// Returns the SHA-1 of `bytes` for a key identifier (RFC 5280 4.2.1.2, method 1). No security depends on
/// this digest, because the identifier only helps to find a key.
package func sha1ForKeyIdentifier(_ bytes: ArraySlice<UInt8>) throws(OpenSSLCryptoError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 20)
    let done = unsafe bytes.withUnsafeBytes {
        unsafe EVP_Q_digest(nil, "SHA1", nil, $0.baseAddress, $0.count, &digest, nil) == 1
    }
    guard done else { throw cleared(.openSSLFailed) }
    return digest
}
