internal import COpenSSL

/// `count` bytes of OpenSSL's generator, for public values such as identifiers and serial numbers.
package func randomBytes(_ count: Int) throws(OpenSSLCryptoError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard unsafe RAND_bytes_ex(nil, &bytes, count, 0) == 1 else { throw cleared(.openSSLFailed) }
    return bytes
}
