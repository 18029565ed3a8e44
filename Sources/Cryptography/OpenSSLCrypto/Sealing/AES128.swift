internal import COpenSSL

/// AES-128 (FIPS 197) with one key: single blocks (ECB), and whole blocks in CBC mode without padding (SP 800-38A,
/// 6.1 and 6.2).
///
/// Neither mode authenticates anything. The type exists for protocols that prescribe these modes and add their own
/// authentication, such as the secure channel of OSDP. For everything else use `AESGCM`.
///
/// The value owns two OpenSSL contexts, one for each direction, because OpenSSL prepares the key differently for
/// decryption. All uses are `mutating`, so two threads cannot use a value at the same time. The key is destroyed with
/// the contexts.
package struct AES128: ~Copyable, Sendable {
    /// The size of a block and of an initial vector in bytes.
    package static let blockSize = 16

    private var encryption: BlockCipher
    private var decryption: BlockCipher

    /// Creates the cipher. Throws `keySizeWrong` unless the key has 16 bytes.
    package init(key: consuming SecretBytes) throws(OpenSSLCryptoError) {
        guard key.count == Self.blockSize else { throw .keySizeWrong }
        // A noncopyable value cannot be initialized by halves, so both contexts are made first.
        let forward = try BlockCipher(key: key, encrypts: true)
        let backward = try BlockCipher(key: key, encrypts: false)
        encryption = forward
        decryption = backward
    }

    /// Encrypts one block. Throws `blockSizeWrong` unless it has 16 bytes.
    package mutating func encryptBlock(_ block: ArraySlice<UInt8>) throws(OpenSSLCryptoError) -> [UInt8] {
        guard block.count == Self.blockSize else { throw .blockSizeWrong }
        return try encryptCBC(block, initialVector: Self.zeroBlock)
    }

    /// Decrypts one block. Throws `blockSizeWrong` unless it has 16 bytes.
    package mutating func decryptBlock(_ block: ArraySlice<UInt8>) throws(OpenSSLCryptoError) -> [UInt8] {
        guard block.count == Self.blockSize else { throw .blockSizeWrong }
        return try decryptCBC(block, initialVector: Self.zeroBlock)
    }

    /// Encrypts one block into memory that is overwritten when its owner is destroyed, for keys that a protocol
    /// derives in this way. Throws `blockSizeWrong` unless the block has 16 bytes.
    package mutating func encryptSecretBlock(
        _ block: ArraySlice<UInt8>
    ) throws(OpenSSLCryptoError) -> SecretBytes {
        guard block.count == Self.blockSize else { throw .blockSizeWrong }
        var encrypted = false
        let secret = unsafe SecretBytes(count: Self.blockSize) { target in
            let bytes = unsafe target.bindMemory(to: UInt8.self)
            unsafe encrypted = encryption.transform(block, initialVector: Self.zeroBlock, into: bytes)
        }
        guard encrypted else { throw cleared(.openSSLFailed) }
        return secret
    }

    /// Encrypts whole blocks in CBC mode.
    ///
    /// - Returns: as many bytes as `plaintext` has.
    /// - Throws: `blockSizeWrong` if `plaintext` does not consist of whole blocks, or if the initial vector does not
    ///   have 16 bytes.
    package mutating func encryptCBC(
        _ plaintext: ArraySlice<UInt8>, initialVector: ArraySlice<UInt8>
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        try encryption.transform(plaintext, initialVector: initialVector)
    }

    /// Decrypts whole blocks in CBC mode. Nothing tells whether the key, the vector or the ciphertext was right.
    ///
    /// - Returns: as many bytes as `ciphertext` has.
    /// - Throws: `blockSizeWrong` if `ciphertext` does not consist of whole blocks, or if the initial vector does not
    ///   have 16 bytes.
    package mutating func decryptCBC(
        _ ciphertext: ArraySlice<UInt8>, initialVector: ArraySlice<UInt8>
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        try decryption.transform(ciphertext, initialVector: initialVector)
    }

    // With a vector of zeros, the first block of CBC is the block of ECB (SP 800-38A, 6.2).
    private static let zeroBlock = [UInt8](repeating: 0, count: blockSize)[...]
}

/// AES-128-CBC in one direction. The context keeps the key from one message to the next.
@safe struct BlockCipher: ~Copyable, @unchecked Sendable {  // one owner, and every use is `mutating`
    private let context: OpaquePointer

    /// - Parameter key: 16 bytes.
    init(key: borrowing SecretBytes, encrypts: Bool) throws(OpenSSLCryptoError) {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw cleared(.openSSLFailed) }
        let set = unsafe key.withUnsafeBytes {
            let bytes = unsafe $0.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe EVP_CipherInit_ex2(
                context, OpenSSLAlgorithms.aes128CBC, bytes, nil, encrypts ? 1 : 0, nil) == 1
        }
        guard set else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw cleared(.openSSLFailed)
        }
        unsafe self.context = context
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    mutating func transform(
        _ source: ArraySlice<UInt8>, initialVector: ArraySlice<UInt8>
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        guard source.count.isMultiple(of: AES128.blockSize), initialVector.count == AES128.blockSize else {
            throw .blockSizeWrong
        }
        // OpenSSL counts in `int`.
        guard source.count < Int(Int32.max) - AES128.blockSize else { throw .tooLong }
        if source.isEmpty { return [] }
        var transformed = false
        let result = unsafe [UInt8](unsafeUninitializedCapacity: source.count) { target, count in
            unsafe transformed = transform(source, initialVector: initialVector, into: target)
            count = transformed ? source.count : 0
        }
        guard transformed else { throw cleared(.openSSLFailed) }
        return result
    }

    /// Encrypts or decrypts whole blocks into memory of at least the same size. Returns `false` if OpenSSL failed.
    mutating func transform(
        _ source: ArraySlice<UInt8>, initialVector: ArraySlice<UInt8>,
        into target: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        // The direction -1 leaves the direction of the key unchanged.
        let begun = unsafe initialVector.withUnsafeBufferPointer {
            unsafe EVP_CipherInit_ex2(context, nil, nil, $0.baseAddress, -1, nil) == 1
        }
        guard begun, unsafe EVP_CIPHER_CTX_set_padding(context, 0) == 1 else { return false }
        var written: Int32 = 0
        return unsafe source.withUnsafeBufferPointer {
            unsafe EVP_CipherUpdate(
                context, target.baseAddress, &written, $0.baseAddress, Int32($0.count)) == 1
        } && Int(written) == source.count
    }
}
