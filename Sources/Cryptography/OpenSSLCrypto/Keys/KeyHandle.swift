internal import COpenSSL

/// One `EVP_PKEY`, freed with its owner.
@safe struct KeyHandle: ~Copyable, @unchecked Sendable {  // OpenSSL lets any thread use a key nobody changes
    let pointer: OpaquePointer
    /// The `OSSL_LIB_CTX` that computes with the key; nil for OpenSSL's own.
    let library: OpaquePointer?
    /// Holds a public key of a Weierstrass curve, and frees or reuses it; nil for other keys.
    let shell: KeyShell?

    /// Takes ownership of `pointer`; nil means that a call failed.
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

    /// A key that is freed, in the TPM too.
    @safe private struct Leaving: @unchecked Sendable {  // nobody else has it any more
        let pointer: OpaquePointer
    }

    var isInTPM: Bool { unsafe library != nil }

    /// A public key from 04‖x‖y or another encoded point, or from a raw key. Decoding a point checks that it
    /// is on the curve.
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

    init(_ shell: KeyShell) {
        unsafe pointer = shell.key
        unsafe library = nil
        self.shell = shell
    }

    /// A Weierstrass key from OpenSSL's parameters; `selection` says whether a private part is among them.
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

    /// Writes a number of the key into `target` as `size` big-endian bytes; false if the key has no such number, or a
    /// longer one.
    func number(_ name: String, size: Int, into target: UnsafeMutableRawBufferPointer) -> Bool {
        var number: OpaquePointer?
        defer { unsafe BN_clear_free(number) }
        let bytes = unsafe target.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return unsafe EVP_PKEY_get_bn_param(pointer, name, &number) == 1
            && BN_bn2binpad(number, bytes, Int32(size)) == Int32(size)
    }
}
