/// What somebody wants to know, before any element is named. Its text form is in `RequestIntent+Text.swift`.
package struct RequestIntent: Hashable, Sendable {
    /// What can prove an age if a document has no attestation, from least to most revealing (Q160).
    package enum AgeFallback: String, CaseIterable, Sendable {
        case nothing
        case ageInYears = "age in years"
        /// Age in years, and then the birth date.
        case birthDate = "birth date"
    }

    package var purpose: RequestPurpose
    /// In the order they are asked.
    package var claims: [Claim]
    /// Any of these documents will do, in order of preference.
    package var documents: [DocumentFamily]
    package var ageFallback: AgeFallback
    /// Claims whose elements the answer must have, beside those that are mandatory in their document.
    package var required: [Claim]
    /// For apps, which name each element and answer for needing it: whether the age in years or the birth date may be asked
    /// for beside a question about the age.
    package var allowsBirthDateBesideAge = false

    package init(
        _ purpose: RequestPurpose, _ claims: [Claim], from documents: [DocumentFamily] = [.drivingLicence],
        ageFallback: AgeFallback = .ageInYears, required: [Claim] = []
    ) {
        self.purpose = purpose
        self.claims = claims
        self.documents = documents
        self.ageFallback = ageFallback
        self.required = required
    }
}

/// What a request is for, which says what it may ask.
package enum RequestPurpose: String, CaseIterable, Sendable {
    /// Is the holder old enough?
    case age
    /// May the holder drive, and is it the holder?
    case rental
    /// Who is it? Hotel, parcel, ticket counter.
    case identity
    /// The elements that are listed; whoever lists them answers for needing them.
    case elements

    func needs(_ kind: Claim.Kind) -> Bool {
        switch self {
        case .age: [.age, .inDate, .portrait].contains(kind)
        case .rental:
            [
                .age, .name, .documentNumber, .category, .domesticClass, .expiry, .inDate, .issueDate,
                .issuer, .portrait,
            ].contains(kind)
        case .identity:
            [
                .age, .name, .documentNumber, .expiry, .inDate, .issueDate, .issuer, .portrait,
                .birthDate, .nationality, .address,
            ].contains(kind)
        case .elements: true
        }
    }

    /// Whether somebody compares the portrait, even if the intent does not say so.
    var impliesComparison: Bool { self == .rental || self == .identity }
}
