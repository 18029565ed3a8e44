/// An element that an app requests by PassKit's name (PKIdentityElement).
package enum IdentityElement: Hashable, Sendable {
    case givenName, familyName, portrait, address, issuingAuthority
    case documentIssueDate, documentExpirationDate, documentNumber, documentDHSComplianceStatus
    case drivingPrivileges, dateOfBirth, age, sex
    case eyeColor, hairColor, height, weight, organDonorStatus, veteranStatus
    case ageAtLeast(Int)

    /// The ages in years that PassKit accepts.
    package static let ages = 1...125

    /// The elements without an argument, with PassKit's names.
    static let withoutArgument: [(name: String, element: IdentityElement)] = [
        ("givenName", .givenName), ("familyName", .familyName), ("portrait", .portrait),
        ("address", .address), ("issuingAuthority", .issuingAuthority),
        ("documentIssueDate", .documentIssueDate), ("documentExpirationDate", .documentExpirationDate),
        ("documentNumber", .documentNumber), ("documentDHSComplianceStatus", .documentDHSComplianceStatus),
        ("drivingPrivileges", .drivingPrivileges), ("dateOfBirth", .dateOfBirth), ("age", .age),
        ("sex", .sex),
        ("eyeColor", .eyeColor), ("hairColor", .hairColor), ("height", .height), ("weight", .weight),
        ("organDonorStatus", .organDonorStatus), ("veteranStatus", .veteranStatus),
    ]

    private static let agePrefix = "age(atLeast:"

    /// Parses PassKit's name, such as `givenName` or `age(atLeast:21)`; `nil` for other text, and for ages
    /// that PassKit refuses.
    package init?(_ name: String) {
        if let known = Self.withoutArgument.first(where: { $0.name == name }) {
            self = known.element
            return
        }
        // The last comparison refuses other spellings of a number, such as `021`.
        let digits = name.dropFirst(Self.agePrefix.count).dropLast()
        guard name.hasPrefix(Self.agePrefix), name.hasSuffix(")"), (1...3).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let years = Int(digits), Self.ages.contains(years), "\(years)" == digits
        else { return nil }
        self = .ageAtLeast(years)
    }

    package var name: String {
        if case .ageAtLeast(let years) = self { return "\(Self.agePrefix)\(years))" }
        // The list has every other element, so the empty text is not used.
        return Self.withoutArgument.first { $0.element == self }?.name ?? ""
    }
}
