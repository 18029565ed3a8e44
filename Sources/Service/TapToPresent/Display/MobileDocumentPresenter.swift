/// The app's way for the operator to decide on what the display shows: two buttons, a key, a foot switch.
///
/// The app learns what was asked and hands back a decision. What the document says is on the reader's display alone.
public protocol MobileDocumentPresenter: Sendable {
    /// Called when the display shows the result. Cancelled when the decision was made elsewhere or its time is over.
    func validationOutcome(of presentation: MobileDocumentPresentation) async
        -> MobileDriversLicenseDisplayRequest.Response.ValidationOutcome
}

/// What is on the display, without what the document says.
public struct MobileDocumentPresentation: Hashable, Sendable {
    /// What was asked for.
    public let elements: [MobileDriversLicenseDisplayRequest.Element]
    /// What the operator is asked.
    public let validationMode: MobileDriversLicenseDisplayRequest.Options.ValidationMode
}
