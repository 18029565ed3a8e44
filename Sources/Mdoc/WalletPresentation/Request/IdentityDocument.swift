/// The kinds of document that PassKit has a descriptor for.
package enum IdentityDocument: String, CaseIterable, Hashable, Sendable {
    /// PKIdentityDriversLicenseDescriptor.
    case driversLicense
    /// PKIdentityNationalIDCardDescriptor of the region JP, the only one so far.
    case nationalIDCardJP
    /// PKIdentityPhotoIDDescriptor.
    case photoID

    package var docType: String {
        switch self {
        case .driversLicense: "org.iso.18013.5.1.mDL"
        case .nationalIDCardJP: "org.iso.23220.1.jp.mnc"
        case .photoID: "org.iso.23220.photoid.1"
        }
    }

    /// Which elements of the document correspond to one of PassKit's; empty if the document has no such element.
    func mapping(of element: IdentityElement) -> [MappedElement] {
        switch self {
        case .driversLicense: element.inDriversLicense
        case .nationalIDCardJP: element.inNationalIDCardJP
        case .photoID: element.inPhotoID
        }
    }
}
