internal import COpenSSL

extension PrivateKey {
    /// The PEM label of a key that a TPM wrapped.
    package static let wrappedLabel: StaticString = "TSS2 PRIVATE KEY"

    /// Generates a key in the TPM under its storage root. The key never leaves the TPM unwrapped.
    ///
    /// - Throws: `unsupportedKey` for curves other than NIST's, `tpmProviderMissing`, `tpmUnreachable` or
    ///   `tpmRefused`.
    package static func generateInTPM(_ curve: Curve) throws(OpenSSLCryptoError) -> PrivateKey {
        guard [.p256, .p384, .p521].contains(curve) else { throw .unsupportedKey }
        let handle = try unsafe TPM.withLibrary { library throws(OpenSSLCryptoError) in
            try unsafe KeyHandle(generating: curve, in: library)
        }
        return try PrivateKey(curve: curve, inTPM: handle)
    }

    /// Loads a key that this machine's TPM wrapped.
    ///
    /// - Throws: `tpmRefused` for a key of another TPM, `pemMalformed`, `tpmProviderMissing` or
    ///   `tpmUnreachable`.
    package init(wrappedPEM pem: ArraySlice<UInt8>) throws(OpenSSLCryptoError) {
        guard let block = try PEM.decode(pem, label: Self.wrappedLabel).first else { throw .pemMalformed }
        // OpenSSL reads the first key of a text, so it gets this block alone.
        let single = PEM.encode(block[...], label: Self.wrappedLabel)
        let handle = try unsafe TPM.withLibrary { library throws(OpenSSLCryptoError) in
            try unsafe KeyHandle(unwrapping: single, in: library)
        }
        guard let curve = handle.curve else { throw cleared(.unsupportedKey) }
        try self.init(curve: curve, inTPM: handle)
    }

    /// Returns the key as the TPM wrapped it. The text is not secret, because the key can be used only in
    /// this TPM. Every user with access to this TPM can use the key. Throws `openSSLFailed` for a key in
    /// memory.
    package borrowing func wrappedPEM() throws(OpenSSLCryptoError) -> [UInt8] {
        guard residence == .tpm else { throw .openSSLFailed }
        let sink = unsafe BIO_new(BIO_s_mem())
        defer { unsafe BIO_free(sink) }
        let written = unsafe handle.writeWrapped(to: sink)
        var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(sink))
        guard written, unsafe BIO_read(sink, &bytes, Int32(bytes.count)) == Int32(bytes.count) else {
            throw cleared(.openSSLFailed)
        }
        return bytes
    }

    /// Creates the value after a check that the key is in the TPM. OpenSSL only prefers the provider `tpm2`
    /// (`TPM.properties`), so it may have created a key in memory instead.
    private init(curve: Curve, inTPM handle: consuming KeyHandle) throws(OpenSSLCryptoError) {
        guard handle.isOfTPMProvider else { throw cleared(.tpmRefused) }
        try self.init(curve: curve, handle: handle)
    }
}

extension KeyHandle {
    /// Generates a key in the TPM.
    fileprivate init(generating curve: Curve, in library: OpaquePointer) throws(OpenSSLCryptoError) {
        let context = unsafe EVP_PKEY_CTX_new_from_name(library, "EC", TPM.properties.cString)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var parameters = unsafe [OSSL_PARAM.text("group", curve.openSSLName), .end]
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_params(context, &parameters) == 1,
            unsafe EVP_PKEY_generate(context, &key) == 1
        else { throw cleared(.tpmRefused) }
        try unsafe self.init(owning: key, in: library, orThrow: .tpmRefused)
    }

    /// Loads a key that the TPM wrapped.
    fileprivate init(unwrapping pem: [UInt8], in library: OpaquePointer) throws(OpenSSLCryptoError) {
        let key = unsafe pem.withUnsafeBytes { bytes in
            let source = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            defer { unsafe BIO_free(source) }
            // The callback gives no passphrase. Without a callback, OpenSSL would ask for it on the terminal.
            return unsafe PEM_read_bio_PrivateKey_ex(
                source, nil, { _, _, _, _ in -1 }, nil, library, TPM.properties.cString)
        }
        try unsafe self.init(owning: key, in: library, orThrow: .tpmRefused)
    }

    /// Whether the provider `tpm2` holds the key.
    fileprivate var isOfTPMProvider: Bool {
        guard let provider = unsafe EVP_PKEY_get0_provider(pointer),
            let name = unsafe OSSL_PROVIDER_get0_name(provider)
        else { return false }
        return unsafe String(cString: name) == "tpm2"
    }

    /// Writes the wrapped key as PEM. Returns `false` if the TPM or OpenSSL failed.
    fileprivate func writeWrapped(to sink: OpaquePointer?) -> Bool {
        let borrowed = unsafe BorrowedHandles(key: pointer, library: library, other: sink)
        return TPM.exclusively {
            unsafe PEM_write_bio_PrivateKey_ex(
                borrowed.other, borrowed.key, nil, nil, 0, nil, nil, borrowed.library, TPM.properties.cString)
                == 1
        }
    }

    /// Returns an ECDSA signature in DER.
    func signInTPM(_ digest: Digest, _ algorithm: HashAlgorithm) throws(OpenSSLCryptoError) -> [UInt8] {
        let borrowed = unsafe BorrowedHandles(key: pointer, library: library, other: nil)
        let signature = TPM.exclusively { () -> [UInt8]? in
            let context = unsafe EVP_PKEY_CTX_new_from_pkey(
                borrowed.library, borrowed.key, TPM.properties.cString)
            defer { unsafe EVP_PKEY_CTX_free(context) }
            var parameters = unsafe [OSSL_PARAM.text("digest", algorithm.openSSLName), .end]
            var signature = [UInt8](repeating: 0, count: ECDSASignature.capacity)
            var written = signature.count
            guard unsafe EVP_PKEY_sign_init(context) == 1,
                unsafe EVP_PKEY_CTX_set_params(context, &parameters) == 1
            else { return nil }
            let signed = unsafe digest.withUnsafeBytes { digest in
                let hash = unsafe digest.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return unsafe EVP_PKEY_sign(context, &signature, &written, hash, digest.count) == 1
            }
            return signed ? Array(signature.prefix(written)) : nil
        }
        guard let signature else { throw cleared(.tpmRefused) }
        return signature
    }

    /// Returns the x coordinate of the shared point. The private half is used only inside the TPM.
    func agreeInTPM(
        with peer: borrowing KeyHandle, size: Int
    ) throws(OpenSSLCryptoError) -> SecretBytes {
        let borrowed = unsafe BorrowedHandles(key: pointer, library: library, other: peer.pointer)
        return try unsafe SecretBytes(count: size) { target throws(OpenSSLCryptoError) in
            let place = unsafe Place(bytes: target)
            let isMade = TPM.exclusively { () -> Bool in
                let context = unsafe EVP_PKEY_CTX_new_from_pkey(
                    borrowed.library, borrowed.key, TPM.properties.cString)
                defer { unsafe EVP_PKEY_CTX_free(context) }
                // The peer's key is copied, because OpenSSL caches the key's form for the TPM's provider in
                // the key object. Without the copy, this cached form would stay in the reusable `KeyShell`
                // and would be used for the next public key, too.
                let other = unsafe EVP_PKEY_dup(borrowed.other)
                defer { unsafe EVP_PKEY_free(other) }
                var written = unsafe place.bytes.count
                guard unsafe other != nil, unsafe EVP_PKEY_derive_init(context) == 1,
                    unsafe EVP_PKEY_derive_set_peer_ex(context, other, 0) == 1
                else { return false }
                let bytes = unsafe place.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return unsafe EVP_PKEY_derive(context, bytes, &written) == 1 && written == place.bytes.count
            }
            guard isMade else { throw cleared(.tpmRefused) }
        }
    }

    /// The memory to which a closure under the TPM's lock writes.
    // `@unchecked Sendable` is safe here: the function that passes the pointers waits until the closure has
    // ended.
    @safe private struct Place: @unchecked Sendable {
        let bytes: UnsafeMutableRawBufferPointer
    }

    /// The OpenSSL handles that a closure under the TPM's lock uses.
    // `@unchecked Sendable` is safe here: the function that passes the pointers waits until the closure has
    // ended.
    @safe private struct BorrowedHandles: @unchecked Sendable {
        let key: OpaquePointer
        let library: OpaquePointer?
        let other: OpaquePointer?
    }
}

extension HashAlgorithm {
    fileprivate var openSSLName: StaticString {
        switch self {
        case .sha256: "SHA256"
        case .sha384: "SHA384"
        case .sha512: "SHA512"
        }
    }
}
