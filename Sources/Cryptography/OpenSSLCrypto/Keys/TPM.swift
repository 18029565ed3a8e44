internal import COpenSSL
internal import Synchronization

/// The machine's TPM 2.0, through OpenSSL's provider `tpm2`. It has a separate `OSSL_LIB_CTX`, so that no other key
/// and no hash of this process is ever computed there.
enum TPM {
    /// The library context, once it is loaded. One thread at a time: the provider shares one connection.
    private static let library = Mutex(unsafe Library(context: nil))

    @safe private struct Library: @unchecked Sendable {  // only ever used under the lock around it
        var context: OpaquePointer?
    }

    /// What is preferred, not asked for: PEM and DER are decoded by the default provider.
    static let properties: StaticString = "?provider=tpm2"

    /// Passes the library to `body`, which must not release a key meanwhile. Loads it if it is not loaded yet, and
    /// again after a failure: a TPM may become available late.
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

    /// Runs `body` while nobody else speaks to the TPM.
    static func exclusively<R: Sendable>(_ body: () -> R) -> R {
        library.withLock { _ in body() }
    }

    private static func loaded() throws(OpenSSLCryptoError) -> OpaquePointer {
        guard let context = unsafe OSSL_LIB_CTX_new() else { throw cleared(.openSSLFailed) }
        ERR_clear_error()
        if unsafe OSSL_PROVIDER_load(context, "tpm2") != nil,
            unsafe OSSL_PROVIDER_load(context, "default") != nil
        {
            return unsafe context
        }
        // The loader of shared objects complains first where the provider is not there.
        let isMissing = ERR_GET_LIB(ERR_peek_error()) == ERR_LIB_DSO
        unsafe OSSL_LIB_CTX_free(context)
        throw cleared(isMissing ? .tpmProviderMissing : .tpmUnreachable)
    }
}
