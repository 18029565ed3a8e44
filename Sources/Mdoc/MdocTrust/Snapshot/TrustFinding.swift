package import PKIX
internal import OpenSSLCrypto

/// Something about a source that the administrator of trust should know.
package struct TrustFinding: Equatable, Sendable {
    package let source: TrustSource.Identity
    package let condition: TrustCondition
}

package enum TrustCondition: Equatable, Sendable {
    /// The bytes are not a certificate.
    case certificateUnreadable(PKIXError)
    /// A document signer's or other end certificate; import the root that issued it (Q178).
    case notACertificateAuthority(subject: String)
    /// It names itself as its issuer, and does not say that it is an authority.
    case selfIssuedWithoutAuthority(subject: String, hasBasicConstraints: Bool)
    case keyNotUsable(subject: String)
    /// Its key usage does not allow signing certificates.
    case anchorKeyUsage(subject: String)
    /// It limits the names that it may issue for, which is not evaluated.
    case anchorNameConstraints(subject: String)
    case anchorUnknownExtension(subject: String, ObjectIdentifier)
    /// The same certificate as in another source.
    case anchorTwice(subject: String, other: TrustSource.Identity)
    /// The rules of its profile that an anchor breaks (Q179).
    case anchorProfile(subject: String, [ProfileFinding])
    case anchorNotYetValid(subject: String)
    case anchorExpired(subject: String)
    /// Valid for so many days more.
    case anchorExpiresSoon(subject: String, days: Int64)
    /// Nothing of the list is believed.
    case vicalRefused(VICALError)
    case vical(VICALFinding)
    /// The rules of its profile that the list's signer breaks without being refused (Q214).
    case vicalSigner([ProfileFinding])
    /// The list has no nextUpdate.
    case vicalWithoutNextUpdate
    case revocationListUnreadable(PKIXError)
    /// No anchor has the name of the CRL's issuer.
    case revocationListIssuerUnknown(issuer: String)
    /// Anchors have the name, and none signed.
    case revocationListSignatureInvalid(issuer: String)
    case statusListUnreadable(StatusTokenError)
    /// Nobody whom an anchor issued signed it; the certificate that an MSO names may have.
    case statusListSignerUnknown
    /// The list says that it is another.
    case statusListSubjectWrong
    case listNotYetValid
    /// The list should have been renewed this many seconds ago.
    case listStale(overdueSeconds: Int64)
}

extension TrustCondition {
    package init(_ error: TrustAnchorError) {
        self =
            switch error {
            case .notACertificateAuthority(let subject): .notACertificateAuthority(subject: subject)
            case .selfIssuedWithoutAuthority(let subject, let hasBasicConstraints):
                .selfIssuedWithoutAuthority(subject: subject, hasBasicConstraints: hasBasicConstraints)
            case .keyNotUsable(let subject): .keyNotUsable(subject: subject)
            case .keyUsageForbids(let subject): .anchorKeyUsage(subject: subject)
            case .nameConstraints(let subject): .anchorNameConstraints(subject: subject)
            case .unknownCriticalExtension(let subject, let oid):
                .anchorUnknownExtension(subject: subject, oid)
            }
    }
}
