/// A part of a CRL (RFC 5280 5.1 and 5.2) that may be unreadable. The entries of such a CRL still revoke
/// certificates.
package enum CRLPart: Equatable, Sendable {
    case nextUpdate
    /// The list of extensions.
    case extensions
    case authorityKeyIdentifier
    case number
    case issuingDistributionPoint
    /// Any other extension, with its identifier if that can be read.
    case otherExtension(ObjectIdentifier?)
}

extension CRLPart {
    /// Returns the part for an extension with this identifier.
    init(_ oid: ObjectIdentifier?) {
        self =
            switch oid {
            case .authorityKeyIdentifier?: .authorityKeyIdentifier
            case .crlNumber?: .number
            case .issuingDistributionPoint?: .issuingDistributionPoint
            default: .otherExtension(oid)
            }
    }

    /// The name of the part in texts.
    var name: String {
        switch self {
        case .nextUpdate: "the CRL's nextUpdate"
        case .extensions: "the CRL's list of extensions"
        case .authorityKeyIdentifier: "the CRL's authority key identifier"
        case .number: "the CRL's number"
        case .issuingDistributionPoint: "the CRL's issuing distribution point"
        case .otherExtension(nil): "an extension of the CRL"
        case .otherExtension(let oid?): "the CRL's extension \(oid)"
        }
    }
}
