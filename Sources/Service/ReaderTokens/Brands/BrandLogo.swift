/// A brand's logo, fit to be handed to a browser.
///
/// PNG alone: it can hold no script and no address, which SVG can, and every page and receipt printer shows it. It is not
/// decoded here; what a browser is given is the operator's own file.
package struct BrandLogo: Equatable, Sendable {
    /// The longest file, in bytes.
    package static let longest = 256 << 10
    /// The most columns and rows.
    package static let largestSide = 2048

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
