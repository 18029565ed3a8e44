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
