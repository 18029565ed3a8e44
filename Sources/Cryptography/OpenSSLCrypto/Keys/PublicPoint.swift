internal import COpenSSL

/// The public point 04‖x‖y of a private scalar, which has to be in 1 ..< order.
func publicPoint(of scalar: ArraySlice<UInt8>, on curve: Curve) throws(OpenSSLCryptoError) -> [UInt8] {
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
    unsafe BN_set_flags(number, BN_FLG_CONSTTIME)
    var encoded = [UInt8](repeating: 0, count: 1 + 2 * curve.coordinateSize)
    let multiplied = unsafe EC_POINT_mul(group, point, number, nil, nil, nil)
    let form = POINT_CONVERSION_UNCOMPRESSED
    guard multiplied == 1,
        unsafe EC_POINT_point2oct(group, point, form, &encoded, encoded.count, nil) == encoded.count
    else { throw cleared(.openSSLFailed) }
    return encoded
}
