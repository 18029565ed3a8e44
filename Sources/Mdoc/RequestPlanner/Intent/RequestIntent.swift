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

    package init(
        _ purpose: RequestPurpose, _ claims: [Claim], from documents: [DocumentFamily] = [.drivingLicence],
        ageFallback: AgeFallback = .ageInYears
    ) {
        self.purpose = purpose
        self.claims = claims
        self.documents = documents
        self.ageFallback = ageFallback
    }
}
