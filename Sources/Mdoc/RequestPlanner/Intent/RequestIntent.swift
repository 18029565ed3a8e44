/// The question that a till or an app wants answered, before any element is chosen.
///
/// `RequestPlan` makes the smallest request that answers an intent. `RequestIntent+Text.swift` has the text
/// form.
package struct RequestIntent: Hashable, Sendable {
    /// The evidence that may replace a missing age attestation, from least to most revealing (Q160).
    package enum AgeFallback: String, CaseIterable, Sendable {
        case nothing
        case ageInYears = "age in years"
        /// The age in years or, if the document does not have it, the birth date.
        case birthDate = "birth date"
    }

    /// The purpose of the request, which limits the allowed claims.
    package var purpose: RequestPurpose
    /// The claims, in the order in which they are requested.
    package var claims: [Claim]
    /// The documents in order of preference. Any one of them answers the intent.
    package var documents: [DocumentFamily]
    package var ageFallback: AgeFallback
    /// The claims whose elements the answer must have, in addition to the mandatory elements of the document.
    package var required: [Claim]
    /// Whether the age in years or the birth date may be requested together with a question about the age.
    ///
    /// Only apps may set this. An app lists each element, and the app's maker has to justify why the app
    /// needs the element.
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

/// The purpose of a request, which limits the claims that the request may have.
package enum RequestPurpose: String, CaseIterable, Sendable {
    /// Checking whether the holder is old enough.
    case age
    /// Checking whether the holder may drive, and whether the licence belongs to the holder.
    case rental
    /// Identifying a person, such as at a hotel, a parcel shop or a ticket counter.
    case identity
    /// Listed elements. The person who lists the elements has to justify why they are needed.
    case elements

    /// Whether the purpose allows this kind of claim.
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

    /// Whether a person compares the portrait with the holder, even if the intent does not say so.
    var impliesComparison: Bool { self == .rental || self == .identity }
}
