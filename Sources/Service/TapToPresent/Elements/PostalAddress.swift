/// A postal address with the member names of `CNPostalAddress`, which does not exist on Linux. Unknown members are
/// empty.
public struct PostalAddress: Hashable, Sendable {
    /// Street and number.
    public var street = ""
    /// Never known from a document.
    public var subLocality = ""
    /// The town.
    public var city = ""
    /// Never known from a document.
    public var subAdministrativeArea = ""
    /// The state or province.
    public var state = ""
    /// The postal code.
    public var postalCode = ""
    /// The country's name where the document says it in words; documents mostly have the code alone.
    public var country = ""
    /// ISO 3166-1 alpha-2, as given in the document.
    public var isoCountryCode = ""

    /// An address of which nothing is known.
    public init() {}
}

extension PostalAddress: CustomStringConvertible, CustomReflectable {
    /// The type's name alone: what it holds is personal.
    public var description: String { "PostalAddress(redacted)" }
    /// Empty, for the same reason.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
