internal import COpenSSL

/// The `EVP_PKEY` of each Weierstrass curve, with the parameters of the curve. Each is created once, because
/// OpenSSL 3.0 computes a group's Montgomery context again whenever the group is looked up by name.
enum CurveParameters {
    // These keys never change, so any thread may copy them.
    private nonisolated(unsafe) static let p256 = unsafe make(.p256)
    private nonisolated(unsafe) static let p384 = unsafe make(.p384)
    private nonisolated(unsafe) static let p521 = unsafe make(.p521)
    private nonisolated(unsafe) static let brainpoolP256r1 = unsafe make(.brainpoolP256r1)
    private nonisolated(unsafe) static let brainpoolP320r1 = unsafe make(.brainpoolP320r1)
    private nonisolated(unsafe) static let brainpoolP384r1 = unsafe make(.brainpoolP384r1)
    private nonisolated(unsafe) static let brainpoolP512r1 = unsafe make(.brainpoolP512r1)

    /// Returns the parameters of a Weierstrass curve; `nil` for Montgomery and Edwards curves, which need
    /// none.
    static subscript(curve: Curve) -> OpaquePointer? {
        switch curve {
        case .p256: unsafe p256
        case .p384: unsafe p384
        case .p521: unsafe p521
        case .brainpoolP256r1: unsafe brainpoolP256r1
        case .brainpoolP320r1: unsafe brainpoolP320r1
        case .brainpoolP384r1: unsafe brainpoolP384r1
        case .brainpoolP512r1: unsafe brainpoolP512r1
        case .x25519, .x448, .ed25519, .ed448: nil
        }
    }

    private static func make(_ curve: Curve) -> OpaquePointer? {
        unsafe KeyHandle.weierstrassKey(
            [OSSL_PARAM.text("group", curve.openSSLName), .end], selection: COPENSSL_PKEY_KEY_PARAMETERS)
    }
}
