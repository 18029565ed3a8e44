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
    /// - Only the namespaces of the document's type count: see `evidence(named:)`.
    /// - An `age_in_years` was true on the day of issue, and an age only grows: it proves, and never refutes.
    /// - A `birth_date` proves or refutes. A person who was born on 29 February is a year older on 1 March.
    /// - An attestation that is false is a no, unless the birth date shows that it was right on the day the MSO was
    ///   signed and is out of date by now.
    /// - Evidence for both is a contradiction, and no answer. So are values of two namespaces of a type that is not
    ///   known, where one proves and another does not.
    ///
    /// - Parameter day: the day in the zone of the premises (Q161).
    package func isAgeAtLeast(
        _ years: Int, accepting evidence: AgeEvidence, on day: FullDate
    ) -> AgeAnswer {
        let attested = isAgeAtLeast(years)
        let stated = evidence == .attestation ? [] : statedAges
        let statedProof = stated.first { years <= $0.years }?.name
        let births = evidence == .birthDate ? birthDates(on: day) : []
        let birthProof = births.first { years <= $0.day.age(on: day) }?.name
        let birthRefutation = births.first { years > $0.day.age(on: day) }?.name
        guard birthProof == nil || birthRefutation == nil else { return .cannotTell(.contradictory) }
        switch attested {
        case .cannotTell(.contradictory): return attested
        case .yes: return birthRefutation == nil ? attested : .cannotTell(.contradictory)
        case .no(let attestation):
            if statedProof != nil { return .cannotTell(.contradictory) }
            guard let birthProof else { return attested }
            let isOutdated = births.allSatisfy { self.isOutdated(attestation, ofHolderBornOn: $0.day) }
            return isOutdated ? .yes(by: birthProof) : .cannotTell(.contradictory)
        case .cannotTell:
            if let birthRefutation {
                return statedProof == nil ? .no(by: birthRefutation) : .cannotTell(.contradictory)
            }
            if statedProof != nil, stated.contains(where: { $0.years < years }) {
                return .cannotTell(.contradictory)
            }
            if let proof = statedProof ?? birthProof { return .yes(by: proof) }
            if !stated.isEmpty { return .cannotTell(.asOfIssue) }
            if case .cannotTell(.wrongType) = attested { return attested }
            return unusable(evidence, on: day).map { .cannotTell($0) } ?? attested
        }
    }

    /// Why the evidence beside the attestations tells nothing, where some of the accepted kinds came.
    private func unusable(_ accepted: AgeEvidence, on day: FullDate) -> AgeAnswer.AgeUnknown? {
        let identifiers: [String] =
            switch accepted {
            case .attestation: []
            case .ageInYears: ["age_in_years"]
            case .birthDate: ["birth_date", "age_in_years"]
            }
        return identifiers.lazy.flatMap { identifier in evidence { $0 == identifier } }
            .compactMap { ageFault(of: $0, on: day) }.first
    }

    /// Why the element, which is of its type, tells no age: it is approximate, or beyond any person's. `nil` if it tells one, did not
    /// come, or is no evidence of an age.
    package func ageFault(of name: ElementName) -> AgeAnswer.AgeUnknown? {
        evidence { $0 == name.identifier }.first { $0.name == name }.flatMap { ageFault(of: $0, on: today) }
    }

    private func ageFault(of element: VerifiedElement, on day: FullDate) -> AgeAnswer.AgeUnknown? {
        switch element.name.identifier {
        case "birth_date":
            if element.value.isApproximate { return .approximate(element.name) }
            guard let birth = element.value.birthDay, birth.age(on: day) > oldestAge else { return nil }
            return .implausible(element.name)
        case "age_in_years":
            guard let years = try? element.value.unsigned(), years > oldestAge else { return nil }
            return .implausible(element.name)
        default: return nil
        }
    }

    /// Whether a false attestation was right when the MSO was signed, by the birth date.
    private func isOutdated(_ name: ElementName, ofHolderBornOn birth: FullDate) -> Bool {
        AgeAttestation(name.identifier).map { birth.age(on: validityInfo.signed.day) < $0.years } ?? false
    }

    private var statedAges: [(years: Int, name: ElementName)] {
        evidence(named: { $0 == "age_in_years" }).compactMap { element in
            guard let number = try? element.value.unsigned(), number <= oldestAge else { return nil }
            return (Int(number), element.name)
        }
    }

    private func birthDates(on today: FullDate) -> [(day: FullDate, name: ElementName)] {
        evidence(named: { $0 == "birth_date" }).compactMap { element in
            guard let day = element.value.birthDay, day.age(on: today) <= oldestAge else { return nil }
            return (day, element.name)
        }
    }
}

/// The highest age in years that is believed. A number or date beyond it is a placeholder or a mistake.
private let oldestAge = 200

extension CBORItem {
    /// The birth date; nil if the value is not a day, or if a part of it is not known. A photo ID has it in a map (ISO/IEC TS 23220-2).
    fileprivate var birthDay: FullDate? {
        guard !isApproximate, let value = (try? map()).map({ $0["birth_date"] }) ?? self,
            let date = try? DateText(value), case .day(let day) = date.value
        else { return nil }
        return day
    }

    /// Whether a mask says that a part of the birth date is not known.
    fileprivate var isApproximate: Bool { (try? map())?["approximate_mask"] != nil }
}

extension FullDate {
    /// Years completed by `day` since this day; negative before it.
    fileprivate func age(on day: FullDate) -> Int {
        day.year - year - ((day.month, day.day) < (month, self.day) ? 1 : 0)
    }
}
