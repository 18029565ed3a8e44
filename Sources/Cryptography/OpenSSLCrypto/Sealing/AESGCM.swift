internal import COpenSSL

/// AES-GCM (SP 800-38D) with one key of 16 or 32 bytes, 96-bit nonces and 128-bit tags.
///
/// The caller chooses each nonce and must never use one twice with the same key, because two messages under
/// one nonce reveal the XOR of their plaintexts, and allow forgeries. Sessions therefore use
/// `AESGCMSealingKey` and `AESGCMOpeningKey`, whose nonces are counters inside the value. Stored records
/// (`RetentionKeys`) use this type directly, with random nonces.
///
/// The value owns one OpenSSL context, set up with the key once, and is noncopyable. All uses are `mutating`,
/// so two threads cannot use it at the same time. The key is destroyed with the context.
///
/// `open` returns no plaintext before the tag is verified, and overwrites the buffer if the tag is wrong. A
/// message has fewer than 2³¹ bytes, because OpenSSL counts in `int`. The type is `@unchecked Sendable`,
/// because a value has one owner and every use is `mutating`.
@safe package struct AESGCM: ~Copyable, @unchecked Sendable {
    package static let nonceSize = 12
    package static let tagSize = 16

    private let context: OpaquePointer

    /// Creates the cipher. Throws `keySizeWrong` unless the key has 16 or 32 bytes.
    package init(key: consuming SecretBytes) throws(OpenSSLCryptoError) {
        let cipher: OpaquePointer?
        switch key.count {
        case 16: unsafe cipher = OpenSSLAlgorithms.aes128GCM
        case 32: unsafe cipher = OpenSSLAlgorithms.aes256GCM
        default: throw .keySizeWrong
        }
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw cleared(.openSSLFailed) }
        let set = unsafe key.withUnsafeBytes {
            let bytes = unsafe $0.baseAddress?.assumingMemoryBound(to: UInt8.self)
            // The direction, here 1 for encryption, is set again for each message.
            return unsafe EVP_CipherInit_ex2(context, cipher, bytes, nil, 1, nil) == 1
        }
        guard set else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw cleared(.openSSLFailed)
        }
        unsafe self.context = context
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// Encrypts a message and returns the ciphertext followed by the tag.
    ///
    /// - Parameters:
    ///   - nonce: a nonce that was never used with this key.
    ///   - extra: data that is authenticated and not encrypted.
    package mutating func seal(
        _ plaintext: ArraySlice<UInt8>, nonce: InlineArray<12, UInt8>,
        authenticating extra: ArraySlice<UInt8> = []
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        guard plaintext.count <= Self.maximumSize, extra.count <= Self.maximumSize else { throw .tooLong }
        let size = plaintext.count
        var sealed = false
        let result = unsafe [UInt8](unsafeUninitializedCapacity: size + Self.tagSize) { target, count in
            sealed =
                unsafe begin(nonce, encrypting: true) && authenticate(extra)
                && transform(plaintext, into: target) && finish()
                && EVP_CIPHER_CTX_ctrl(
                    context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagSize),
                    target.baseAddress.map { unsafe $0 + size }) == 1
            count = sealed ? size + Self.tagSize : 0
        }
        guard sealed else { throw cleared(.openSSLFailed) }
        return result
    }

    /// Verifies and decrypts a ciphertext followed by its tag. Throws `authenticationFailed` if the tag is
    /// wrong; no part of the plaintext is returned then.
    package mutating func open(
        _ sealed: ArraySlice<UInt8>, nonce: InlineArray<12, UInt8>,
        authenticating extra: ArraySlice<UInt8> = []
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        guard sealed.count <= Self.maximumSize, extra.count <= Self.maximumSize else { throw .tooLong }
        guard sealed.count >= Self.tagSize else { throw .authenticationFailed }
        let ciphertext = sealed.dropLast(Self.tagSize)
        var tag = [UInt8](sealed.suffix(Self.tagSize))
        var opened = false
        let result = unsafe [UInt8](unsafeUninitializedCapacity: ciphertext.count) { target, count in
            opened =
                unsafe begin(nonce, encrypting: false) && authenticate(extra)
                && transform(ciphertext, into: target)
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagSize), &tag) == 1
                && finish()
            // GCM decrypts before the tag is known. Unauthenticated plaintext must not stay in memory.
            if !opened { unsafe OPENSSL_cleanse(target.baseAddress, target.count) }
            count = opened ? ciphertext.count : 0
        }
        guard opened else { throw cleared(.authenticationFailed) }
        return result
    }

    /// The maximum size of a message in bytes, a little below the largest `int`, in which OpenSSL counts.
    private static var maximumSize: Int { Int(Int32.max) - 64 }

    /// Begins a message under this nonce. The context keeps its key.
    private func begin(_ nonce: InlineArray<12, UInt8>, encrypting: Bool) -> Bool {
        let span = nonce.span
        return unsafe span.withUnsafeBufferPointer {
            unsafe EVP_CipherInit_ex2(context, nil, nil, $0.baseAddress, encrypting ? 1 : 0, nil) == 1
        }
    }

    /// Adds the data that is authenticated and not encrypted. Does nothing if `extra` is empty.
    private func authenticate(_ extra: ArraySlice<UInt8>) -> Bool {
        if extra.isEmpty { return true }
        var written: Int32 = 0
        return unsafe extra.withUnsafeBufferPointer {
            unsafe EVP_CipherUpdate(context, nil, &written, $0.baseAddress, Int32($0.count)) == 1
        }
    }

    /// Encrypts or decrypts the whole message into `target`.
    private func transform(
        _ source: ArraySlice<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        if source.isEmpty { return true }
        var written: Int32 = 0
        return unsafe source.withUnsafeBufferPointer {
            unsafe EVP_CipherUpdate(
                context, target.baseAddress, &written, $0.baseAddress, Int32($0.count)) == 1
        } && Int(written) == source.count
    }

    /// Completes the message. When a message is opened, OpenSSL compares the tag here. For GCM, OpenSSL
    /// writes no bytes in this step.
    private func finish() -> Bool {
        // OpenSSL's interface requires room for one more block, although GCM never fills it.
        var spare: (UInt64, UInt64) = (0, 0)
        var written: Int32 = 0
        return unsafe withUnsafeMutableBytes(of: &spare) {
            let bytes = unsafe $0.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe EVP_CipherFinal_ex(context, bytes, &written) == 1
        } && written == 0
    }
}
