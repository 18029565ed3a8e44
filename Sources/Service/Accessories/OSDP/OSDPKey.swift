internal import OpenSSLCrypto

/// The key of the secure channel that the panel and this peripheral share (SCBK): 16 bytes.
///
/// The bytes are destroyed with the value. It has no description.
package struct OSDPKey: ~Copyable, Sendable {
    private var cipher: AES128
    /// Whether this is the default key that the standard publishes, which anybody can use.
    let isDefault: Bool

    /// Reads the key of a file.
    ///
    /// - Parameter contents: 32 hexadecimal digits, and at most one end of line after them. The caller overwrites
    ///   its copy.
    /// - Throws: `keyMalformed`, or `keyIsDefault` for the default key.
    package init(fileContents contents: ArraySlice<UInt8>) throws(OSDPFault) {
        let secret = try Self.secret(contents)
        guard !secret.equals(Self.defaultSecret) else { throw .keyIsDefault }
        try self.init(secret, isDefault: false)
    }

    /// Returns the default key, for the time in which an installer pairs the peripheral with its panel. No card is
    /// ever sent with this key.
    package static func installing() throws(OSDPFault) -> OSDPKey {
        try OSDPKey(defaultSecret, isDefault: true)
    }

    private init(_ secret: consuming SecretBytes, isDefault: Bool) throws(OSDPFault) {
        do throws(OpenSSLCryptoError) {
            cipher = try AES128(key: secret)
        } catch {
            throw .cryptographyFailed
        }
        self.isDefault = isDefault
    }

    /// Derives the keys of a session.
    ///
    /// - Parameter panelRandom: the eight random bytes of the panel.
    mutating func sessionKeys(
        panelRandom: ArraySlice<UInt8>
    ) throws(OpenSSLCryptoError) -> OSDPSessionKeys {
        // Each key is the encryption of a block with two fixed bytes, six of the panel's random bytes, and zeros.
        let tail = panelRandom.prefix(6) + [UInt8](repeating: 0, count: 8)
        let encryption = try AES128(key: cipher.encryptSecretBlock([0x01, 0x82] + tail))
        let firstMAC = try AES128(key: cipher.encryptSecretBlock([0x01, 0x01] + tail))
        let lastMAC = try AES128(key: cipher.encryptSecretBlock([0x01, 0x02] + tail))
        return OSDPSessionKeys(encryption: encryption, firstMAC: firstMAC, lastMAC: lastMAC)
    }

    /// The default key (SCBK-D): 30 to 3F.
    private static var defaultSecret: SecretBytes { SecretBytes(copying: [UInt8](0x30...0x3f)[...]) }

    private static func secret(_ contents: ArraySlice<UInt8>) throws(OSDPFault) -> SecretBytes {
        var digits = contents
        if digits.last == UInt8(ascii: "\n") { digits.removeLast() }
        if digits.last == UInt8(ascii: "\r") { digits.removeLast() }
        guard digits.count == 2 * AES128.blockSize else { throw .keyMalformed }
        return try unsafe SecretBytes(count: AES128.blockSize) { target throws(OSDPFault) in
            for index in 0..<AES128.blockSize {
                let position = digits.startIndex + 2 * index
                guard let high = digit(digits[position]), let low = digit(digits[position + 1]) else {
                    throw .keyMalformed
                }
                unsafe target[index] = high << 4 | low
            }
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// The reason why a peripheral cannot be made from the configuration.
package enum OSDPFault: Error, Equatable, Sendable {
    /// The key file does not consist of 32 hexadecimal digits.
    case keyMalformed
    /// The key file has the default key 30 to 3F, which anybody can use.
    case keyIsDefault
    /// The address is not from 0 to 126.
    case addressOutOfRange
    /// The card does not have 26 or 34 bits, or its facility or number does not fit.
    case cardOutOfRange
    case cryptographyFailed
}

extension OSDPFault {
    /// A text that describes the fault.
    package var explanation: String {
        switch self {
        case .keyMalformed: "the key file must contain 32 hexadecimal digits"
        case .keyIsDefault:
            "the key file contains the default key of OSDP, which is public: "
                + "create a random key, and set it at the panel too"
        case .addressOutOfRange: "the address must be from 0 to 126"
        case .cardOutOfRange:
            "the card must have 26 bits (facility 0 to 255) or 34 bits (facility 0 to 65535), "
                + "and a number from 0 to 65535"
        case .cryptographyFailed: "OpenSSL reported an error in the computation"
        }
    }
}
