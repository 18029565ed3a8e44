internal import COpenSSL

/// An `EVP_PKEY` with one owner. When the owner is destroyed, the key is freed, or given back to its
/// `KeyShell` for reuse.
@safe struct KeyHandle: ~Copyable, @unchecked Sendable {  // any thread may use a key that nobody changes
    let pointer: OpaquePointer
    /// The `OSSL_LIB_CTX` for operations with the key; `nil` for OpenSSL's default context.
    let library: OpaquePointer?
    /// The reusable `EVP_PKEY` that holds a public key on a Weierstrass curve; `nil` for other keys.
    let shell: KeyShell?

    /// Takes ownership of `pointer`. Throws `error` if `pointer` is `nil`, which means that an OpenSSL call
    /// failed.
    init(
        owning pointer: OpaquePointer?, in library: OpaquePointer? = nil, orThrow error: OpenSSLCryptoError
    ) throws(OpenSSLCryptoError) {
        guard let pointer = unsafe pointer else { throw cleared(error) }
        unsafe self.pointer = pointer
        unsafe self.library = library
        shell = nil
    }

    deinit {
        if let shell { return shell.giveBack() }
        guard isInTPM else { return unsafe EVP_PKEY_free(pointer) }
        let leaving = unsafe Leaving(pointer: pointer)
        TPM.exclusively { unsafe EVP_PKEY_free(leaving.pointer) }
    }

    /// A key that is freed under the TPM's lock, because freeing it also unloads it from the TPM.
    @safe private struct Leaving: @unchecked Sendable {  // its only owner is being destroyed
        let pointer: OpaquePointer
    }

    var isInTPM: Bool { unsafe library != nil }

    /// Creates a public key from an encoded point (04‖x‖y or compressed) or from a raw key. OpenSSL checks
    /// that a point is on the curve.
    init(curve: Curve, encodedPoint: [UInt8]) throws(OpenSSLCryptoError) {
        guard curve.family == .weierstrass else {
            try unsafe self.init(
                owning: EVP_PKEY_new_raw_public_key_ex(
                    nil, curve.openSSLName.cString, nil, encodedPoint, encodedPoint.count),
                orThrow: .pointNotOnCurve)
            return
        }
        self.init(try KeyShell.holding(encodedPoint, on: curve))
    }

    /// Creates the public key that a shell holds. The shell stays the owner of the `EVP_PKEY`.
    init(_ shell: KeyShell) {
        unsafe pointer = shell.key
        unsafe library = nil
        self.shell = shell
    }

    /// Creates a Weierstrass key from OpenSSL's parameters. `selection` says whether the parameters include a
    /// private part.
    static func weierstrassKey(_ parameters: [OSSL_PARAM], selection: Int32) -> OpaquePointer? {
        let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var parameters = unsafe parameters
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_fromdata_init(context) == 1,
            unsafe EVP_PKEY_fromdata(context, &key, selection, &parameters) == 1
        else { return nil }
        return unsafe key
    }

    /// Writes a number of the key into `target` as `size` big-endian bytes. Returns `false` if the key has no
    /// such number, or a longer one.
    func number(_ name: String, size: Int, into target: UnsafeMutableRawBufferPointer) -> Bool {
        var number: OpaquePointer?
        defer { unsafe BN_clear_free(number) }
        let bytes = unsafe target.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return unsafe EVP_PKEY_get_bn_param(pointer, name, &number) == 1
            && BN_bn2binpad(number, bytes, Int32(size)) == Int32(size)
    }
}
