internal import COpenSSL
internal import Synchronization

/// The generator of private keys. The context for P-256 is created once, because creating a context takes a
/// third of the time of generating a key. P-256 is the curve of every session seen so far.
enum KeyGenerator {
    private static let p256 = Mutex(unsafe Context(initialised(.p256)))

    /// An OpenSSL context, which only one thread at a time may use.
    @safe private struct Context: @unchecked Sendable {  // only ever used under the lock around it
        let pointer: OpaquePointer?

        init(_ pointer: OpaquePointer?) {
            unsafe self.pointer = pointer
        }
    }

    /// Generates a key, which the caller owns; `nil` if OpenSSL failed.
    static func generate(_ curve: Curve) -> OpaquePointer? {
        if curve == .p256 {
            // The lock returns only Sendable values, so `Made` carries the pointer out of the lock.
            let made = p256.withLock { context in unsafe Made(key: key(from: context.pointer)) }
            return unsafe made.key
        }
        let context = unsafe initialised(curve)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        return unsafe key(from: context)
    }

    /// A container that carries the pointer to a new key out of the lock.
    @safe private struct Made: @unchecked Sendable {  // handed to one caller
        let key: OpaquePointer?
    }

    /// Returns a context that is ready to generate keys on a curve; `nil` if OpenSSL failed.
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
        // If OpenSSL fails, `key` stays `nil`, which the caller checks.
        _ = unsafe EVP_PKEY_generate(context, &key)
        return unsafe key
    }
}
