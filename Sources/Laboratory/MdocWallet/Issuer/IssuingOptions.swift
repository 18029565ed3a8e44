package import OpenSSLCrypto
internal import PKIX

/// The behaviour of a test issuer; conforming by default.
package struct IssuingOptions: Sendable {
    package var rootCurve = Curve.p256
    /// The curve of the document signer's key; an Edwards curve may be one too.
    package var signerCurve = Curve.p256
    package var digestAlgorithm = HashAlgorithm.sha256
    /// What the common names of both certificates begin with.
    package var name = "Countersign Test"
    /// stateOrProvinceName of both certificates.
    package var state: String?
    /// Whether x5chain is an array of one certificate.
    package var certificatesAsArray = false
    /// Digests in each namespace that belong to no item (Q162).
    package var decoyDigests = 0
    /// Seconds from the signature to `expectedUpdate`, where there is one.
    package var expectedUpdate: Int64?
    /// An MSO member of which nothing is known.
    package var extraMember: (key: String, value: CBORDraft)?
    /// The status member of the MSO (second edition).
    package var status: CBORDraft?
    package var keyAuthorizations: CBORDraft?
    package var fault: IssuerFault?

    /// As of PassKit's own test issuer, whose documents prove nothing.
    static let passKitTestName = "PassKit Identity Test"

    package init(fault: IssuerFault? = nil) {
        self.fault = fault
    }
}

extension HashAlgorithm {
    /// The name in `digestAlgorithm` (ISO/IEC 18013-5 9.1.2.4).
    var digestAlgorithmName: String {
        switch self {
        case .sha256: "SHA-256"
        case .sha384: "SHA-384"
        case .sha512: "SHA-512"
        }
    }
}
