/// LabeledExtract and LabeledExpand (RFC 9180 4): HKDF with labels that separate the derivations of different
/// suites.
struct HPKEDerivation: Sendable {
    private let suite: [UInt8]

    /// The derivation in the key encapsulation: "KEM" and 0x0010, DHKEM(P-256, HKDF-SHA256).
    static let keyEncapsulation = HPKEDerivation(suite: Array("KEM".utf8) + [0x00, 0x10])

    /// The derivation in the key schedule: "HPKE" and the numbers of the KEM, of HKDF-SHA256 and of
    /// AES-128-GCM.
    static let keySchedule = HPKEDerivation(suite: Array("HPKE".utf8) + [0x00, 0x10, 0x00, 0x01, 0x00, 0x01])

    /// Performs LabeledExtract with an empty salt.
    func extract(
        _ label: StaticString, _ input: ArraySlice<UInt8>
    ) throws(OpenSSLCryptoError) -> SecretBytes {
        try extract(salt: SecretBytes(copying: []), label, input)
    }

    /// Performs LabeledExtract.
    func extract(
        salt: borrowing SecretBytes, _ label: StaticString, _ input: ArraySlice<UInt8>
    ) throws(OpenSSLCryptoError) -> SecretBytes {
        try hkdfExtract(salt: salt, over: [Self.version[...], suite[...], label.bytes[...], input])
    }

    /// Performs LabeledExpand to `count` bytes.
    func expand(
        _ key: borrowing SecretBytes, _ label: StaticString, _ info: ArraySlice<UInt8>, count: Int
    ) throws(OpenSSLCryptoError) -> SecretBytes {
        guard let length = UInt16(exactly: count) else { throw .tooLong }
        let labelled =
            [UInt8(length >> 8), UInt8(length & 0xff)] + Self.version + suite + label.bytes + info
        return try hkdfExpand(key: key, info: labelled[...], count: count)
    }

    private static let version = Array("HPKE-v1".utf8)
}

extension StaticString {
    fileprivate var bytes: [UInt8] { withUTF8Buffer { unsafe [UInt8]($0) } }
}
