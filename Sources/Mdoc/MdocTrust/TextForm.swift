/// The form of a text that was given in place of a list in CBOR or DER. It is recognised so that an error can
/// name it (Q229).
package enum TextForm: String, CaseIterable, Sendable {
    /// A JSON Web Token in compact form (RFC 7519).
    case jwt
    case json
    /// HTML or XML, such as the error page of a server.
    case markup
    /// PEM (RFC 7468).
    case pem
    case hexadecimal
    /// Base64 or base64url, without the boundary lines of PEM.
    case base64

    /// The minimum number of characters, white space included, for a text to count as hexadecimal or base64.
    private static let fewestDigits = 16

    /// Recognises the form of `bytes`; `nil` if they are not text in one of these forms.
    ///
    /// A byte order mark, and white space around the text, are ignored.
    package init?(_ bytes: ArraySlice<UInt8>) {
        let text = bytes.withoutByteOrderMark.withoutSpaceAround
        guard let first = text.first else { return nil }
        switch first {
        case UInt8(ascii: "<"): self = .markup
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""): self = .json
        default:
            if text.hasPEMBoundary {
                self = .pem
            } else if text.isJWT {
                self = .jwt
            } else if text.hasDigits(Self.fewestDigits, where: \.isHexadecimalDigit) {
                self = .hexadecimal
            } else if text.hasDigits(Self.fewestDigits, where: \.isBase64Digit) {
                self = .base64
            } else {
                return nil
            }
        }
        // CBOR can begin with the same byte as one of these texts, but its other bytes are hardly ever all
        // printable.
        guard text.allSatisfy(\.isText), String(validating: text, as: UTF8.self) != nil else { return nil }
    }

    /// The form in words, with an article.
    package var explanation: String {
        switch self {
        case .jwt: "a JWT"
        case .json: "JSON"
        case .markup: "HTML or XML, such as an error page of a server"
        case .pem: "PEM"
        case .hexadecimal: "a text of hexadecimal digits: convert it to bytes first"
        case .base64: "a text in base64: decode it first"
        }
    }
}

extension ArraySlice where Element == UInt8 {
    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

    fileprivate var withoutByteOrderMark: ArraySlice<UInt8> {
        starts(with: Self.byteOrderMark) ? dropFirst(Self.byteOrderMark.count) : self
    }

    fileprivate var withoutSpaceAround: ArraySlice<UInt8> {
        let tail = drop(while: \.isSpace)
        return tail.dropLast(tail.reversed().prefix(while: \.isSpace).count)
    }

    fileprivate var hasPEMBoundary: Bool {
        firstRange(of: Array("-----BEGIN ".utf8)) != nil
    }

    /// Whether the text is a JWT: three parts (signed) or five (encrypted) in base64url, of which the first
    /// is a JSON object.
    fileprivate var isJWT: Bool {
        let parts = split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // `eyJ` is the beginning of a JSON object, `{"`, in base64url.
        return (parts.count == 3 || parts.count == 5) && starts(with: "eyJ".utf8)
            && parts.allSatisfy { $0.allSatisfy(\.isBase64Digit) }
    }

    /// Whether the text has at least `fewest` characters, and consists of digits and white space.
    fileprivate func hasDigits(_ fewest: Int, where isDigit: (UInt8) -> Bool) -> Bool {
        count >= fewest && allSatisfy { isDigit($0) || $0.isSpace }
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0d).contains(self) }

    /// Whether the byte is allowed in a text: no control character other than white space.
    fileprivate var isText: Bool { self >= 0x20 && self != 0x7f || isSpace }

    fileprivate var isHexadecimalDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// Whether the byte is a digit or the padding of base64 or base64url (RFC 4648).
    fileprivate var isBase64Digit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "="):
            true
        default: false
        }
    }
}
