internal import MdocModel
internal import OpenSSLCrypto
package import PKIX
internal import Synchronization

/// The certificate of an authority that is trusted directly: an IACA root (ISO/IEC 18013-5 Annex B.1.2), or
/// the root of a list provider.
///
/// Departures from the certificate profile are tolerated, because roots in use have many (Q179). Extensions
/// that forbid the certificate to issue others are enforced (RFC 5280, 4.2).
///
/// A link certificate can be an anchor too. `TrustRoots` accepts it only together with the root that signed
/// it.
package final class TrustAnchor: Sendable {
    package let certificate: Certificate
    package let sha256: [UInt8]
    /// The cached value of `isLinkCertificate`; `nil` before its first use.
    private let linkVerdict = Mutex<Bool?>(nil)
    /// The parsed public key; `nil` before its first use. Most anchors of a store are never used to verify a
    /// signature, so their keys are not parsed.
    private let key = Mutex<Result<Key, OpenSSLCryptoError>?>(nil)

    /// A box for the key. The key is not copyable, but the cached result has to be returned at each call.
    private final class Key: Sendable {
        let key: AuthorityKey

        init(_ info: SubjectPublicKeyInfo) throws(OpenSSLCryptoError) { key = try info.authorityKey() }
    }

    /// Makes an anchor of `certificate`.
    ///
    /// - Throws: `TrustAnchorError` if the certificate does not belong to an authority (Q178), may not issue
    ///   certificates, or has a key that cannot be used.
    package convenience init(_ certificate: Certificate) throws(TrustAnchorError) {
        try self.init(deferringKeyOf: certificate)
        try requireUsableKey()
    }

    func requireUsableKey() throws(TrustAnchorError) {
        guard case .success = loadedKey() else {
            throw .keyNotUsable(subject: certificate.subject.description)
        }
    }

    /// Makes an anchor whose key is parsed only when it first verifies a signature.
    ///
    /// - Parameter sha256: The SHA-256 of the certificate, or `nil` to compute it.
    init(deferringKeyOf certificate: Certificate, sha256: [UInt8]? = nil) throws(TrustAnchorError) {
        guard certificate.basicConstraints?.isCA == true else {
            let subject = certificate.subject.description
            guard certificate.isSelfIssued else { throw .notACertificateAuthority(subject: subject) }
            throw .selfIssuedWithoutAuthority(
                subject: subject, hasBasicConstraints: certificate.basicConstraints != nil)
        }
        guard certificate.subjectPublicKeyInfo.isSupported else {
            throw .keyNotUsable(subject: certificate.subject.description)
        }
        try TrustAnchor.requireUse(of: certificate)
        self.certificate = certificate
        self.sha256 = sha256 ?? Digest(.sha256, of: certificate.der).bytes
    }

    /// Checks that no extension forbids the certificate to issue others. Name constraints are not evaluated
    /// here, so they count as such an extension.
    private static func requireUse(of certificate: Certificate) throws(TrustAnchorError) {
        let subject = certificate.subject.description
        if let usage = certificate.keyUsage, !usage.contains(.keyCertSign) {
            throw .keyUsageForbids(subject: subject)
        }
        guard certificate.firstExtension(.nameConstraints) == nil else {
            throw .nameConstraints(subject: subject)
        }
        let inspection = ProfileInspection(profile: .iaca, certificate: certificate, issuer: nil)
        if let unknown = inspection.findings(.unknownCriticalExtension).first?.oid {
            throw .unknownCriticalExtension(subject: subject, unknown)
        }
    }

    /// Parses the key at the first call, and keeps the result.
    private func loadedKey() -> Result<Key, OpenSSLCryptoError> {
        key.withLock { known in
            if let known { return known }
            let info = certificate.subjectPublicKeyInfo
            let made = Result { () throws(OpenSSLCryptoError) in try Key(info) }
            known = made
            return made
        }
    }

    /// Whether this is a link certificate: the key of an earlier root signed it, so that whoever trusts the
    /// earlier root can also trust the authority's new key (Q231). A self-issued certificate that its own key
    /// did not sign counts as a link certificate.
    var isLinkCertificate: Bool {
        linkVerdict.withLock { known in
            if let known { return known }
            let verdict = computeIsLink()
            known = verdict
            return verdict
        }
    }

    /// Decides `isLinkCertificate` by the names, the key identifiers and the signature.
    private func computeIsLink() -> Bool {
        let isNamedLink = certificate.extendedKeyUsage?.contains(.iacaLinkCertificate) == true
        guard certificate.isSelfIssued || isNamedLink else { return false }
        guard certificate.issuerAlgorithm != nil else {
            // The algorithm of the signature is not supported here, so only the key identifiers show who
            // signed.
            guard let issuer = certificate.authorityKeyIdentifier else { return isNamedLink }
            return certificate.subjectKeyIdentifier.map { $0 != issuer } ?? isNamedLink
        }
        // A certificate that its own key did not sign counts as a link certificate, because an older key of
        // the authority may have signed it.
        return (try? verifySignature(of: certificate)) == nil
    }

    /// Whether the certificate says that another key signed it.
    var namesOtherSigner: Bool {
        guard certificate.isSelfIssued,
            certificate.extendedKeyUsage?.contains(.iacaLinkCertificate) != true
        else { return true }
        guard let issuer = certificate.authorityKeyIdentifier else { return false }
        return issuer != certificate.subjectKeyIdentifier
    }

    /// Verifies that this anchor's key signed `certificate`. Checks nothing else.
    func verifySignature(of certificate: Certificate) throws(OpenSSLCryptoError) {
        try certificate.verifySignature(with: loadedKey().get().key)
    }

    /// Verifies that this anchor's key signed `list`. Checks nothing else.
    func verifySignature(of list: CertificateRevocationList) throws(OpenSSLCryptoError) {
        try list.verifySignature(with: loadedKey().get().key)
    }

    func isValid(at now: Timestamp) -> Bool {
        certificate.isValid(at: now)
    }
}

extension ObjectIdentifier {
    /// The extended key usage of an IACA link certificate (ISO/IEC 18013-5 Annex B).
    static let iacaLinkCertificate = ObjectIdentifier("1.0.18013.5.1.4")
}

extension Certificate {
    /// Whether `now` is within the validity of the certificate, both limits included.
    func isValid(at now: Timestamp) -> Bool {
        notBefore <= now.secondsSince1970 && now.secondsSince1970 <= notAfter
    }
}

/// The reason that a certificate cannot be a trust anchor.
package enum TrustAnchorError: Error, Equatable, Sendable {
    /// The certificate is an end certificate, such as a document signer's. The root that issued it has to be
    /// imported instead.
    case notACertificateAuthority(subject: String)
    /// The certificate names itself as its issuer, but its basicConstraints do not say that it is an
    /// authority.
    case selfIssuedWithoutAuthority(subject: String, hasBasicConstraints: Bool)
    case keyNotUsable(subject: String)
    /// The key usage does not allow the certificate to sign others.
    case keyUsageForbids(subject: String)
    /// The certificate has name constraints, which are not evaluated here.
    case nameConstraints(subject: String)
    case unknownCriticalExtension(subject: String, ObjectIdentifier)
}
