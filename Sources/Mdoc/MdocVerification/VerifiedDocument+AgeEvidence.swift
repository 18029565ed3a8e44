internal import CBOR
package import MdocModel

/// What can prove an age, from least to most revealing (Q160).
package enum AgeEvidence: Int, Sendable {
    case attestation
    /// Also age_in_years, which was so when the document was issued.
    case ageInYears
    /// Also birth_date.
    case birthDate
}

extension VerifiedDocument {
    /// Whether the holder is at least `years` old, by attestations and the other evidence that is accepted.
    ///
    /// - An `age_in_years` was true on the day of issue, and an age only grows: it proves, and never refutes.
    /// - A `birth_date` proves or refutes. A person who was born on 29 February is a year older on 1 March.
    /// - An attestation that is false is a no, unless the birth date shows that it was right on the day the MSO was
    ///   signed and is out of date by now.
    /// - Evidence for both is a contradiction, and no answer.
    ///
    /// - Parameter day: the day in the zone of the premises (Q161).
    package func isAgeAtLeast(
        _ years: Int, accepting evidence: AgeEvidence, on day: FullDate
    ) -> AgeAnswer {
        let attested = isAgeAtLeast(years)
        let stated = evidence == .attestation ? nil : statedAge
        let statedProof = stated.flatMap { years <= $0.years ? $0.name : nil }
        let birth = evidence == .birthDate ? birthDate : nil
        let birthProof = birth.flatMap { years <= $0.day.age(on: day) ? $0.name : nil }
        let birthRefutation = birthProof == nil ? birth?.name : nil
        switch attested {
        case .cannotTell(.contradictory): return attested
        case .yes: return birthRefutation == nil ? attested : .cannotTell(.contradictory)
        case .no(let attestation):
            if statedProof != nil { return .cannotTell(.contradictory) }
            guard let birth, let birthProof else { return attested }
            let isOutdated = isOutdated(attestation, ofHolderBornOn: birth.day)
            return isOutdated ? .yes(by: birthProof) : .cannotTell(.contradictory)
        case .cannotTell:
            if let birthRefutation {
                return statedProof == nil ? .no(by: birthRefutation) : .cannotTell(.contradictory)
            }
            if let proof = statedProof ?? birthProof { return .yes(by: proof) }
            return stated == nil ? attested : .cannotTell(.asOfIssue)
        }
    }

    /// Whether a false attestation was right when the MSO was signed, by the birth date.
    private func isOutdated(_ name: ElementName, ofHolderBornOn birth: FullDate) -> Bool {
        AgeAttestation(name.identifier).map { birth.age(on: validityInfo.signed.day) < $0.years } ?? false
    }

    private var statedAge: (years: Int, name: ElementName)? {
        elements.lazy.filter { $0.isIssued("age_in_years") }.compactMap { element in
            guard let number = try? element.value.unsigned(), number <= 200 else { return nil }
            return (Int(number), element.name)
        }.first
    }

    /// A photo ID may have a map here (ISO/IEC TS 23220-2); a date with an unknown part is not used.
    private var birthDate: (day: FullDate, name: ElementName)? {
        elements.lazy.filter { $0.isIssued("birth_date") }.compactMap { element in
            var value = element.value
            if let map = try? value.map() {
                guard map["approximate_mask"] == nil, let inner = map["birth_date"] else { return nil }
                value = inner
            }
            guard let date = try? DateText(value), case .day(let day) = date.value else { return nil }
            return (day, element.name)
        }.first
    }
}

extension VerifiedElement {
    fileprivate func isIssued(_ identifier: String) -> Bool {
        name.identifier == identifier && signedBy == .issuer
    }
}

extension FullDate {
    /// Years completed by `day` since this day; negative before it.
    fileprivate func age(on day: FullDate) -> Int {
        day.year - year - ((day.month, day.day) < (month, self.day) ? 1 : 0)
    }
}
