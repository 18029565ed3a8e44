internal import COpenSSL
internal import Synchronization

/// An `EVP_PKEY` of a Weierstrass curve that takes one public key after the other, and what begins a verification with
/// it. To make one, OpenSSL walks through the names of all algorithms twice; to give one another point takes a quarter
/// of that. A shell that lies ready still has the point it had.
@safe struct KeyShell: @unchecked Sendable {  // whoever took it is the only one who changes it
    /// Whether keys, verifications and agreements use one provider, as they do unless OpenSSL's configuration says
    /// otherwise. For another provider OpenSSL keeps a copy with the key, and would continue to use the copy of the
    /// previous point. In that case no shell is reused.
    private static let areUsedAgain: Bool = {
        guard let key = unsafe KeyGenerator.generate(.p256) else { return false }
        let verifying = unsafe verification(with: key)
        let agreeing = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
        defer {
            unsafe EVP_PKEY_CTX_free(verifying)
            unsafe EVP_PKEY_CTX_free(agreeing)
            unsafe EVP_PKEY_free(key)
        }
        guard unsafe verifying != nil, unsafe EVP_PKEY_derive_init(agreeing) == 1,
            let own = unsafe EVP_PKEY_get0_provider(key)
        else { return false }
        return unsafe EVP_PKEY_CTX_get0_provider(verifying) == own
            && EVP_PKEY_CTX_get0_provider(agreeing) == own
    }()

    private static let spare = Mutex<[Curve: [KeyShell]]>([:])
    /// So many of a curve lie ready at most.
    private static let mostSpare = 32

    let key: OpaquePointer
    /// Only ever copied; nil for a shell that is used once.
    private let verifying: OpaquePointer?
    private let curve: Curve

    /// One that lay ready, or a new one, that holds the point.
    static func holding(_ encodedPoint: [UInt8], on curve: Curve) throws(OpenSSLCryptoError) -> KeyShell {
        let ready = spare.withLock { $0[curve]?.popLast() }
        guard let shell = ready ?? KeyShell(curve, isUsedAgain: areUsedAgain) else {
            throw cleared(.openSSLFailed)
        }
        guard unsafe EVP_PKEY_set1_encoded_public_key(shell.key, encodedPoint, encodedPoint.count) == 1 else {
            shell.free()
            throw cleared(.pointNotOnCurve)
        }
        return shell
    }

    /// A copy of prepared parameters costs a third of naming the group each time.
    init?(_ curve: Curve, isUsedAgain: Bool) {
        guard let key = unsafe EVP_PKEY_dup(CurveParameters[curve]) else { return nil }
        unsafe self.key = key
        unsafe verifying = isUsedAgain ? Self.verification(with: key) : nil
        self.curve = curve
    }

    /// A context of the caller's own that may verify; nil if OpenSSL fails.
    func verification() -> OpaquePointer? {
        guard let verifying = unsafe verifying else { return unsafe Self.verification(with: key) }
        return unsafe EVP_PKEY_CTX_dup(verifying)
    }

    private static func verification(with key: OpaquePointer) -> OpaquePointer? {
        let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
        guard unsafe EVP_PKEY_verify_init(context) == 1 else {
            unsafe EVP_PKEY_CTX_free(context)
            return nil
        }
        return unsafe context
    }

    /// Its key is nobody's any more.
    func giveBack() {
        let isKept = unsafe verifying != nil && Self.keep(self)
        if !isKept { free() }
    }

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
