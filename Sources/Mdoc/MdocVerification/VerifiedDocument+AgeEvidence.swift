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
    /// As `isAgeAtLeast(_:)`; if no attestation answers, by the other evidence that is accepted. `day` is the day in the
    /// zone of the premises (Q161). A person who was born on 29 February is a year older on 1 March.
    package func isAgeAtLeast(
        _ years: Int, accepting evidence: AgeEvidence, on day: FullDate
    ) -> AgeAnswer {
        let attested = isAgeAtLeast(years)
        switch attested {
        case .yes, .no, .cannotTell(.contradictory): return attested
        case .cannotTell(.noAttestation), .cannotTell(.noneApplies), .cannotTell(.wrongType): break
        }
        if evidence != .attestation, let stated = statedAge {
            return years <= stated.years ? .yes(by: stated.name) : .no(by: stated.name)
        }
        if evidence == .birthDate, let birth = birthDate {
            return years <= birth.day.age(on: day) ? .yes(by: birth.name) : .no(by: birth.name)
        }
        return attested
    }

    private var statedAge: (years: Int, name: ElementName)? {
        for element in elements where element.isIssued("age_in_years") {
            guard let number = try? element.value.unsigned(), number <= 200 else { return nil }
            return (Int(number), element.name)
        }
        return nil
    }

    /// A photo ID may have a map here (ISO/IEC TS 23220-2); a date with an unknown part is not used.
    private var birthDate: (day: FullDate, name: ElementName)? {
        for element in elements where element.isIssued("birth_date") {
            var value = element.value
            if let map = try? value.map() {
                guard map["approximate_mask"] == nil, let inner = map["birth_date"] else { return nil }
                value = inner
            }
            guard let date = try? DateText(value), case .day(let day) = date.value else { return nil }
            return (day, element.name)
        }
        return nil
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
