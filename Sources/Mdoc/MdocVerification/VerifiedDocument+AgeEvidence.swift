internal import CBOR
package import MdocModel

/// The kinds of evidence of an age that are accepted, from least to most revealing (Q160).
package enum AgeEvidence: Int, Sendable {
    case attestation
    /// Attestations and `age_in_years`, which was true on the day of issue.
    case ageInYears
    /// Attestations, `age_in_years` and `birth_date`.
    case birthDate
}

extension VerifiedDocument {
    /// Whether the holder is at least `years` old, by attestations and the other accepted evidence.
    ///
    /// - Only elements in the namespaces of the document's type count: see `evidence(named:)`.
    /// - `age_in_years` proves an age and never refutes one, because it was true on the day of issue, and an
    ///   age only grows.
    /// - `birth_date` proves or refutes an age. A person born on 29 February is a year older on 1 March
    ///   (Q161).
    /// - An attestation with the value false gives a no, unless the birth date shows that the attestation was
    ///   correct when the MSO was signed and is now out of date.
    /// - Evidence for both yes and no is a contradiction, and the question has no answer. For a type without
    ///   a data model, two namespaces that disagree are a contradiction too.
    ///
    /// - Parameters:
    ///   - evidence: The kinds of evidence that count.
    ///   - day: The current day in the time zone of the premises (Q161).
    package func isAgeAtLeast(
        _ years: Int, accepting evidence: AgeEvidence, on day: FullDate
    ) -> AgeAnswer {
        let attested = isAgeAtLeast(years)
        let stated = evidence == .attestation ? [] : statedAges
        let statedProof = stated.first { years <= $0.years }?.name
        let births = evidence == .birthDate ? birthDates(on: day) : []
        let birthProof = births.first { years <= $0.day.age(on: day) }?.name
        let birthRefutation = births.first { years > $0.day.age(on: day) }?.name
        // The birth dates in two namespaces give different answers to the question (Q244).
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
            // One namespace states a sufficient age and another a lower age, so the two contradict each
            // other. A lower age alone refutes nothing (Q244).
            if statedProof != nil, stated.contains(where: { $0.years < years }) {
                return .cannotTell(.contradictory)
            }
            if let proof = statedProof ?? birthProof { return .yes(by: proof) }
            if !stated.isEmpty { return .cannotTell(.asOfIssue) }
            if case .cannotTell(.wrongType) = attested { return attested }
            return unusable(evidence, on: day).map { .cannotTell($0) } ?? attested
        }
    }

    /// Returns the first fault of a `birth_date` or `age_in_years` that is accepted as evidence; `nil` if
    /// there is no such fault.
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

    /// Returns the reason that an element of the right type does not show an age: its value is approximate,
    /// or higher than any person's age.
    ///
    /// `nil` if the element shows an age, was not returned, or is no evidence of an age.
    package func ageFault(of name: ElementName) -> AgeAnswer.AgeUnknown? {
        evidence { $0 == name.identifier }.first { $0.name == name }.flatMap { ageFault(of: $0, on: today) }
    }

    /// Returns the reason that this element does not show an age on `day`.
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

    /// Whether the birth date shows that a false attestation was correct when the MSO was signed.
    private func isOutdated(_ name: ElementName, ofHolderBornOn birth: FullDate) -> Bool {
        AgeAttestation(name.identifier).map { birth.age(on: validityInfo.signed.day) < $0.years } ?? false
    }

    /// The plausible values of `age_in_years`.
    private var statedAges: [(years: Int, name: ElementName)] {
        evidence(named: { $0 == "age_in_years" }).compactMap { element in
            guard let number = try? element.value.unsigned(), number <= oldestAge else { return nil }
            return (Int(number), element.name)
        }
    }

    /// Returns the plausible and complete birth dates.
    private func birthDates(on today: FullDate) -> [(day: FullDate, name: ElementName)] {
        evidence(named: { $0 == "birth_date" }).compactMap { element in
            guard let day = element.value.birthDay, day.age(on: today) <= oldestAge else { return nil }
            return (day, element.name)
        }
    }
}

/// The highest age in years that counts. A higher number, or a birth date that makes the holder older, is a
/// placeholder or a mistake.
private let oldestAge = 200

extension CBORItem {
    /// The birth date; `nil` if the value is not a day, or a part of it is not known. A photo ID has the date
    /// in a map (ISO/IEC TS 23220-2).
    fileprivate var birthDay: FullDate? {
        // A map without `birth_date` has no day. Any value other than a map is read as the day itself.
        guard !isApproximate, let value = (try? map()).map({ $0["birth_date"] }) ?? self,
            let date = try? DateText(value), case .day(let day) = date.value
        else { return nil }
        return day
    }

    /// Whether a mask marks a part of the birth date as unknown.
    fileprivate var isApproximate: Bool { (try? map())?["approximate_mask"] != nil }
}

extension FullDate {
    /// Returns the number of years completed between this day and `day`; negative if `day` is earlier.
    fileprivate func age(on day: FullDate) -> Int {
        day.year - year - ((day.month, day.day) < (month, self.day) ? 1 : 0)
    }
}
