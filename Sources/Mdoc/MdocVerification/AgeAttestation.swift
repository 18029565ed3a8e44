package import MdocModel

/// An `age_over_NN` element's name (ISO/IEC 18013-5 7.2.5).
struct AgeAttestation {
    let years: Int

    /// Nil where the name is another element's.
    init?(_ identifier: String) {
        let prefix = "age_over_"
        guard identifier.hasPrefix(prefix) else { return nil }
        let digits = identifier.utf8.dropFirst(prefix.utf8.count)
        guard digits.count == 2, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let years = Int(identifier.suffix(2))
        else { return nil }
        self.years = years
    }

    /// What an attestation of this value says about being at least `years` old: a true one of more years
    /// proves it, a false one of fewer refutes it, anything else says nothing (Q159).
    func answer(_ value: Bool, toAtLeast years: Int) -> Bool? {
        if value { return self.years >= years ? true : nil }
        return self.years <= years ? false : nil
    }
}

extension ItemsRequest {
    /// The ages that are asked about, in the order of the request.
    package var agesAsked: [Int] {
        nameSpaces.flatMap(\.elements).compactMap { AgeAttestation($0.identifier)?.years }
    }
}

/// The answer to "at least N years old?".
package enum AgeAnswer: Equatable, Sendable {
    /// Proven by this element.
    case yes(by: ElementName)
    /// Refuted by this element.
    case no(by: ElementName)
    case cannotTell(AgeUnknown)

    package enum AgeUnknown: Equatable, Sendable {
        /// No age attestation came.
        case noAttestation
        /// Those that came say nothing about this age.
        case noneApplies
        /// One says yes and another no.
        case contradictory
    }
}
