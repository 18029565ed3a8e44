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
        case .age: [.age, .portrait].contains(kind)
        case .rental:
            [
                .age, .name, .documentNumber, .category, .domesticClass, .expiry, .issueDate, .issuer,
                .portrait,
            ].contains(kind)
        case .identity:
            [
                .age, .name, .documentNumber, .expiry, .issueDate, .issuer, .portrait, .birthDate,
                .nationality,
                .address,
            ].contains(kind)
        case .elements: true
        }
    }

    /// Whether somebody compares the portrait, even if the intent does not say so.
    var impliesComparison: Bool { self == .rental || self == .identity }
}
