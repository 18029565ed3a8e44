/// A part of a CRL (RFC 5280, 5.1 and 5.2) without which its entries still revoke.
package enum CRLPart: Equatable, Sendable {
    case nextUpdate
    /// The list of extensions.
    case extensions
    case authorityKeyIdentifier
    case number
    case issuingDistributionPoint
    /// An extension whose value this target does not use; without an identifier that can be read it has none here.
    case otherExtension(ObjectIdentifier?)
}

extension CRLPart {
    /// The part of an extension with this identifier.
    init(_ oid: ObjectIdentifier?) {
        self =
            switch oid {
            case .authorityKeyIdentifier?: .authorityKeyIdentifier
            case .crlNumber?: .number
            case .issuingDistributionPoint?: .issuingDistributionPoint
            default: .otherExtension(oid)
            }
    }

    /// In plain words.
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
