internal import ErrorMapping
internal import JSON
package import MdocModel
internal import OpenSSLCrypto
package import PKIX

/// The reason that a certificate chain does not lead to a trusted root.
package enum CertificatePathError: Error, Equatable, Sendable {
    /// The chain is empty.
    case empty
    /// There are more authorities between leaf and root than `CertificatePath` follows, or than the path
    /// length of an authority allows (RFC 5280, 4.2.1.9).
    case tooLong
    /// Neither a root nor the next certificate of the chain has the name and key identifier of this issuer.
    case issuerNotFound(issuer: String)
    /// A certificate has the issuer's name, but its key did not make the signature.
    case signatureInvalid
    /// A certificate of the chain, or its root, is not valid at the requested time.
    case outsideValidity(subject: String)
    /// A certificate between leaf and root is refused as an authority. It may not issue certificates, may not
    /// issue this leaf, or has constraints that are not evaluated here.
    case notAnAuthority(subject: String)
}

extension CertificatePathError {
    /// The reason in words, for messages to users.
    package var explanation: String {
        switch self {
        case .empty: "the chain contains no certificate"
        case .tooLong: "the chain has too many authorities"
        case .issuerNotFound(let issuer): "the issuer's certificate is missing: \(Terminal.safe(issuer))"
        case .signatureInvalid: "the signature matches no certificate with the issuer's name"
        case .outsideValidity(let subject): "\(Terminal.safe(subject)) is not valid at this time"
        case .notAnAuthority(let subject): "\(Terminal.safe(subject)) is not allowed to issue the certificate"
        }
    }
}

/// Builds and verifies the path from a leaf certificate to a pinned root (RFC 5280, 6.1).
///
/// Readers send a certificate chain, and so do the signers of VICALs, RICALs and status lists. A certificate
/// that was sent in the chain is never accepted as a root.
package enum CertificatePath {
    /// The maximum number of authorities between leaf and root.
    private static let maximumAuthorities = 3

    /// Verifies `chain`, leaf first, at the time `now`, and returns the root to which it leads.
    package static func verify(
        _ chain: [Certificate], to roots: [TrustAnchor], at now: Timestamp
    ) throws(CertificatePathError) -> TrustAnchor {
        try path(chain, to: roots, at: now).root
    }

    /// Verifies `chain`. Returns its certificates up to the first one that a root issued, and that root.
    static func path(
        _ chain: [Certificate], to roots: [TrustAnchor], at now: Timestamp
    ) throws(CertificatePathError) -> VerifiedPath {
        guard let leaf = chain.first else { throw .empty }
        for (below, certificate) in chain.enumerated() {
            guard below <= maximumAuthorities else { throw .tooLong }
            guard certificate.isValid(at: now) else {
                throw .outsideValidity(subject: certificate.subject.description)
            }
            if below > 0 {
                try requireAuthority(certificate, authoritiesBelow: below - 1, over: leaf)
            }
            let candidates = roots.filter { certificate.names($0.certificate) }
            if let root = try root(of: certificate, among: candidates, at: now) {
                // `below` is the number of authorities between this root and the leaf (RFC 5280, 4.2.1.9).
                guard root.certificate.basicConstraints?.pathLength ?? .max >= below else { throw .tooLong }
                return VerifiedPath(certificates: Array(chain[...below]), root: root)
            }
            guard below + 1 < chain.count else {
                // A root with the issuer's name is trusted, but its key did not sign the certificate.
                guard candidates.isEmpty else { throw .signatureInvalid }
                throw .issuerNotFound(issuer: certificate.issuer.description)
            }
            try requireIssuer(chain[below + 1], of: certificate)
        }
        // Not reached, because at the last certificate of the chain the loop returns or throws.
        throw .tooLong
    }

    /// Returns the valid root among `candidates` whose key signed `certificate`.
    ///
    /// The result is `nil` if no candidate signed the certificate. This is no error, because an authority in
    /// the chain may have the same name as a root.
    private static func root(
        of certificate: Certificate, among candidates: [TrustAnchor], at now: Timestamp
    ) throws(CertificatePathError) -> TrustAnchor? {
        let signers = candidates.filter { (try? $0.verifySignature(of: certificate)) != nil }
        if let root = signers.first(where: { $0.isValid(at: now) }) { return root }
        if let invalid = signers.first {
            throw .outsideValidity(subject: invalid.certificate.subject.description)
        }
        return nil
    }

    /// Checks that the issuer stated in `certificate` is `issuer`, and that the issuer's key signed the
    /// certificate.
    private static func requireIssuer(
        _ issuer: Certificate, of certificate: Certificate
    ) throws(CertificatePathError) {
        guard certificate.names(issuer) else {
            throw .issuerNotFound(issuer: certificate.issuer.description)
        }
        try mapping(certificate.verifySignature(with: issuer.subjectPublicKeyInfo.authorityKey())) {
            (_: OpenSSLCryptoError) in CertificatePathError.signatureInvalid
        }
    }

    /// Checks that a certificate of the chain may issue the certificates below it.
    ///
    /// - Parameter authoritiesBelow: The number of authorities between this authority and the leaf.
    private static func requireAuthority(
        _ certificate: Certificate, authoritiesBelow: Int, over leaf: Certificate
    ) throws(CertificatePathError) {
        // Name constraints and policies are not evaluated, so an authority that has them is refused.
        let inspection = ProfileInspection(profile: .iaca, certificate: certificate, issuer: nil)
        guard certificate.deviations.isSubset(of: .harmless), certificate.basicConstraints?.isCA == true,
            certificate.keyUsage?.contains(.keyCertSign) == true,
            inspection.findings(.forbiddenExtension).isEmpty,
            inspection.findings(.unknownCriticalExtension).isEmpty, certificate.mayIssue(leaf)
        else { throw .notAnAuthority(subject: certificate.subject.description) }
        // An authority without a path length may have any number of authorities below it.
        guard certificate.basicConstraints?.pathLength ?? .max >= authoritiesBelow else { throw .tooLong }
    }
}

/// A path from a leaf to a pinned root. At the time of the verification, every certificate of the path was
/// valid.
struct VerifiedPath {
    /// The certificates from the leaf upwards, without the root.
    let certificates: [Certificate]
    let root: TrustAnchor

    /// Whether the root issued the leaf itself.
    var isDirect: Bool { certificates.count == 1 }

    /// The period during which all certificates of the path are valid, in seconds since 1970-01-01T00:00:00Z.
    var validity: ClosedRange<Int64> {
        let all = certificates + [root.certificate]
        // `all` has at least the root, so the defaults are not used.
        let start = all.map(\.notBefore).max() ?? 0
        // All certificates were valid at the time of the verification, so the range is never empty. `max` is
        // only a safeguard, because a range whose end is before its start would trap.
        return start...max(start, all.map(\.notAfter).min() ?? 0)
    }
}

extension Certificate {
    /// Whether this authority may issue `leaf`: the authority has no extended key usages, has
    /// anyExtendedKeyUsage, or has all extended key usages of the leaf.
    ///
    /// A leaf without extended key usages would serve every purpose, so an authority of limited purposes may
    /// not issue it.
    fileprivate func mayIssue(_ leaf: Certificate) -> Bool {
        guard let own = extendedKeyUsage, !own.contains(.anyExtendedKeyUsage) else { return true }
        return leaf.extendedKeyUsage?.allSatisfy(own.contains) == true
    }

    /// Whether the issuer's name and the authority key identifier of this certificate point to `issuer`.
    ///
    /// Only the names are compared if one of the two certificates lacks its key identifier (Q179).
    func names(_ issuer: Certificate) -> Bool {
        guard self.issuer == issuer.subject else { return false }
        guard let wanted = authorityKeyIdentifier, let own = issuer.subjectKeyIdentifier else { return true }
        return wanted == own
    }
}
