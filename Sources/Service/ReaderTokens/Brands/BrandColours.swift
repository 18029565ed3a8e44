internal import Glibc

/// The two colours of a shop's own look. Words can be read on the ground: no other pair exists.
package struct BrandColours: Equatable, Sendable {
    /// The least contrast of words and ground in hundredths (WCAG 2.2, 1.4.3).
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

/// Two colours are too alike for words to be read.
package struct ContrastFault: Error, CustomStringConvertible {
    /// In hundredths.
    package let contrast: Int

    package var description: String {
        "ground and words have a contrast of \(Self.ratio(contrast)), and \(Self.ratio(BrandColours.leastContrast)) "
            + "is the least that can be read: make one of them darker or the other lighter"
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

    /// - Parameter text: `#rrggbb`, in hexadecimal digits.
    package init?(_ text: String) {
        guard text.utf8.count == 7, text.hasPrefix("#"), text.utf8.dropFirst().allSatisfy(Self.isDigit),
            let number = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        (red, green, blue) = (UInt8(number >> 16), UInt8(number >> 8 & 0xff), UInt8(number & 0xff))
    }

    /// As CSS has it.
    package var text: String {
        "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The contrast with another colour in hundredths, from 100 to 2100 (WCAG 2.2, "contrast ratio"), rounded down.
    package func contrast(with other: PageColour) -> Int {
        let light = max(luminance, other.luminance)
        let dark = min(luminance, other.luminance)
        return Int((light + 0.05) / (dark + 0.05) * 100 + 0.000_001)
    }

    /// WCAG 2.2, "relative luminance".
    private var luminance: Double {
        0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue)
    }

    private static func linear(_ value: UInt8) -> Double {
        let share = Double(value) / 255
        return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }
}
