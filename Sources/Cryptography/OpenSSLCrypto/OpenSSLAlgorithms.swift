internal import COpenSSL

/// The algorithms that OpenSSL looks up by name. Each is looked up once, and is `nil` if the providers of
/// this machine lack it.
enum OpenSSLAlgorithms {
    // Fetched algorithms are immutable and reference-counted, so any thread may use them.
    nonisolated(unsafe) static let sha256 = unsafe EVP_MD_fetch(nil, "SHA256", nil)
    nonisolated(unsafe) static let sha384 = unsafe EVP_MD_fetch(nil, "SHA384", nil)
    nonisolated(unsafe) static let sha512 = unsafe EVP_MD_fetch(nil, "SHA512", nil)
    nonisolated(unsafe) static let aes128CBC = unsafe EVP_CIPHER_fetch(nil, "AES-128-CBC", nil)
    nonisolated(unsafe) static let aes128GCM = unsafe EVP_CIPHER_fetch(nil, "AES-128-GCM", nil)
    nonisolated(unsafe) static let aes256GCM = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
    nonisolated(unsafe) static let hkdf = unsafe EVP_KDF_fetch(nil, "HKDF", nil)
    nonisolated(unsafe) static let hmac = unsafe EVP_MAC_fetch(nil, "HMAC", nil)
}

/// Functions that build an entry of a parameter list. Names are `StaticString`, because OpenSSL keeps the
/// pointer.
extension OSSL_PARAM {
    static var end: OSSL_PARAM { unsafe OSSL_PARAM_construct_end() }

    static func text(_ name: StaticString, _ value: StaticString) -> OSSL_PARAM {
        // The type has mutable pointers because parameters are used for results too. OpenSSL only reads this
        // parameter.
        unsafe OSSL_PARAM_construct_utf8_string(
            name.cString, UnsafeMutablePointer(mutating: value.cString), 0)
    }

    /// Returns an entry with bytes, which must outlive the call that receives the list.
    static func octets(_ name: StaticString, _ bytes: UnsafeRawBufferPointer) -> OSSL_PARAM {
        unsafe OSSL_PARAM_construct_octet_string(
            name.cString, UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    }

    /// Returns an entry with an unsigned number in the machine's byte order, which is little-endian on all
    /// supported machines.
    static func number(_ name: StaticString, littleEndian bytes: UnsafeMutableRawBufferPointer) -> OSSL_PARAM
    {
        unsafe OSSL_PARAM_construct_BN(
            name.cString, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }
}

extension StaticString {
    /// The text as a C string, valid for the lifetime of the program.
    var cString: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
