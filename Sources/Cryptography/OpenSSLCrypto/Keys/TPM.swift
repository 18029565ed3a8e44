internal import COpenSSL
internal import Synchronization

/// This machine's TPM 2.0, through OpenSSL's provider `tpm2`. The provider is loaded into a separate
/// `OSSL_LIB_CTX`, so that no other key or hash of this process is ever computed in the TPM.
enum TPM {
    /// The library context; `nil` until it is loaded. Every use takes the lock, because the provider has only
    /// one connection to the TPM.
    private static let library = Mutex(unsafe Library(context: nil))

    @safe private struct Library: @unchecked Sendable {  // only ever used under the lock around it
        var context: OpaquePointer?
    }

    /// The query for OpenSSL algorithms that prefers the provider `tpm2`. The `?` also allows other
    /// providers, because the default provider decodes PEM and DER.
    static let properties: StaticString = "?provider=tpm2"

    /// Calls `body` with the library context under the lock. `body` must not free a TPM key, because freeing
    /// a key takes the same lock. Loads the provider if it is not loaded yet. A failure is not remembered,
    /// because a TPM may become available later.
    static func withLibrary<R: ~Copyable & Sendable>(
        _ body: (OpaquePointer) throws(OpenSSLCryptoError) -> R
    ) throws(OpenSSLCryptoError) -> R {
        try library.withLock { library throws(OpenSSLCryptoError) in
            if let context = unsafe library.context { return try unsafe body(context) }
            let context = try unsafe loaded()
            unsafe library.context = context
            return try unsafe body(context)
        }
    }

    /// Runs `body` while no other thread uses the TPM.
    static func exclusively<R: Sendable>(_ body: () -> R) -> R {
        library.withLock { _ in body() }
    }

    /// Creates a library context with the providers `tpm2` and `default`.
    private static func loaded() throws(OpenSSLCryptoError) -> OpaquePointer {
        guard let context = unsafe OSSL_LIB_CTX_new() else { throw cleared(.openSSLFailed) }
        // Older errors are removed, so that the first error below comes from these calls.
        ERR_clear_error()
        if unsafe OSSL_PROVIDER_load(context, "tpm2") != nil,
            unsafe OSSL_PROVIDER_load(context, "default") != nil
        {
            return unsafe context
        }
        // If the provider is not installed, the first error in the queue comes from the loader of shared
        // objects.
        let isMissing = ERR_GET_LIB(ERR_peek_error()) == ERR_LIB_DSO
        unsafe OSSL_LIB_CTX_free(context)
        throw cleared(isMissing ? .tpmProviderMissing : .tpmUnreachable)
    }
}
