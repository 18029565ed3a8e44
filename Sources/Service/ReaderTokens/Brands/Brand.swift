package import MdocModel
package import OpenSSLCrypto
package import ReaderIdentityStore

/// In whose name a reader asks: what a page shows of it, the keys of its token server, and the identity to sign requests
/// with.
package struct Brand: Hashable, Sendable {
    /// `iss` of its tokens.
    package let identifier: TokenText
    package let name: BrandName
    /// The file of its logo in the folder of brands.
    package var logo: LogoName?
    /// Nil if the rules of `identity choose` decide.
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

/// What a brand is called where people read it: 1 to 64 characters in one line, none of which hides or turns another.
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
    fileprivate var isShown: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            false
        default: true
        }
    }
}

package struct BrandKey: Hashable, Sendable {
    /// `kid`.
    package let identifier: TokenText
    /// The coordinates of a point that is on P-256, 32 bytes each.
    package let x: [UInt8]
    package let y: [UInt8]
    /// The last instant at which a reader is prepared with it.
    package let notAfter: Timestamp?
    package internal(set) var isRevoked: Bool

    /// Throws `keyNotP256`.
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

/// A brand's logo, fit to be handed to a browser.
///
/// PNG alone: it can hold no script and no address, which SVG can, and every page and receipt printer shows it. It is not
/// decoded here; what a browser is given is the operator's own file.
package struct BrandLogo: Equatable, Sendable {
    /// The longest file, in bytes.
    package static let longest = 256 << 10
    /// The most columns and rows.
    private static let largestSide = 2048

    package let png: [UInt8]
    package let width: Int
    package let height: Int

    package init(png: [UInt8]) throws(LogoFault) {
        guard png.count <= Self.longest else { throw .tooLong(limit: Self.longest) }
        // Signature, and a first chunk IHDR of 13 bytes (PNG, third edition, 5.2 and 11.2.1).
        guard png.starts(with: Self.signature + [0, 0, 0, 13] + Array("IHDR".utf8)), png.count > 57,
            png.suffix(12).elementsEqual(Self.end)
        else { throw .notPNG }
        (width, height) = (Self.number(png[16..<20]), Self.number(png[20..<24]))
        guard width > 0, height > 0 else { throw .notPNG }
        guard max(width, height) <= Self.largestSide else { throw .tooLarge(limit: Self.largestSide) }
        self.png = png
    }

    private static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    /// The empty chunk IEND with its checksum.
    private static let end: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}

/// The name of a logo's file: an identifier with `.png` behind it, so that it leads nowhere else.
package struct LogoName: Hashable, Comparable, Sendable {
    package let text: String

    /// Where the logo of the brand with this identifier is kept.
    package init(of brand: TokenText) { text = "\(brand.text).png" }

    package init?(_ text: String) {
        guard text.hasSuffix(".png"), let identifier = TokenText(String(text.dropLast(4))) else { return nil }
        self.init(of: identifier)
    }

    /// The shorter one first, as the keys of a map in CBOR (RFC 8949 4.2.1).
    package static func < (one: LogoName, other: LogoName) -> Bool {
        (one.text.utf8.count, one.text) < (other.text.utf8.count, other.text)
    }
}
