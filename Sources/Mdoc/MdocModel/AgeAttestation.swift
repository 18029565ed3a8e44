/// The name of an `age_over_NN` element (ISO/IEC 18013-5 7.2.5).
package struct AgeAttestation: Hashable, Sendable {
    /// The age in years, from 0 to 99.
    package let years: Int

    /// Parses the name. Nil if it is the name of another element.
    package init?(_ identifier: String) {
        // `Int` alone would accept a sign, as in `age_over_+5`.
        let digits = identifier.utf8.dropFirst(Self.prefix.utf8.count)
        guard identifier.hasPrefix(Self.prefix), digits.count == 2,
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let years = Int(identifier.suffix(2))
        else { return nil }
        self.years = years
    }

    /// Whether `identifier` is the name of an `age_over_NN` element.
    package static func isName(_ identifier: String) -> Bool { AgeAttestation(identifier) != nil }

    /// Creates the name of the element for an age. Nil unless `years` is from 0 to 99.
    package init?(years: Int) {
        guard (0...99).contains(years) else { return nil }
        self.years = years
    }

    private static let prefix = "age_over_"

    package var identifier: String { "\(Self.prefix)\(years < 10 ? "0" : "")\(years)" }

    /// Answers whether a person with an attestation of this name is at least `years` old (Q159).
    ///
    /// For example, `age_over_18` with the value true proves every age up to 18, and false disproves every
    /// age from 18 on. For other ages the value proves neither, so the answer is `nil`.
    package func answer(_ value: Bool, toAtLeast years: Int) -> Bool? {
        if value { return self.years >= years ? true : nil }
        return self.years <= years ? false : nil
    }
}
