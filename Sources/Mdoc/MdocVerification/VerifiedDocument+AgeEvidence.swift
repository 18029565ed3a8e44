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
    /// - Evidence for both is a contradiction, and no answer.
    ///
    /// - Parameter day: the day in the zone of the premises (Q161).
    package func isAgeAtLeast(
        _ years: Int, accepting evidence: AgeEvidence, on day: FullDate
    ) -> AgeAnswer {
        let attested = isAgeAtLeast(years)
        let stated = evidence == .attestation ? nil : statedAge
        let statedProof = stated.flatMap { years <= $0.years ? $0.name : nil }
        let birth = evidence == .birthDate ? birthDate(on: day) : nil
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
            if stated != nil { return .cannotTell(.asOfIssue) }
            if case .cannotTell(.wrongType) = attested { return attested }
            return unusable(evidence, on: day).map { .cannotTell($0) } ?? attested
        }
    }

    /// Why the evidence beside the attestations tells nothing, where some of the accepted kinds came.
    private func unusable(_ accepted: AgeEvidence, on day: FullDate) -> AgeAnswer.AgeUnknown? {
        guard accepted != .attestation else { return nil }
        if accepted == .birthDate, let element = evidence(named: { $0 == "birth_date" }).first {
            if element.value.isApproximate { return .approximate(element.name) }
            if element.value.birthDay != nil { return .implausible(element.name) }
        }
        let years = evidence(named: { $0 == "age_in_years" }).first { (try? $0.value.unsigned()) != nil }
        return years.map { .implausible($0.name) }
    }

    /// Whether a false attestation was right when the MSO was signed, by the birth date.
    private func isOutdated(_ name: ElementName, ofHolderBornOn birth: FullDate) -> Bool {
        AgeAttestation(name.identifier).map { birth.age(on: validityInfo.signed.day) < $0.years } ?? false
    }

    private var statedAge: (years: Int, name: ElementName)? {
        evidence(named: { $0 == "age_in_years" }).lazy.compactMap { element in
            guard let number = try? element.value.unsigned(), number <= oldestAge else { return nil }
            return (Int(number), element.name)
        }.first
    }

    private func birthDate(on today: FullDate) -> (day: FullDate, name: ElementName)? {
        evidence(named: { $0 == "birth_date" }).lazy.compactMap { element in
            guard let day = element.value.birthDay, day.age(on: today) <= oldestAge else { return nil }
            return (day, element.name)
        }.first
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
