internal import Glibc
package import MdocModel
package import OpenSSLCrypto
package import ReaderIdentityStore

/// A brand in whose name a reader sends requests: the name and logo that pages show, the keys of its token
/// server, and the identity that signs its requests.
package struct Brand: Hashable, Sendable {
    /// The brand's identifier, the claim `iss` of its tokens.
    package let identifier: TokenText
    package let name: BrandName
    /// The name of the logo's file in the folder of brands.
    package var logo: LogoName?
    /// The identity that signs the brand's requests; `nil` if the brand has no fixed identity and the rules
    /// of the command `identity choose` apply.
    package var identity: IdentityName?
    package internal(set) var keys: [BrandKey]

    package init(
        identifier: TokenText, name: BrandName, logo: LogoName? = nil, identity: IdentityName? = nil,
        keys: [BrandKey] = []
    ) {
        self.identifier = identifier
        self.name = name
        self.logo = logo
        self.identity = identity
        self.keys = keys
    }
}

/// The name of a brand as people read it: 1 to 64 visible characters in one line. Characters that are
/// invisible or change the direction of text are refused, so that no name can imitate another.
package struct BrandName: Hashable, Sendable {
    package let text: String

    package init?(_ text: String) {
        guard (1...64).contains(text.unicodeScalars.count), text.first != " ", text.last != " ",
            text.unicodeScalars.allSatisfy(\.isShown)
        else { return nil }
        self.text = text
    }
}

extension Unicode.Scalar {
    /// Whether the character may be in a name: it is no control or format character, and no line break.
    fileprivate var isShown: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            false
        default: true
        }
    }
}

/// A public key of a brand's token server: a point on P-256 with its key identifier.
package struct BrandKey: Hashable, Sendable {
    /// The key identifier, the header member `kid` of tokens.
    package let identifier: TokenText
    /// The coordinates of the point on P-256, 32 bytes each.
    package let x: [UInt8]
    package let y: [UInt8]
    /// The last instant at which a reader accepts a token that this key signed; `nil` for no limit.
    package let notAfter: Timestamp?
    package internal(set) var isRevoked: Bool

    /// Creates the key. Throws `keyNotP256` for a key on another curve.
    package init(
        _ identifier: TokenText, _ key: borrowing PublicKey, notAfter: Timestamp? = nil,
        isRevoked: Bool = false
    ) throws(BrandFault) {
        guard key.curve == .p256 else { throw .keyNotP256 }
        self.identifier = identifier
        (x, y) = (key.x, key.y)
        self.notAfter = notAfter
        self.isRevoked = isRevoked
    }
}

/// A brand's logo as a PNG that a browser may receive.
///
/// Only PNG is accepted: unlike SVG it cannot contain scripts or addresses, and every page and receipt
/// printer shows it. The pixels are not decoded here, because the file comes from the operator.
package struct BrandLogo: Equatable, Sendable {
    /// The maximum size of the file, in bytes.
    package static let longest = 256 << 10
    /// The maximum number of columns and of rows.
    private static let largestSide = 2048

    package let png: [UInt8]
    package let width: Int
    package let height: Int

    package init(png: [UInt8]) throws(LogoFault) {
        guard png.count <= Self.longest else { throw .tooLong(limit: Self.longest) }
        // The signature, and a first chunk IHDR of 13 bytes (PNG, third edition, 5.2 and 11.2.1). Signature,
        // IHDR, IEND and an empty data chunk take 57 bytes together. A PNG with a picture is longer.
        guard png.starts(with: Self.signature + [0, 0, 0, 13] + Array("IHDR".utf8)), png.count > 57,
            png.suffix(12).elementsEqual(Self.end)
        else { throw .notPNG }
        (width, height) = (Self.number(png[16..<20]), Self.number(png[20..<24]))
        guard width > 0, height > 0 else { throw .notPNG }
        guard max(width, height) <= Self.largestSide else { throw .tooLarge(limit: Self.largestSide) }
        self.png = png
    }

    private static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    /// The empty chunk IEND with its checksum, which ends a PNG.
    private static let end: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}

/// The name of a logo's file: an identifier followed by `.png`. Such a name has no path separators, so it
/// cannot lead out of the folder of brands.
package struct LogoName: Hashable, Comparable, Sendable {
    package let text: String

    /// Creates the name under which the logo of this brand is stored.
    package init(of brand: TokenText) { text = "\(brand.text).png" }

    package init?(_ text: String) {
        guard text.hasSuffix(".png"), let identifier = TokenText(String(text.dropLast(4))) else { return nil }
        self.init(of: identifier)
    }

    /// Orders shorter names first, as the keys of a CBOR map (RFC 8949 4.2.1).
    package static func < (one: LogoName, other: LogoName) -> Bool {
        (one.text.utf8.count, one.text) < (other.text.utf8.count, other.text)
    }
}

/// The two colours of a shop's pages. The initialiser refuses a pair on which text cannot be read.
package struct BrandColours: Equatable, Sendable {
    /// The minimum contrast of text and background, in hundredths (WCAG 2.2, 1.4.3).
    package static let leastContrast = 450

    package let ground: PageColour
    package let words: PageColour

    package init(ground: PageColour, words: PageColour) throws(ContrastFault) {
        let contrast = ground.contrast(with: words)
        guard contrast >= Self.leastContrast else { throw ContrastFault(contrast: contrast) }
        self.ground = ground
        self.words = words
    }
}

/// The error for two colours with too little contrast to read text.
package struct ContrastFault: Error, CustomStringConvertible {
    /// The contrast of the two colours, in hundredths.
    package let contrast: Int

    package var description: String {
        "the contrast of ground and words is \(Self.ratio(contrast)), below \(Self.ratio(BrandColours.leastContrast)), "
            + "the minimum for readable text: make the darker colour darker, or the lighter one lighter"
    }

    private static func ratio(_ hundredths: Int) -> String {
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest):1"
    }
}

/// A colour of a page, without transparency.
package struct PageColour: Equatable, Sendable {
    private let red: UInt8
    private let green: UInt8
    private let blue: UInt8

    /// Creates a colour; `nil` if the text has another form.
    ///
    /// - Parameter text: `#rrggbb` in hexadecimal digits.
    package init?(_ text: String) {
        guard text.utf8.count == 7, text.hasPrefix("#"), text.utf8.dropFirst().allSatisfy(Self.isDigit),
            let number = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        (red, green, blue) = (UInt8(number >> 16), UInt8(number >> 8 & 0xff), UInt8(number & 0xff))
    }

    /// The colour as CSS text, such as `#0a6cff`.
    package var text: String {
        "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Returns the contrast with another colour in hundredths, from 100 to 2100 (WCAG 2.2, "contrast ratio"),
    /// rounded down.
    package func contrast(with other: PageColour) -> Int {
        let light = max(luminance, other.luminance)
        let dark = min(luminance, other.luminance)
        // The small addend compensates for binary fractions: a ratio of exactly 4.5 must not become 449.
        return Int((light + 0.05) / (dark + 0.05) * 100 + 0.000_001)
    }

    /// The relative luminance (WCAG 2.2).
    private var luminance: Double {
        0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue)
    }

    /// Returns the linear value of a colour component, from 0 to 1 (WCAG 2.2, "relative luminance").
    private static func linear(_ value: UInt8) -> Double {
        let share = Double(value) / 255
        return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }
}
