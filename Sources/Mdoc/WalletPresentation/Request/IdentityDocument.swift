/// The kinds of document for which PassKit has a descriptor.
package enum IdentityDocument: String, CaseIterable, Hashable, Sendable {
    /// The document of PKIdentityDriversLicenseDescriptor.
    case driversLicense
    /// The document of PKIdentityNationalIDCardDescriptor with the region JP, the only region so far.
    case nationalIDCardJP
    /// The document of PKIdentityPhotoIDDescriptor.
    case photoID

    package var docType: String {
        switch self {
        case .driversLicense: "org.iso.18013.5.1.mDL"
        case .nationalIDCardJP: "org.iso.23220.1.jp.mnc"
        case .photoID: "org.iso.23220.photoid.1"
        }
    }

    /// Returns the elements of the document that correspond to an element of PassKit; empty if the document
    /// has no such element.
    func mapping(of element: IdentityElement) -> [MappedElement] {
        switch self {
        case .driversLicense: element.inDriversLicense
        case .nationalIDCardJP: element.inNationalIDCardJP
        case .photoID: element.inPhotoID
        }
    }
}
