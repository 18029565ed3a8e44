public import Foundation

/// Shows the operator elements of whichever of several documents the holder has, with its portrait. None of them
/// reaches the app.
public struct MobileDocumentDisplayRequest: MobileDocumentRequest {
    /// As for driver's licenses.
    public typealias Element = MobileDriversLicenseDisplayRequest.Element
    /// As for driver's licenses.
    public typealias Response = MobileDriversLicenseDisplayRequest.Response

    /// How the result is shown.
    public struct Options: Hashable, Sendable {
        /// As for driver's licenses.
        public typealias ValidationMode = MobileDriversLicenseDisplayRequest.Options.ValidationMode

        /// A kind of document that will do.
        public enum DocumentType: Hashable, Sendable {
            case driversLicense, photoID
            /// Of a supported region; see ``MobileNationalIDCardDisplayRequest``.
            case nationalIDCard(region: Locale.Region)
        }

        /// In order of preference; none twice.
        public var allowedDocumentTypes: [DocumentType]
        /// What the operator is asked.
        public var validationMode: ValidationMode

        /// A request for these.
        public init(allowedDocumentTypes: [DocumentType], validationMode: ValidationMode) {
            self.allowedDocumentTypes = allowedDocumentTypes
            self.validationMode = validationMode
        }
    }

    /// What is shown beside the portrait.
    public var elements: [Element]
    /// How the result is shown.
    public var options: Options

    /// A request for these.
    public init(elements: [Element], options: Options) {
        self.elements = elements
        self.options = options
    }
}
