public import Foundation

/// Shows the operator elements of a national ID card, with its portrait. None of them reaches the app.
///
/// The region JP is supported: the My Number Card of Japan, which has the whole name in one element.
public struct MobileNationalIDCardDisplayRequest: MobileDocumentRequest {
    /// As for driver's licenses.
    public typealias Element = MobileDriversLicenseDisplayRequest.Element
    /// As for driver's licenses.
    public typealias Options = MobileDriversLicenseDisplayRequest.Options
    /// As for driver's licenses.
    public typealias Response = MobileDriversLicenseDisplayRequest.Response

    /// The region that issued the card.
    public var region: Locale.Region
    /// What is shown beside the portrait.
    public var elements: [Element]
    /// How the result is shown.
    public var options: Options

    /// A request for these.
    public init(region: Locale.Region, elements: [Element], options: Options) {
        self.region = region
        self.elements = elements
        self.options = options
    }
}
