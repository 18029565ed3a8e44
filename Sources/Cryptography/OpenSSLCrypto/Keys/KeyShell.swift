internal import COpenSSL
internal import Synchronization

/// A reusable `EVP_PKEY` of a Weierstrass curve, with a prepared context for verification.
///
/// Creating an `EVP_PKEY` and a context costs more than setting another public point, because for each of the
/// two OpenSSL walks through the names of all its algorithms. A shell is therefore used for one public key
/// after another. A shell in `spare` still has its last point until `holding` sets the next one.
@safe struct KeyShell: @unchecked Sendable {  // only its current owner changes it
    /// Whether shells may be reused: only if key objects, verifications and agreements use the same provider.
    /// This is the case unless OpenSSL's configuration selects different providers for them. For a second
    /// provider OpenSSL would cache a copy of the key, and would still use this copy after the shell has
    /// received another point.
    private static let areReusable: Bool = {
        guard let key = unsafe KeyGenerator.generate(.p256) else { return false }
        let verifying = unsafe verification(with: key)
        let agreeing = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
        defer {
            unsafe EVP_PKEY_CTX_free(verifying)
            unsafe EVP_PKEY_CTX_free(agreeing)
            unsafe EVP_PKEY_free(key)
        }
        guard unsafe verifying != nil, unsafe EVP_PKEY_derive_init(agreeing) == 1,
            let keyProvider = unsafe EVP_PKEY_get0_provider(key)
        else { return false }
        return unsafe EVP_PKEY_CTX_get0_provider(verifying) == keyProvider
            && EVP_PKEY_CTX_get0_provider(agreeing) == keyProvider
    }()

    private static let spare = Mutex<[Curve: [KeyShell]]>([:])
    /// The maximum number of spare shells for a curve.
    private static let mostSpare = 32

    let key: OpaquePointer
    /// The prepared context. Each verification uses a copy of it, so that it stays as it was prepared. `nil`
    /// for a shell that is used once.
    private let verifying: OpaquePointer?
    private let curve: Curve

    /// Returns a spare or new shell with the given point.
    ///
    /// - Throws: `pointNotOnCurve` if the point is not on the curve.
    static func holding(_ encodedPoint: [UInt8], on curve: Curve) throws(OpenSSLCryptoError) -> KeyShell {
        let ready = spare.withLock { $0[curve]?.popLast() }
        guard let shell = ready ?? KeyShell(curve, isUsedAgain: areReusable) else {
            throw cleared(.openSSLFailed)
        }
        guard unsafe EVP_PKEY_set1_encoded_public_key(shell.key, encodedPoint, encodedPoint.count) == 1 else {
            // The shell does not become a spare, because the failed OpenSSL call may have left it in an
            // unknown state.
            shell.free()
            throw cleared(.pointNotOnCurve)
        }
        return shell
    }

    /// Creates a shell from a copy of `CurveParameters`, which takes a third of the time of looking up the
    /// group by its name.
    init?(_ curve: Curve, isUsedAgain: Bool) {
        guard let key = unsafe EVP_PKEY_dup(CurveParameters[curve]) else { return nil }
        unsafe self.key = key
        unsafe verifying = isUsedAgain ? Self.verification(with: key) : nil
        self.curve = curve
    }

    /// Returns a context for one verification, which the caller owns; `nil` if OpenSSL failed.
    func verification() -> OpaquePointer? {
        guard let verifying = unsafe verifying else { return unsafe Self.verification(with: key) }
        return unsafe EVP_PKEY_CTX_dup(verifying)
    }

    /// Creates a context for verifications with a key; `nil` if OpenSSL failed.
    private static func verification(with key: OpaquePointer) -> OpaquePointer? {
        let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
        guard unsafe EVP_PKEY_verify_init(context) == 1 else {
            unsafe EVP_PKEY_CTX_free(context)
            return nil
        }
        return unsafe context
    }

    /// Accepts the shell back after the public key that used it was destroyed: stores it as a spare, or frees
    /// it.
    func giveBack() {
        let isKept = unsafe verifying != nil && Self.keep(self)
        if !isKept { free() }
    }

    /// Stores a shell as a spare. Returns `false` if its curve has enough spare shells.
    private static func keep(_ shell: KeyShell) -> Bool {
        spare.withLock { spare in
            guard spare[shell.curve, default: []].count < mostSpare else { return false }
            spare[shell.curve, default: []].append(shell)
            return true
        }
    }

    private func free() {
        unsafe EVP_PKEY_CTX_free(verifying)
        unsafe EVP_PKEY_free(key)
    }
}
