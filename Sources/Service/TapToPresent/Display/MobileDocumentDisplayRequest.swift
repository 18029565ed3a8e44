public import Foundation

/// Shows the operator elements and the portrait of one document, of any of several kinds that the holder has. None of
/// them reaches the app.
public struct MobileDocumentDisplayRequest: MobileDocumentRequest {
    /// As for driver's licenses.
    public typealias Element = MobileDriversLicenseDisplayRequest.Element
    /// As for driver's licenses.
    public typealias Response = MobileDriversLicenseDisplayRequest.Response

    /// How the result is shown.
    public struct Options: Hashable, Sendable {
        /// As for driver's licenses.
        public typealias ValidationMode = MobileDriversLicenseDisplayRequest.Options.ValidationMode

        /// A kind of document that is accepted.
        public enum DocumentType: Hashable, Sendable {
            case driversLicense, photoID
            /// Of a supported region; see ``MobileNationalIDCardDisplayRequest``.
            case nationalIDCard(region: Locale.Region)
        }

        /// In order of preference; none twice.
        public var allowedDocumentTypes: [DocumentType]
        /// What the operator is asked.
        public var validationMode: ValidationMode

        /// Options with these kinds of documents and this mode.
        public init(allowedDocumentTypes: [DocumentType], validationMode: ValidationMode) {
            self.allowedDocumentTypes = allowedDocumentTypes
            self.validationMode = validationMode
        }
    }

    /// What is shown beside the portrait.
    public var elements: [Element]
    /// How the result is shown.
    public var options: Options

    /// A request for these elements.
    public init(elements: [Element], options: Options) {
        self.elements = elements
        self.options = options
    }
}
