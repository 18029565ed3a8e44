/// The reason for which a scanned text is not passed on. The raw values are the words of the HTTP API.
package enum ScanFault: String, CaseIterable, Sendable {
    /// The text does not begin with `mdoc:`.
    case foreignCode
    /// The text is a reader's engagement (`mdoc://`), which a phone is meant to scan.
    case notADeviceEngagement
    /// The scanner changed the case of the letters. Base64url cannot be restored from that.
    case foldedCase
    /// The text begins with `mdoc:`, and characters are missing or wrong.
    case incompleteCode
}

/// The text of a scanned code, judged: a phone's code, or the reason why it is none.
///
/// Only the form of the text is checked. The daemon parses the engagement.
package enum ScannedCode: Equatable, Sendable {
    case engagement(ScannedEngagement)
    case fault(ScanFault)

    /// Judges a code that a scanner sent as bytes. A code that is too long is foreign.
    package init(_ scanned: ScannedBytes) {
        switch scanned {
        case .code(let bytes, symbology: _): self.init(bytes[...])
        case .tooLong: self = .fault(.foreignCode)
        }
    }

    /// Judges the text of a code.
    ///
    /// The variants that phones make (Q49) are accepted as the daemon accepts them: blanks around the text, one slash
    /// after the scheme, padding, and a scheme in capitals. The last one needs an engagement that is readable as it
    /// stands, since a scheme in capitals is also the sign of a scanner that folds case.
    ///
    /// - Parameters:
    ///   - bytes: the text, without an AIM identifier.
    ///   - isTyped: whether a keyboard scanner typed the text. With Caps Lock such a scanner may invert the case of
    ///     every letter. This is undone if the result reads as an engagement.
    package init(_ bytes: ArraySlice<UInt8>, isTyped: Bool = false) {
        let text = Self.removingBlanks(from: bytes)
        guard let scheme = MdocScheme(of: text) else {
            self = .fault(.foreignCode)
            return
        }
        var data = text.dropFirst(MdocScheme.length)
        if data.starts(with: "//".utf8) {
            self = .fault(.notADeviceEngagement)
            return
        }
        if data.first == UInt8(ascii: "/") { data = data.dropFirst() }
        for _ in 0..<2 where data.last == UInt8(ascii: "=") { data = data.dropLast() }
        guard !data.isEmpty, text.count <= ScannedBytes.maximumLength else {
            self = .fault(.incompleteCode)
            return
        }
        self = Self.judge(data, after: scheme, isTyped: isTyped)
    }

    /// Judges the text after the scheme, in which nothing but characters of base64url is left if it is complete.
    private static func judge(
        _ data: ArraySlice<UInt8>, after scheme: MdocScheme, isTyped: Bool
    ) -> ScannedCode {
        if scheme == .lowerCase {
            return isBase64URL(data) ? .engagement(ScannedEngagement(data)) : .fault(.incompleteCode)
        }
        if readsAsEngagement(data) { return .engagement(ScannedEngagement(data)) }
        let inverted = data.map(Self.inverted)
        if isTyped, scheme == .upperCase, readsAsEngagement(inverted[...]) {
            return .engagement(ScannedEngagement(inverted[...]))
        }
        return .fault(.foldedCase)
    }

    private static func removingBlanks(from text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0d, 0x0a]
        var rest = text.drop { blanks.contains($0) }
        while let last = rest.last, blanks.contains(last) { rest = rest.dropLast() }
        return rest
    }

    /// Returns a letter in the other case, and any other byte unchanged.
    private static func inverted(_ byte: UInt8) -> UInt8 { isLetter(byte) ? byte ^ 0x20 : byte }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// The value of a character of base64url (RFC 4648 5), or `nil` for any other byte.
    private static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }

    /// Whether a text is base64url without padding: its alphabet, a possible length, and no spare bit set. The daemon
    /// checks the same.
    private static func isBase64URL(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.allSatisfy({ value(of: $0) != nil }), let last = text.last.flatMap(value) else {
            return false
        }
        // Two characters are 12 bits, of which 4 are spare; three are 18 bits, of which 2 are spare. A single
        // character has too few bits for a byte.
        return switch text.count % 4 {
        case 0: true
        case 2: last & 0x0f == 0
        case 3: last & 0x03 == 0
        default: false
        }
    }

    /// Whether a text is base64url and its bytes begin as a DeviceEngagement does (ISO/IEC 18013-5 8.2.1.1): a CBOR
    /// map whose first entry is the version, `0: "1.…"`.
    ///
    /// The first eight characters of such a text have both small letters and capitals. A text that was folded to one
    /// case, or inverted, never begins in this way.
    private static func readsAsEngagement(_ text: ArraySlice<UInt8>) -> Bool {
        guard isBase64URL(text), text.count >= 8 else { return false }
        let bits = text.prefix(8).compactMap(value).reduce(UInt64(0)) { $0 << 6 | UInt64($1) }
        let map = UInt8(truncatingIfNeeded: bits >> 40)
        // A map of 1 to 23 entries or of indefinite length. Then the key 0, the head of a text of three characters,
        // and the characters `1.`.
        return ((0xa1...0xb7).contains(map) || map == 0xbf)
            && UInt32(truncatingIfNeeded: bits >> 8) == 0x0063_312e
    }
}

/// A phone's code whose form is right: `mdoc:` and base64url without padding (ISO/IEC 18013-5 8.2.2.3).
///
/// The text cannot be printed by accident. It belongs in the request to the daemon, and nowhere else.
package struct ScannedEngagement: Equatable, Sendable, RedactedScan {
    private let text: String

    /// Creates an engagement of the characters after the scheme, which are base64url.
    fileprivate init(_ data: ArraySlice<UInt8>) {
        text = "mdoc:" + String(decoding: data, as: UTF8.self)
    }

    /// Returns the text of the code, with the scheme in lower case and without blanks, slash and padding.
    package func uri() -> String { text }

    /// The number of characters of the code, with its scheme.
    package var length: Int { text.utf8.count }

    package var description: String { "a phone's code, \(length) characters" }
}

/// The scheme of a phone's code, in the case in which the scanner sent it.
enum MdocScheme: Equatable, Sendable {
    case lowerCase, upperCase, mixedCase

    /// The number of characters of `mdoc:`.
    static let length = 5

    /// Reads the scheme at the beginning of a text. `nil` if the text begins with anything else.
    init?(of text: some Collection<UInt8>) {
        let scheme = Array(text.prefix(Self.length))
        if scheme == Array("mdoc:".utf8) {
            self = .lowerCase
        } else if scheme == Array("MDOC:".utf8) {
            self = .upperCase
        } else {
            // The sign has no other case, so that bit is compared for the letters only.
            guard scheme.count == Self.length, scheme.last == UInt8(ascii: ":"),
                scheme.dropLast().map({ $0 | 0x20 }) == Array("mdoc".utf8)
            else { return nil }
            self = .mixedCase
        }
    }
}
