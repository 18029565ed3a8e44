internal import COpenSSL

/// The former reference measurement: the cryptography of one response in OpenSSL alone, with the calls that
/// OpenSSL's manual shows. `TightFloor` has replaced it as the reference. `FormerFloor` is still measured, so
/// that new figures can be compared with earlier figures.
///
/// Each run does:
/// - for a session: a P-256 key generation, an ECDH with on-curve check of the peer, HKDF for three keys by
///   EVP_KDF, AES-256-GCM of the whole message, SHA-256 of every item, and three ECDSA P-256 verifications
///   with keys built by EVP_PKEY_fromdata;
/// - for an envelope: an ECDH with a peer's key built in the same way, eight HKDF steps of which Countersign
///   needs six, AES-128-GCM of the whole message, the digests, and three verifications, or two if the
///   document signer is known.
///
/// Messages, signatures and the session's peer are prepared before the first run.
@safe final class FormerFloor {
    /// The inputs of one HKDF step with 32 bytes of output.
    private struct Derivation {
        /// The modes of OpenSSL's HKDF, with the values of EVP_KDF_HKDF_MODE_….
        enum Mode: Int32 {
            case extractAndExpand = 0
            case extract = 1
            case expand = 2
        }

        let mode: Mode
        let secret: [UInt8]
        let salt: [UInt8]
        let info: [UInt8]

        init(_ mode: Mode, secret: Int, salt: Int = 0, info: Int = 0) {
            self.mode = mode
            // Only the lengths of the inputs matter for the time.
            self.secret = [UInt8](repeating: 1, count: secret)
            self.salt = [UInt8](repeating: 7, count: salt)
            self.info = [UInt8](repeating: 0x49, count: info)
        }
    }

    private struct SignedMessage {
        let point: [UInt8]
        let message: [UInt8]
        let signature: [UInt8]
    }

    private let wrapper: FloorSizes.Wrapper
    private let digested: [Int]
    private let derivations: [Derivation]
    private let messages: [SignedMessage]
    private let peer: OpaquePointer
    private let peerPoint: [UInt8]
    private let keyGeneration: OpaquePointer
    private let keyImport: OpaquePointer
    private let sha256: OpaquePointer
    private let gcm: OpaquePointer
    private let kdf: OpaquePointer
    private let digestContext: OpaquePointer
    private let verifyContext: OpaquePointer
    private let cipherContext: OpaquePointer
    private let key = [UInt8](repeating: 1, count: 32)
    /// The nonce of the phone's first message in a session (9.1.1.5).
    private let nonce: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1]
    private var plaintext: [UInt8]
    private let ciphertext: [UInt8]
    private var tag = [UInt8](repeating: 0, count: 16)

    /// An error for a failed call of OpenSSL.
    struct Failure: Error {}

    /// Prepares once what all runs use: algorithms, contexts, keys, messages and a ciphertext.
    init(_ sizes: FloorSizes) throws {
        wrapper = sizes.wrapper
        derivations = Self.derivations(of: sizes)
        let cipher: StaticString
        switch sizes.wrapper {
        case .session: (cipher, digested) = ("AES-256-GCM", sizes.items)
        case .envelope: (cipher, digested) = ("AES-128-GCM", sizes.items + [sizes.transcript])
        }
        unsafe sha256 = try Self.require(EVP_MD_fetch(nil, "SHA256", nil))
        unsafe gcm = try Self.require(EVP_CIPHER_fetch(nil, Self.name(cipher), nil))
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
        peerPoint = try unsafe Self.point(of: Self.require(peer))
        // A closure cannot use `self` before every property has its value.
        let context = unsafe keyGeneration
        messages = try [sizes.certificate, sizes.issuer, sizes.device].map {
            try unsafe Self.signedMessage(count: $0, context)
        }
        plaintext = [UInt8](repeating: 0, count: sizes.response)
        var sealed = [UInt8](repeating: 0, count: sizes.response)
        var count: Int32 = 0
        try unsafe Self.require(EVP_EncryptInit_ex2(cipherContext, gcm, key, nonce, nil))
        try unsafe Self.require(
            EVP_EncryptUpdate(cipherContext, &sealed, &count, plaintext, Int32(plaintext.count)))
        // In GCM the last call writes no byte and only computes the tag.
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

    /// Returns the HKDF steps. Their inputs have the prescribed lengths: for a session by ISO/IEC 18013-5
    /// 9.1.1, for an envelope by RFC 9180, 4.1 and 5.1.
    private static func derivations(of sizes: FloorSizes) -> [Derivation] {
        switch sizes.wrapper {
        case .session:
            ["SKReader", "SKDevice", "EMacKey"].map {
                Derivation(.extractAndExpand, secret: 32, salt: 32, info: $0.utf8.count)
            }
        case .envelope:
            [
                // The numbers are lengths of inputs. Most inputs consist of a label of RFC 9180 and a value.
                // The labels, in the order of their use, are `eae_prk`, `shared_secret`, `psk_id_hash`,
                // `info_hash`, `secret`, `key`, `base_nonce` and `exp`.
                Derivation(.extract, secret: 51), Derivation(.expand, secret: 32, info: 157),
                Derivation(.extract, secret: 28), Derivation(.extract, secret: 26 + sizes.transcript),
                Derivation(.extract, secret: 23, salt: 32), Derivation(.expand, secret: 32, info: 87),
                Derivation(.expand, secret: 32, info: 94), Derivation(.expand, secret: 32, info: 87),
            ]
        }
    }

    /// Runs the cryptography of one response.
    ///
    /// - Parameter knowsSigner: whether the document signer's certificate was verified before.
    func run(knowsSigner: Bool = false) throws {
        switch wrapper {
        case .session: try agree()
        case .envelope: try decapsulate()
        }
        for step in derivations { try derive(step) }
        try decrypt()
        try digestItems()
        // The first message stands for the document signer's certificate, whose signature is skipped if the
        // signer is known.
        for message in messages.dropFirst(knowsSigner ? 1 : 0) { try verify(message) }
    }

    /// Runs the ECDH of a session, with a new ephemeral key.
    private func agree() throws {
        var ephemeral: OpaquePointer?
        try unsafe Self.require(EVP_PKEY_generate(keyGeneration, &ephemeral))
        defer { unsafe EVP_PKEY_free(ephemeral) }
        try unsafe agree(on: Self.require(ephemeral), with: peer)
    }

    /// Runs the ECDH of HPKE: the recipient's key object is used again in each run, and the sender's key
    /// object is built from a point.
    private func decapsulate() throws {
        // `peer` serves as the recipient, and its point also as the sender's point. The time is the same as
        // with two different points.
        let sender = try unsafe publicKey(peerPoint)
        defer { unsafe EVP_PKEY_free(sender) }
        try unsafe agree(on: peer, with: sender)
    }

    /// Runs one ECDH.
    private func agree(on key: OpaquePointer, with peer: OpaquePointer) throws {
        let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: 32)
        var count = secret.count
        try unsafe Self.require(EVP_PKEY_derive_init(context))
        try unsafe Self.require(EVP_PKEY_derive_set_peer_ex(context, peer, 0))
        try unsafe Self.require(EVP_PKEY_derive(context, &secret, &count))
    }

    /// Runs one HKDF step.
    private func derive(_ step: Derivation) throws {
        let context = unsafe EVP_KDF_CTX_new(kdf)
        defer { unsafe EVP_KDF_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: 32)
        var hash = Array("SHA256".utf8CString)
        var mode = step.mode.rawValue
        // OpenSSL's parameters are pointers, so every input has to stay in place during the call.
        let derived = unsafe step.secret.withUnsafeBytes { secret in
            unsafe step.salt.withUnsafeBytes { salt in
                unsafe step.info.withUnsafeBytes { info in
                    unsafe hash.withUnsafeMutableBufferPointer { hash in
                        unsafe withUnsafeMutablePointer(to: &mode) { mode in
                            let parameters = unsafe [
                                OSSL_PARAM_construct_int(Self.name("mode"), mode),
                                OSSL_PARAM_construct_utf8_string(Self.name("digest"), hash.baseAddress, 0),
                                Self.parameter("key", secret), Self.parameter("salt", salt),
                                Self.parameter("info", info), OSSL_PARAM_construct_end(),
                            ]
                            return unsafe EVP_KDF_derive(context, &output, output.count, parameters)
                        }
                    }
                }
            }
        }
        try Self.require(derived)
    }

    /// Makes an octet string parameter. OpenSSL only reads the bytes.
    private static func parameter(_ name: StaticString, _ bytes: UnsafeRawBufferPointer) -> OSSL_PARAM {
        unsafe OSSL_PARAM_construct_octet_string(
            self.name(name), UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    }

    private func decrypt() throws {
        var count: Int32 = 0
        try unsafe Self.require(EVP_DecryptInit_ex2(cipherContext, gcm, key, nonce, nil))
        try unsafe Self.require(
            EVP_DecryptUpdate(cipherContext, &plaintext, &count, ciphertext, Int32(ciphertext.count)))
        try unsafe Self.require(EVP_CIPHER_CTX_ctrl(cipherContext, EVP_CTRL_AEAD_SET_TAG, 16, &tag))
        // In GCM the last call writes no byte and only compares the tag.
        var rest: Int32 = 0
        var none: UInt8 = 0
        try unsafe Self.require(EVP_DecryptFinal_ex(cipherContext, &none, &rest))
    }

    /// Computes one digest for each item, over as many bytes of the plaintext as the item has. The values of
    /// the bytes do not change the time.
    private func digestItems() throws {
        var digest = [UInt8](repeating: 0, count: 32)
        for size in digested {
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

    /// Builds a key object from a point. Each run builds every key object anew, unlike a run of `TightFloor`.
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

    /// Makes a key and a message of this size, and signs the message.
    private static func signedMessage(count: Int, _ keyGeneration: OpaquePointer) throws -> SignedMessage {
        var key: OpaquePointer?
        try unsafe require(EVP_PKEY_generate(keyGeneration, &key))
        defer { unsafe EVP_PKEY_free(key) }
        let point = try unsafe Self.point(of: require(key))
        let message = [UInt8](repeating: 0x5a, count: count)
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        // An ECDSA signature on P-256 in DER has at most 72 bytes.
        var signature = [UInt8](repeating: 0, count: 80)
        var signatureCount = signature.count
        try unsafe require(EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, key, nil))
        try unsafe require(EVP_DigestSign(context, &signature, &signatureCount, message, message.count))
        return SignedMessage(
            point: point, message: message, signature: Array(signature.prefix(signatureCount)))
    }

    /// Returns the uncompressed point of a key: 65 bytes on P-256.
    private static func point(of key: OpaquePointer) throws -> [UInt8] {
        var point = [UInt8](repeating: 0, count: 65)
        var written = 0
        try unsafe require(EVP_PKEY_get_octet_string_param(key, "encoded-pub-key", &point, 65, &written))
        return point
    }

    /// Returns a pointer to the name of a parameter. OpenSSL keeps the pointer, so the name must be static.
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
