/// An `age_over_NN` element's name (ISO/IEC 18013-5 7.2.5).
package struct AgeAttestation: Hashable, Sendable {
    /// 0 to 99.
    package let years: Int

    /// Nil if the name is another element's.
    package init?(_ identifier: String) {
        let digits = identifier.utf8.dropFirst(Self.prefix.utf8.count)
        guard identifier.hasPrefix(Self.prefix), digits.count == 2,
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let years = Int(identifier.suffix(2))
        else { return nil }
        self.years = years
    }

    /// Whether this is the name of an `age_over_NN`.
    package static func isName(_ identifier: String) -> Bool { AgeAttestation(identifier) != nil }

    /// Nil if no name says so many years.
    package init?(years: Int) {
        guard (0...99).contains(years) else { return nil }
        self.years = years
    }

    private static let prefix = "age_over_"

    package var identifier: String { "\(Self.prefix)\(years < 10 ? "0" : "")\(years)" }

    /// What an attestation of this value says about being at least `years` old: a true one of more years
    /// proves it, a false one of fewer refutes it, anything else says nothing (Q159).
    package func answer(_ value: Bool, toAtLeast years: Int) -> Bool? {
        if value { return self.years >= years ? true : nil }
        return self.years <= years ? false : nil
    }
}
