internal import MdocModel
internal import OpenSSLCrypto
package import PKIX
internal import Synchronization

/// A trusted IACA root (ISO/IEC 18013-5 Annex B.1.2). Its own profile is not enforced, for roots in use often depart from it
/// (Q179); what forbids it to issue certificates is (RFC 5280, 4.2).
/// A link certificate can be an anchor as well, and counts only behind the root that signed it: see `TrustRoots`.
package final class TrustAnchor: Sendable {
    package let certificate: Certificate
    package let sha256: [UInt8]
    /// Nil until somebody asks.
    private let linkVerdict = Mutex<Bool?>(nil)
    /// Made when it is first needed: most anchors of a store sign nothing that is ever shown.
    private let key = Mutex<Result<Key, OpenSSLCryptoError>?>(nil)

    private final class Key: Sendable {
        let key: AuthorityKey

        init(_ info: SubjectPublicKeyInfo) throws(OpenSSLCryptoError) { key = try info.authorityKey() }
    }

    /// Throws if the certificate is not a certificate authority (Q178) or its key cannot be used.
    package convenience init(_ certificate: Certificate) throws(TrustAnchorError) {
        try self.init(deferringKeyOf: certificate)
        try requireUsableKey()
    }

    func requireUsableKey() throws(TrustAnchorError) {
        guard case .success = loadedKey() else {
            throw .keyNotUsable(subject: certificate.subject.description)
        }
    }

    /// As `init(_:)`; a key of a known kind is looked at only when something is to be verified with it.
    ///
    /// - Parameter sha256: The SHA-256 of the certificate where that is known.
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

    /// Name constraints are not evaluated, and so forbid whatever it issues.
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

    private func loadedKey() -> Result<Key, OpenSSLCryptoError> {
        key.withLock { known in
            if let known { return known }
            let info = certificate.subjectPublicKeyInfo
            let made = Result { () throws(OpenSSLCryptoError) in try Key(info) }
            known = made
            return made
        }
    }

    /// Whether this is a link certificate: the key of an earlier root hands its trust on to this certificate's key. A link
    /// certificate is no root by itself (Q231).
    var isLinkCertificate: Bool {
        linkVerdict.withLock { known in
            if let known { return known }
            let verdict = findWhetherLink()
            known = verdict
            return verdict
        }
    }

    private func findWhetherLink() -> Bool {
        let isNamedLink = certificate.extendedKeyUsage?.contains(.iacaLinkCertificate) == true
        guard certificate.isSelfIssued || isNamedLink else { return false }
        guard certificate.issuerAlgorithm != nil else {
            // The signature cannot be verified here; the names of the keys show who made it.
            guard let issuer = certificate.authorityKeyIdentifier else { return isNamedLink }
            return certificate.subjectKeyIdentifier.map { $0 != issuer } ?? isNamedLink
        }
        return (try? verifySignature(of: certificate)) == nil
    }

    /// Whether the certificate says that another key than its own signed it.
    var namesOtherSigner: Bool {
        guard certificate.isSelfIssued,
            certificate.extendedKeyUsage?.contains(.iacaLinkCertificate) != true
        else { return true }
        guard let issuer = certificate.authorityKeyIdentifier else { return false }
        return issuer != certificate.subjectKeyIdentifier
    }

    /// Verifies that this anchor's key signed `certificate`; checks nothing else.
    func verifySignature(of certificate: Certificate) throws(OpenSSLCryptoError) {
        try certificate.verifySignature(with: loadedKey().get().key)
    }

    /// Verifies that this anchor's key signed `list`; checks nothing else.
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
    /// Whether `now` lies from the first to the last second of validity.
    func isValid(at now: Timestamp) -> Bool {
        notBefore <= now.secondsSince1970 && now.secondsSince1970 <= notAfter
    }
}

/// Why a certificate cannot be a trust anchor.
package enum TrustAnchorError: Error, Equatable, Sendable {
    /// A document signer's or other end certificate; import the root that issued it.
    case notACertificateAuthority(subject: String)
    /// It names itself as its issuer, and does not say that it is an authority.
    case selfIssuedWithoutAuthority(subject: String, hasBasicConstraints: Bool)
    case keyNotUsable(subject: String)
    /// Its key usage does not allow signing certificates.
    case keyUsageForbids(subject: String)
    /// It limits the names that it may issue for, which is not evaluated.
    case nameConstraints(subject: String)
    case unknownCriticalExtension(subject: String, ObjectIdentifier)
}
