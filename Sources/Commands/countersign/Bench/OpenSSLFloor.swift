internal import COpenSSL

/// The cryptography under one response with OpenSSL alone: no CBOR, no X.509, nothing of ours. What the whole
/// transaction is measured against.
///
/// Per run: a P-256 key generation, an ECDH with on-curve peer check, HKDF for three keys, AES-256-GCM of the
/// whole message, SHA-256 of every item, and three ECDSA P-256 verifications with keys built from raw points.
/// Messages, signatures and the peer's key are prepared beforehand.
@safe final class OpenSSLFloor {
    /// The sizes, in bytes, of what a response holds.
    struct Sizes {
        let response: Int
        let items: [Int]
        /// What the certificate's, the issuer's and the device's signature cover.
        let signedMessages: [Int]
    }

    private struct SignedMessage {
        let point: [UInt8]
        let message: [UInt8]
        let signature: [UInt8]
    }

    private let sizes: Sizes
    private let messages: [SignedMessage]
    private let peer: OpaquePointer
    private let keyGeneration: OpaquePointer
    private let keyImport: OpaquePointer
    private let sha256: OpaquePointer
    private let gcm: OpaquePointer
    private let kdf: OpaquePointer
    private let digestContext: OpaquePointer
    private let verifyContext: OpaquePointer
    private let cipherContext: OpaquePointer
    private let key = [UInt8](repeating: 1, count: 32)
    private let nonce: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1]
    private let salt = [UInt8](repeating: 7, count: 32)
    private var plaintext: [UInt8]
    private let ciphertext: [UInt8]
    private var tag = [UInt8](repeating: 0, count: 16)

    /// A call of OpenSSL that failed; none is expected to.
    struct Failure: Error {}

    init(_ sizes: Sizes) throws {
        self.sizes = sizes
        unsafe sha256 = try Self.require(EVP_MD_fetch(nil, "SHA256", nil))
        unsafe gcm = try Self.require(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil))
        unsafe kdf = try Self.require(EVP_KDF_fetch(nil, "HKDF", nil))
        unsafe digestContext = try Self.require(EVP_MD_CTX_new())
        unsafe verifyContext = try Self.require(EVP_MD_CTX_new())
        unsafe cipherContext = try Self.require(EVP_CIPHER_CTX_new())
        unsafe keyGeneration = try Self.require(EVP_PKEY_CTX_new_from_name(nil, "EC", nil))
        unsafe keyImport = try Self.require(EVP_PKEY_CTX_new_from_name(nil, "EC", nil))
        try unsafe Self.require(EVP_PKEY_keygen_init(keyGeneration))
        try unsafe Self.require(EVP_PKEY_CTX_set_group_name(keyGeneration, "prime256v1"))
        try unsafe Self.require(EVP_PKEY_fromdata_init(keyImport))
        var peer: OpaquePointer?
        try unsafe Self.require(EVP_PKEY_generate(keyGeneration, &peer))
        unsafe self.peer = try Self.require(peer)
        let context = unsafe keyGeneration
        messages = try sizes.signedMessages.map { try unsafe Self.signedMessage(count: $0, context) }
        plaintext = [UInt8](repeating: 0, count: sizes.response)
        var sealed = [UInt8](repeating: 0, count: sizes.response)
        var count: Int32 = 0
        try unsafe Self.require(EVP_EncryptInit_ex2(cipherContext, gcm, key, nonce, nil))
        try unsafe Self.require(
            EVP_EncryptUpdate(cipherContext, &sealed, &count, plaintext, Int32(plaintext.count)))
        try unsafe Self.require(EVP_EncryptFinal_ex(cipherContext, &sealed, &count))
        try unsafe Self.require(EVP_CIPHER_CTX_ctrl(cipherContext, EVP_CTRL_AEAD_GET_TAG, 16, &tag))
        ciphertext = sealed
    }

    deinit {
        unsafe EVP_PKEY_free(peer)
        unsafe EVP_PKEY_CTX_free(keyGeneration)
        unsafe EVP_PKEY_CTX_free(keyImport)
        unsafe EVP_MD_CTX_free(digestContext)
        unsafe EVP_MD_CTX_free(verifyContext)
        unsafe EVP_CIPHER_CTX_free(cipherContext)
        unsafe EVP_MD_free(sha256)
        unsafe EVP_CIPHER_free(gcm)
        unsafe EVP_KDF_free(kdf)
    }

    /// One response's worth of cryptography.
    func run() throws {
        let secret = try agree()
        for info in ["SKReader", "SKDevice", "EMacKey"] { try derive(from: secret, info: info) }
        try decrypt()
        try digestItems()
        for message in messages { try verify(message) }
    }

    private func agree() throws -> [UInt8] {
        var ephemeral: OpaquePointer?
        try unsafe Self.require(EVP_PKEY_generate(keyGeneration, &ephemeral))
        defer { unsafe EVP_PKEY_free(ephemeral) }
        let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, ephemeral, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: 32)
        var count = secret.count
        try unsafe Self.require(EVP_PKEY_derive_init(context))
        try unsafe Self.require(EVP_PKEY_derive_set_peer_ex(context, peer, 0))
        try unsafe Self.require(EVP_PKEY_derive(context, &secret, &count))
        return secret
    }

    private func derive(from secret: [UInt8], info: String) throws {
        let context = unsafe EVP_KDF_CTX_new(kdf)
        defer { unsafe EVP_KDF_CTX_free(context) }
        var secret = secret
        var salt = salt
        var info = Array(info.utf8)
        var output = [UInt8](repeating: 0, count: 32)
        var hash = Array("SHA256".utf8CString)
        let derived = unsafe secret.withUnsafeMutableBytes { secret in
            unsafe salt.withUnsafeMutableBytes { salt in
                unsafe info.withUnsafeMutableBytes { info in
                    unsafe hash.withUnsafeMutableBufferPointer { hash in
                        let parameters = unsafe [
                            OSSL_PARAM_construct_utf8_string(Self.name("digest"), hash.baseAddress, 0),
                            OSSL_PARAM_construct_octet_string(
                                Self.name("key"), secret.baseAddress, secret.count),
                            OSSL_PARAM_construct_octet_string(
                                Self.name("salt"), salt.baseAddress, salt.count),
                            OSSL_PARAM_construct_octet_string(
                                Self.name("info"), info.baseAddress, info.count),
                            OSSL_PARAM_construct_end(),
                        ]
                        return unsafe EVP_KDF_derive(context, &output, output.count, parameters)
                    }
                }
            }
        }
        try Self.require(derived)
    }

    private func decrypt() throws {
        var count: Int32 = 0
        try unsafe Self.require(EVP_DecryptInit_ex2(cipherContext, gcm, key, nonce, nil))
        try unsafe Self.require(
            EVP_DecryptUpdate(cipherContext, &plaintext, &count, ciphertext, Int32(ciphertext.count)))
        try unsafe Self.require(EVP_CIPHER_CTX_ctrl(cipherContext, EVP_CTRL_AEAD_SET_TAG, 16, &tag))
        var rest: Int32 = 0
        var none: UInt8 = 0
        try unsafe Self.require(EVP_DecryptFinal_ex(cipherContext, &none, &rest))
    }

    private func digestItems() throws {
        var digest = [UInt8](repeating: 0, count: 32)
        for size in sizes.items {
            try unsafe Self.require(EVP_DigestInit_ex2(digestContext, sha256, nil))
            try unsafe Self.require(EVP_DigestUpdate(digestContext, plaintext, size))
            try unsafe Self.require(EVP_DigestFinal_ex(digestContext, &digest, nil))
        }
    }

    private func verify(_ signed: SignedMessage) throws {
        let key = try unsafe publicKey(signed.point)
        defer { unsafe EVP_PKEY_free(key) }
        try unsafe Self.require(EVP_MD_CTX_reset(verifyContext))
        try unsafe Self.require(
            EVP_DigestVerifyInit_ex(verifyContext, nil, "SHA256", nil, nil, key, nil))
        try unsafe Self.require(
            EVP_DigestVerify(
                verifyContext, signed.signature, signed.signature.count, signed.message, signed.message.count)
        )
    }

    private func publicKey(_ point: [UInt8]) throws -> OpaquePointer {
        var group = Array("prime256v1".utf8CString)
        var point = point
        var key: OpaquePointer?
        let imported = unsafe group.withUnsafeMutableBufferPointer { group in
            unsafe point.withUnsafeMutableBytes { point in
                var parameters = unsafe [
                    OSSL_PARAM_construct_utf8_string(Self.name("group"), group.baseAddress, 0),
                    OSSL_PARAM_construct_octet_string(Self.name("pub"), point.baseAddress, point.count),
                    OSSL_PARAM_construct_end(),
                ]
                return unsafe EVP_PKEY_fromdata(keyImport, &key, COPENSSL_PKEY_PUBLIC_KEY, &parameters)
            }
        }
        try Self.require(imported)
        return try unsafe Self.require(key)
    }

    private static func signedMessage(count: Int, _ keyGeneration: OpaquePointer) throws -> SignedMessage {
        var key: OpaquePointer?
        try unsafe require(EVP_PKEY_generate(keyGeneration, &key))
        defer { unsafe EVP_PKEY_free(key) }
        var point = [UInt8](repeating: 0, count: 65)
        var written = 0
        try unsafe require(EVP_PKEY_get_octet_string_param(key, "encoded-pub-key", &point, 65, &written))
        let message = [UInt8](repeating: 0x5a, count: count)
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 80)
        var signatureCount = signature.count
        try unsafe require(EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, key, nil))
        try unsafe require(EVP_DigestSign(context, &signature, &signatureCount, message, message.count))
        return SignedMessage(
            point: point, message: message, signature: Array(signature.prefix(signatureCount)))
    }

    /// The name of a parameter, which OpenSSL keeps a pointer to: one that stays.
    private static func name(_ name: StaticString) -> UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    private static func require(_ pointer: OpaquePointer?) throws -> OpaquePointer {
        guard let pointer = unsafe pointer else { throw Failure() }
        return unsafe pointer
    }

    private static func require(_ result: Int32) throws {
        guard result > 0 else { throw Failure() }
    }
}
