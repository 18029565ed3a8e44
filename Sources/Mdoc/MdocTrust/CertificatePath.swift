package import MdocModel
package import OpenSSLCrypto

/// Why a chain does not lead to a trusted certificate.
package enum CertificatePathError: Error, Equatable, Sendable {
    /// No certificate at all.
    case empty
    /// More authorities between leaf and root than the limit, or than one of them allows.
    case tooLong
    /// Neither a root nor the next certificate bears this issuer's name and key identifier.
    case issuerNotFound(issuer: String)
    /// Those that bear the name did not sign.
    case signatureInvalid
    /// A certificate of the chain, or its root, is not valid at the time asked for.
    case outsideValidity(subject: String)
    /// A certificate between leaf and root that may not issue certificates, or constrains what it issues.
    case notAnAuthority(subject: String)
}

/// The way from a leaf over the authorities it came with to a pinned root (RFC 5280, 6.1), as far as the chains of lists
/// and readers need it. Nothing that came in is a root.
package enum CertificatePath {
    private static let maximumAuthorities = 3

    /// The root that `chain`, leaf first, leads to.
    package static func verify(
        _ chain: [Certificate], to roots: [TrustAnchor], at now: Timestamp
    ) throws(CertificatePathError) -> TrustAnchor {
        guard !chain.isEmpty else { throw .empty }
        for (below, certificate) in chain.enumerated() {
            guard below <= maximumAuthorities else { throw .tooLong }
            guard certificate.isValid(at: now) else {
                throw .outsideValidity(subject: certificate.subject.description)
            }
            if below > 0 { try requireAuthority(certificate, authoritiesBelow: below - 1) }
            if let root = try root(of: certificate, among: roots, at: now) {
                guard root.certificate.basicConstraints?.pathLength ?? .max >= below else { throw .tooLong }
                return root
            }
            guard below + 1 < chain.count else {
                throw .issuerNotFound(issuer: certificate.issuer.description)
            }
            try requireIssuer(chain[below + 1], of: certificate)
        }
        throw .tooLong
    }

    private static func root(
        of certificate: Certificate, among roots: [TrustAnchor], at now: Timestamp
    ) throws(CertificatePathError) -> TrustAnchor? {
        let candidates = roots.filter { certificate.names($0.certificate) }
        let signers = candidates.filter { (try? $0.verifySignature(of: certificate)) != nil }
        if let root = signers.first(where: { $0.isValid(at: now) }) { return root }
        if let late = signers.first {
            throw .outsideValidity(subject: late.certificate.subject.description)
        }
        guard candidates.isEmpty else { throw .signatureInvalid }
        return nil
    }

    private static func requireIssuer(
        _ issuer: Certificate, of certificate: Certificate
    ) throws(CertificatePathError) {
        guard certificate.names(issuer) else {
            throw .issuerNotFound(issuer: certificate.issuer.description)
        }
        do throws(OpenSSLCryptoError) {
            try certificate.verifySignature(with: issuer.subjectPublicKeyInfo.authorityKey())
        } catch {
            throw .signatureInvalid
        }
    }

    private static func requireAuthority(
        _ certificate: Certificate, authoritiesBelow: Int
    ) throws(CertificatePathError) {
        let inspection = ProfileInspection(profile: .iaca, certificate: certificate, issuer: nil)
        guard certificate.deviations.isEmpty, certificate.basicConstraints?.isCA == true,
            certificate.keyUsage?.contains(.keyCertSign) == true,
            inspection.findings(.forbiddenExtension).isEmpty,
            inspection.findings(.unknownCriticalExtension).isEmpty
        else { throw .notAnAuthority(subject: certificate.subject.description) }
        guard certificate.basicConstraints?.pathLength ?? .max >= authoritiesBelow else { throw .tooLong }
    }
}

extension Certificate {
    /// Whether this certificate's issuer and authority key identifier point to `issuer`, which may have no identifier (Q179).
    func names(_ issuer: Certificate) -> Bool {
        guard self.issuer == issuer.subject else { return false }
        guard let wanted = authorityKeyIdentifier, let own = issuer.subjectKeyIdentifier else { return true }
        return wanted == own
    }
}
