internal import COpenSSL

/// SHA-1 for key identifiers (RFC 5280, 4.2.1.2, method 1): a label, not a protection.
package func sha1ForKeyIdentifier(_ bytes: ArraySlice<UInt8>) throws(OpenSSLCryptoError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 20)
    let done = unsafe bytes.withUnsafeBytes {
        unsafe EVP_Q_digest(nil, "SHA1", nil, $0.baseAddress, $0.count, &digest, nil) == 1
    }
    guard done else { throw cleared(.openSSLFailed) }
    return digest
}
