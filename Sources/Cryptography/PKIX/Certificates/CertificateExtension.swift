/// An extension of a certificate (RFC 5280 4.1.2.9).
package struct CertificateExtension: Equatable, Sendable {
    package let oid: ObjectIdentifier
    package let isCritical: Bool
    /// The contents of `extnValue`: the DER encoding of the extension's value.
    package let value: ArraySlice<UInt8>

    package init(oid: ObjectIdentifier, isCritical: Bool, value: ArraySlice<UInt8>) {
        self.oid = oid
        self.isCritical = isCritical
        self.value = value
    }
}

extension ObjectIdentifier {
    // The extensions of RFC 5280 4.2 that the profiles of ISO/IEC 18013-5 name.
    package static let subjectKeyIdentifier = ObjectIdentifier("2.5.29.14")
    package static let keyUsage = ObjectIdentifier("2.5.29.15")
    package static let issuerAlternativeName = ObjectIdentifier("2.5.29.18")
    package static let subjectAlternativeName = ObjectIdentifier("2.5.29.17")
    package static let basicConstraints = ObjectIdentifier("2.5.29.19")
    package static let crlNumber = ObjectIdentifier("2.5.29.20")
    package static let reasonCode = ObjectIdentifier("2.5.29.21")
    package static let deltaCRLIndicator = ObjectIdentifier("2.5.29.27")
    package static let issuingDistributionPoint = ObjectIdentifier("2.5.29.28")
    package static let certificateIssuer = ObjectIdentifier("2.5.29.29")
    package static let nameConstraints = ObjectIdentifier("2.5.29.30")
    package static let crlDistributionPoints = ObjectIdentifier("2.5.29.31")
    package static let certificatePolicies = ObjectIdentifier("2.5.29.32")
    package static let policyMappings = ObjectIdentifier("2.5.29.33")
    package static let authorityKeyIdentifier = ObjectIdentifier("2.5.29.35")
    package static let policyConstraints = ObjectIdentifier("2.5.29.36")
    package static let extendedKeyUsage = ObjectIdentifier("2.5.29.37")
    package static let freshestCRL = ObjectIdentifier("2.5.29.46")
    package static let inhibitAnyPolicy = ObjectIdentifier("2.5.29.54")

    /// The purpose of a TLS server's key (RFC 5280 4.2.1.12).
    package static let serverAuthentication = ObjectIdentifier("1.3.6.1.5.5.7.3.1")
    /// The purpose of a TLS client's key (RFC 5280 4.2.1.12).
    package static let clientAuthentication = ObjectIdentifier("1.3.6.1.5.5.7.3.2")
}
