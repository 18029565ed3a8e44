internal import ErrorMapping
internal import JSON
package import MdocModel
internal import OpenSSLCrypto
package import PKIX

/// Why a chain does not lead to a trusted certificate.
package enum CertificatePathError: Error, Equatable, Sendable {
    /// No certificate at all.
    case empty
    /// More authorities between leaf and root than the limit, or than one of them allows.
    case tooLong
    /// Neither a root nor the next certificate has this issuer's name and key identifier.
    case issuerNotFound(issuer: String)
    /// The certificates with the issuer's name did not sign it.
    case signatureInvalid
    /// A certificate of the chain, or its root, is not valid at the time asked for.
    case outsideValidity(subject: String)
    /// A certificate between leaf and root that may not issue certificates, or constrains what it issues.
    case notAnAuthority(subject: String)
}

extension CertificatePathError {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .empty: "it contains no certificate"
        case .tooLong: "the chain has too many authorities"
        case .issuerNotFound(let issuer): "the certificate of its issuer is missing: \(Terminal.safe(issuer))"
        case .signatureInvalid: "the certificates with its issuer's name did not sign it"
        case .outsideValidity(let subject): "\(Terminal.safe(subject)) is not valid at this time"
        case .notAnAuthority(let subject): "\(Terminal.safe(subject)) may not issue it"
        }
    }
}

/// The way from a leaf over the authorities it came with to a pinned root (RFC 5280, 6.1), as far as the chains of lists
/// and readers need it. Nothing that came in is a root.
package enum CertificatePath {
    private static let maximumAuthorities = 3

    /// The root that `chain`, leaf first, leads to.
    package static func verify(
        _ chain: [Certificate], to roots: [TrustAnchor], at now: Timestamp
    ) throws(CertificatePathError) -> TrustAnchor {
        try path(chain, to: roots, at: now).root
    }

    /// The certificates of `chain` that lead to a root, with that root.
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
                guard root.certificate.basicConstraints?.pathLength ?? .max >= below else { throw .tooLong }
                return VerifiedPath(certificates: Array(chain[...below]), root: root)
            }
            guard below + 1 < chain.count else {
                guard candidates.isEmpty else { throw .signatureInvalid }
                throw .issuerNotFound(issuer: certificate.issuer.description)
            }
            try requireIssuer(chain[below + 1], of: certificate)
        }
        throw .tooLong
    }

    /// Nil if no root with the issuer's name signed it: an authority in the chain may have the same name.
    private static func root(
        of certificate: Certificate, among candidates: [TrustAnchor], at now: Timestamp
    ) throws(CertificatePathError) -> TrustAnchor? {
        let signers = candidates.filter { (try? $0.verifySignature(of: certificate)) != nil }
        if let root = signers.first(where: { $0.isValid(at: now) }) { return root }
        if let late = signers.first {
            throw .outsideValidity(subject: late.certificate.subject.description)
        }
        return nil
    }

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

    private static func requireAuthority(
        _ certificate: Certificate, authoritiesBelow: Int, over leaf: Certificate
    ) throws(CertificatePathError) {
        let inspection = ProfileInspection(profile: .iaca, certificate: certificate, issuer: nil)
        guard certificate.deviations.isSubset(of: .harmless), certificate.basicConstraints?.isCA == true,
            certificate.keyUsage?.contains(.keyCertSign) == true,
            inspection.findings(.forbiddenExtension).isEmpty,
            inspection.findings(.unknownCriticalExtension).isEmpty, certificate.mayIssue(leaf)
        else { throw .notAnAuthority(subject: certificate.subject.description) }
        guard certificate.basicConstraints?.pathLength ?? .max >= authoritiesBelow else { throw .tooLong }
    }
}

/// A way from a leaf to a pinned root on which every certificate was valid at one time.
struct VerifiedPath {
    /// The leaf first, without the root.
    let certificates: [Certificate]
    let root: TrustAnchor

    /// Whether the root issued the leaf itself.
    var isDirect: Bool { certificates.count == 1 }

    /// While all of them are valid, in seconds since 1970-01-01T00:00:00Z.
    var validity: ClosedRange<Int64> {
        let all = certificates + [root.certificate]
        let start = all.map(\.notBefore).max() ?? 0
        return start...max(start, all.map(\.notAfter).min() ?? 0)
    }
}

extension Certificate {
    /// Whether this authority's extended key usage, where it has one, has all of the leaf's: what an authority is not for,
    /// those below it are not.
    fileprivate func mayIssue(_ leaf: Certificate) -> Bool {
        guard let own = extendedKeyUsage, !own.contains(.anyExtendedKeyUsage) else { return true }
        return leaf.extendedKeyUsage?.allSatisfy(own.contains) == true
    }

    /// Whether this certificate's issuer and authority key identifier point to `issuer`, which may have no identifier (Q179).
    func names(_ issuer: Certificate) -> Bool {
        guard self.issuer == issuer.subject else { return false }
        guard let wanted = authorityKeyIdentifier, let own = issuer.subjectKeyIdentifier else { return true }
        return wanted == own
    }
}
