internal import COpenSSL

/// A private key, in memory or in this machine's TPM.
///
/// A key in memory is in an OpenSSL object, which overwrites the key when the value is destroyed. A key in
/// the TPM never leaves the TPM unwrapped; its operations run one at a time under the lock of `TPM`. Both
/// kinds have the same functions: `sign`, `sharedSecret` and `publicKey`. Only the functions that export the
/// private half throw `keyStaysInTPM`.
///
/// The type is noncopyable and has no description. It can be used from any thread, because no function
/// changes it. The public point is stored beside the OpenSSL object, so reading the point needs no OpenSSL
/// call.
package struct PrivateKey: ~Copyable, Sendable {
    package let curve: Curve
    /// The public point as 04‖x‖y, or the raw public key on a Montgomery or Edwards curve.
    package let encodedPoint: [UInt8]
    let handle: KeyHandle

    /// Generates a key in memory.
    package static func generate(_ curve: Curve) throws(OpenSSLCryptoError) -> PrivateKey {
        try PrivateKey(curve: curve, handle: KeyHandle(generating: curve))
    }

    /// Creates a key from its scalar.
    ///
    /// - Parameter scalar: the scalar as at most `curve.coordinateSize` big-endian bytes, in 1 ..< order. On
    ///   a Montgomery or Edwards curve, the raw private key of exactly that size.
    package init(curve: Curve, scalar: ArraySlice<UInt8>) throws(OpenSSLCryptoError) {
        try self.init(
            curve: curve,
            handle: curve.family == .weierstrass
                ? KeyHandle(curve: curve, scalar: scalar) : KeyHandle(curve: curve, rawPrivateKey: scalar))
    }

    /// Creates the value from OpenSSL's key, and reads the public point from that key.
    init(curve: Curve, handle: consuming KeyHandle) throws(OpenSSLCryptoError) {
        var point = [UInt8](
            repeating: 0, count: curve.coordinateSize * (curve.family == .weierstrass ? 2 : 1))
        // One more byte is needed on a Weierstrass curve, because the byte 04 precedes the coordinates.
        if curve.family == .weierstrass { point.append(0) }
        var written = 0
        let found = unsafe EVP_PKEY_get_octet_string_param(
            handle.pointer, OSSL_PKEY_PARAM_PUB_KEY, &point, point.count, &written)
        guard found == 1, written == point.count else { throw cleared(.openSSLFailed) }
        self.curve = curve
        encodedPoint = point
        self.handle = handle
    }

    /// The location of the private half of a key.
    package enum Residence: String, Sendable { case memory, tpm }

    package var residence: Residence { handle.isInTPM ? .tpm : .memory }

    /// The x coordinate of the public point, `curve.coordinateSize` bytes, or the raw public key.
    package var x: [UInt8] { curve.x(of: encodedPoint) }

    /// The y coordinate of the public point; empty for Montgomery and Edwards curves.
    package var y: [UInt8] { curve.y(of: encodedPoint) }

    package borrowing func publicKey() throws(OpenSSLCryptoError) -> PublicKey {
        if curve.family == .weierstrass {
            try PublicKey(curve: curve, uncompressedPoint: encodedPoint[...])
        } else {
            try PublicKey(curve: curve, raw: encodedPoint[...])
        }
    }
}

extension KeyHandle {
    fileprivate init(generating curve: Curve) throws(OpenSSLCryptoError) {
        try unsafe self.init(owning: KeyGenerator.generate(curve), orThrow: .openSSLFailed)
    }

    /// Creates a Montgomery or Edwards key from its raw private key.
    fileprivate init(curve: Curve, rawPrivateKey bytes: ArraySlice<UInt8>) throws(OpenSSLCryptoError) {
        guard bytes.count == curve.coordinateSize else { throw .keyMalformed }
        let key = unsafe bytes.withUnsafeBufferPointer {
            unsafe EVP_PKEY_new_raw_private_key_ex(
                nil, curve.openSSLName.cString, nil, $0.baseAddress, $0.count)
        }
        try unsafe self.init(owning: key, orThrow: .keyMalformed)
    }

    /// Creates a Weierstrass key from at most `curve.coordinateSize` big-endian bytes.
    fileprivate init(curve: Curve, scalar: ArraySlice<UInt8>) throws(OpenSSLCryptoError) {
        guard scalar.count <= curve.coordinateSize else { throw .scalarOutOfRange }
        // OpenSSL does not compute the public point of a key that is created from numbers.
        let point = try publicPoint(of: scalar, on: curve)
        // OpenSSL expects the number in the machine's byte order.
        let native = unsafe SecretBytes(count: scalar.count) { target in
            for (index, byte) in scalar.reversed().enumerated() { unsafe target[index] = byte }
        }
        let key = unsafe native.withUnsafeBytes { scalar in
            unsafe point.withUnsafeBytes { point in
                let parameters = unsafe [
                    OSSL_PARAM.text("group", curve.openSSLName), .octets("pub", point),
                    .number("priv", littleEndian: UnsafeMutableRawBufferPointer(mutating: scalar)), .end,
                ]
                return unsafe Self.weierstrassKey(parameters, selection: COPENSSL_PKEY_KEYPAIR)
            }
        }
        try unsafe self.init(owning: key, orThrow: .openSSLFailed)
    }
}

/// Returns the public point 04‖x‖y of a private scalar. Throws `scalarOutOfRange` unless the scalar is in 1
/// ..< order.
private func publicPoint(of scalar: ArraySlice<UInt8>, on curve: Curve) throws(OpenSSLCryptoError) -> [UInt8]
{
    guard let identifier = curve.groupIdentifier else { throw .unsupportedKey }
    let group = unsafe EC_GROUP_new_by_curve_name(identifier)
    let number = unsafe scalar.withUnsafeBufferPointer {
        unsafe BN_bin2bn($0.baseAddress, Int32($0.count), nil)
    }
    let point = unsafe EC_POINT_new(group)
    defer {
        unsafe EC_POINT_free(point)
        unsafe BN_clear_free(number)
        unsafe EC_GROUP_free(group)
    }
    guard unsafe group != nil, unsafe number != nil, unsafe point != nil else {
        throw cleared(.openSSLFailed)
    }
    guard unsafe BN_is_zero(number) == 0, unsafe BN_cmp(number, EC_GROUP_get0_order(group)) < 0 else {
        throw .scalarOutOfRange
    }
    // Makes the multiplication take constant time, because the scalar is secret.
    unsafe BN_set_flags(number, BN_FLG_CONSTTIME)
    var encoded = [UInt8](repeating: 0, count: 1 + 2 * curve.coordinateSize)
    let multiplied = unsafe EC_POINT_mul(group, point, number, nil, nil, nil)
    let form = POINT_CONVERSION_UNCOMPRESSED
    guard multiplied == 1,
        unsafe EC_POINT_point2oct(group, point, form, &encoded, encoded.count, nil) == encoded.count
    else { throw cleared(.openSSLFailed) }
    return encoded
}
