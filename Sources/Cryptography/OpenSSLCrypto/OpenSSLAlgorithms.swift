internal import COpenSSL

/// What OpenSSL looks up by name, looked up once; nil when the providers of this machine lack it.
enum OpenSSLAlgorithms {
    // Fetched algorithms are immutable and counted by reference: any thread may use them.
    nonisolated(unsafe) static let sha256 = unsafe EVP_MD_fetch(nil, "SHA256", nil)
    nonisolated(unsafe) static let sha384 = unsafe EVP_MD_fetch(nil, "SHA384", nil)
    nonisolated(unsafe) static let sha512 = unsafe EVP_MD_fetch(nil, "SHA512", nil)
    nonisolated(unsafe) static let aes128GCM = unsafe EVP_CIPHER_fetch(nil, "AES-128-GCM", nil)
    nonisolated(unsafe) static let aes256GCM = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
    nonisolated(unsafe) static let hkdf = unsafe EVP_KDF_fetch(nil, "HKDF", nil)
    nonisolated(unsafe) static let hmac = unsafe EVP_MAC_fetch(nil, "HMAC", nil)
}

/// Builders for one entry of a parameter list. Names are `StaticString`, because OpenSSL keeps the pointer.
extension OSSL_PARAM {
    static var end: OSSL_PARAM { unsafe OSSL_PARAM_construct_end() }

    static func text(_ name: StaticString, _ value: StaticString) -> OSSL_PARAM {
        unsafe OSSL_PARAM_construct_utf8_string(
            name.cString, UnsafeMutablePointer(mutating: value.cString), 0)
    }

    /// `bytes` have to outlive the call that takes the list.
    static func octets(_ name: StaticString, _ bytes: UnsafeRawBufferPointer) -> OSSL_PARAM {
        unsafe OSSL_PARAM_construct_octet_string(
            name.cString, UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    }

    /// An unsigned number as the machine's own bytes, least significant first on every machine we run on.
    static func number(_ name: StaticString, littleEndian bytes: UnsafeMutableRawBufferPointer) -> OSSL_PARAM
    {
        unsafe OSSL_PARAM_construct_BN(
            name.cString, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }
}

extension StaticString {
    /// The text as C reads it, valid for as long as the program runs.
    var cString: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
