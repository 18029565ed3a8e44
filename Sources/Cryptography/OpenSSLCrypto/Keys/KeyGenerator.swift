internal import COpenSSL
internal import Synchronization

/// Makes keys. P-256, the curve of every session seen so far, has a context that is made once: making a context takes a
/// third of the time of making a key.
enum KeyGenerator {
    private static let p256 = Mutex(unsafe Context(initialised(.p256)))

    /// OpenSSL's context, which one thread at a time may use.
    @safe private struct Context: @unchecked Sendable {  // only ever used under the lock around it
        let pointer: OpaquePointer?

        init(_ pointer: OpaquePointer?) {
            unsafe self.pointer = pointer
        }
    }

    /// A new key that the caller owns, or nil.
    static func generate(_ curve: Curve) -> OpaquePointer? {
        if curve == .p256 {
            let made = p256.withLock { context in unsafe Made(key: key(from: context.pointer)) }
            return unsafe made.key
        }
        let context = unsafe initialised(curve)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        return unsafe key(from: context)
    }

    /// A key that is handed out of the lock.
    @safe private struct Made: @unchecked Sendable {  // handed to one caller
        let key: OpaquePointer?
    }

    private static func initialised(_ curve: Curve) -> OpaquePointer? {
        let context =
            curve.family == .weierstrass
            ? unsafe EVP_PKEY_CTX_new_from_pkey(nil, CurveParameters[curve], nil)
            : unsafe EVP_PKEY_CTX_new_from_name(nil, curve.openSSLKeyType.cString, nil)
        if unsafe EVP_PKEY_keygen_init(context) == 1 { return unsafe context }
        unsafe EVP_PKEY_CTX_free(context)
        return nil
    }

    private static func key(from context: OpaquePointer?) -> OpaquePointer? {
        var key: OpaquePointer?
        _ = unsafe EVP_PKEY_generate(context, &key)
        return unsafe key
    }
}
