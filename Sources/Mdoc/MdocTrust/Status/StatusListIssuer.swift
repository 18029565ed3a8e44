internal import COSE
internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX

/// The authorities whose signers may sign a document's status list: the IACA of the document, or the
/// certificate that its MSO names (ISO/IEC 18013-5 second edition 12.3.6.2).
struct StatusListIssuer {
    /// The dictionary key of an issuer in the cache of verification results. Issuers with equal fingerprints
    /// accept the same signers.
    enum Fingerprint: Hashable, Sendable {
        /// The fingerprint of an issuer made with `init(anyOf:named:)`. No results are cached for such an
        /// issuer.
        case anyone
        case rootsNamedAs([UInt8], docType: String)
        case certificate([UInt8])
    }

    let fingerprint: Fingerprint
    private let choice: Choice
    private let revocationLists: RevocationLists

    private enum Choice {
        /// Signers that one of the anchors or named certificates issued, and the named certificates
        /// themselves.
        case anyOf([TrustAnchor], named: [Certificate])
        /// Signers that any root with the name of this anchor certified. A root that gets a new key keeps its
        /// name (Q177).
        case rootsNamed(TrustAnchor, among: TrustRoots, docType: String)
        /// Signers that this certificate issued, and this certificate itself.
        case certificate(Certificate)
    }

    /// Makes the issuer for the list of one document.
    ///
    /// - Parameters:
    ///   - anchor: The root of the document.
    ///   - roots: All roots of the store. Only roots that are trusted for `docType` may issue the list's
    ///     signer.
    ///   - certificate: The certificate that the MSO names, either the signer's own certificate or the
    ///     certificate of the signer's issuer. `nil` if the MSO names no certificate.
    init(
        of anchor: TrustAnchor, among roots: TrustRoots, for docType: String,
        naming certificate: Certificate?, revokedBy revocationLists: RevocationLists
    ) {
        self.revocationLists = revocationLists
        guard let certificate else {
            choice = .rootsNamed(anchor, among: roots, docType: docType)
            fingerprint = .rootsNamedAs(anchor.sha256, docType: docType)
            return
        }
        choice = .certificate(certificate)
        fingerprint = .certificate(Digest(.sha256, of: certificate.der).bytes)
    }

    /// Makes the issuer for a list to which no document has referred yet.
    ///
    /// - Parameter named: Certificates that MSOs named.
    init(anyOf anchors: [TrustAnchor], named: [Certificate] = []) {
        choice = .anyOf(anchors, named: named)
        fingerprint = .anyone
        revocationLists = RevocationLists(of: [])
    }

    /// Returns the certificates that may issue a signer, as of `now`.
    private func roots(at now: Timestamp) -> [TrustAnchor] {
        switch choice {
        case .anyOf(let anchors, let named): anchors + named.compactMap { try? TrustAnchor($0) }
        case .rootsNamed(let anchor, let roots, let docType):
            roots.anchors.filter {
                $0.isTrusted(for: docType) && $0.anchor.certificate.subject == anchor.certificate.subject
                    && roots.areTrusting($0.anchor, for: docType, at: now)
            }.map(\.anchor)
        case .certificate(let certificate): (try? TrustAnchor(certificate)).map { [$0] } ?? []
        }
    }

    /// Whether `leaf` itself is a named certificate.
    private func names(_ leaf: Certificate) -> Bool {
        switch choice {
        case .anyOf(_, let named): named.contains { $0.der == leaf.der }
        case .rootsNamed: false
        case .certificate(let named): named.der == leaf.der
        }
    }

    /// Verifies the token's signature and the signer's certificate. The certificate must be valid at `now`,
    /// or must have been valid when the list was issued.
    ///
    /// - Throws: `UndeterminedCause.listSignerWrong` or `listSignerInvalid`.
    func verifySigner(
        of token: StatusToken, at now: Timestamp
    ) throws(UndeterminedCause) -> StatusListSigner {
        var chain: [Certificate] = []
        // A path has the signer and at most three authorities above it (`CertificatePath`).
        guard let encoded = try? token.signature.headers.x5chain(maximum: 4) else { throw .listSignerWrong }
        for (place, der) in encoded.enumerated() {
            // An unreadable certificate after the signer's certificate is skipped, because the path to a root
            // may not need it.
            guard let certificate = try? Certificate(der: der) else {
                if place == 0 { throw .listSignerWrong }
                continue
            }
            chain.append(certificate)
        }
        guard let leaf = chain.first, let key = try? leaf.publicKey() else { throw .listSignerWrong }
        let profile = CertificateProfile.statusSigner
        guard profile.refusals(among: profile.findings(of: leaf, issuedBy: nil), .lenient).isEmpty else {
            throw .listSignerWrong
        }
        let signer = try signer(chain, leaf, issued: token.issued, at: now)
        guard (try? token.signature.verify(with: key)) != nil else { throw .listSignerWrong }
        return signer
    }

    /// Whether a cached result of verifying the signer is still correct at `now`.
    ///
    /// A cached success is no longer correct if a certificate has expired, or if the signer's root is a link
    /// certificate whose earlier root is no longer trusted (Q231).
    func confirms(_ verdict: Result<StatusListSigner, UndeterminedCause>, at now: Timestamp) -> Bool {
        switch verdict {
        case .success(let signer):
            guard signer.isValid(at: now) else { return false }
            guard case .rootsNamed = choice, let root = signer.root else { return true }
            return roots(at: now).contains { $0.sha256 == root.sha256 }
        // Only the validity of certificates depends on the time. Every other failure remains a failure.
        case .failure(let cause): return cause != .listSignerInvalid
        }
    }

    /// Checks that this issuer accepts `leaf` itself, or the chain from `leaf` to a root.
    private func signer(
        _ chain: [Certificate], _ leaf: Certificate, issued: Timestamp, at now: Timestamp
    ) throws(UndeterminedCause) -> StatusListSigner {
        if names(leaf) {
            // `leaf` is a certificate that an MSO names, so it needs no root.
            guard leaf.isValid(at: now) || leaf.isValid(at: issued) else { throw .listSignerInvalid }
            return StatusListSigner(
                root: nil, validity: leaf.notBefore...leaf.notAfter, revocation: nil)
        }
        // Only CRLs of roots are evaluated, so the revocation of a signer below an intermediate authority is
        // unknown.
        let path = try path(of: chain, at: now, orAt: issued)
        return StatusListSigner(
            root: path.root, validity: path.validity,
            revocation: path.isDirect
                ? SignerRevocation(of: leaf, issuedBy: path.root, in: revocationLists) : nil)
    }

    /// Returns the path from the signer to a root, valid at `now` or else at the time of issue.
    private func path(
        of chain: [Certificate], at now: Timestamp, orAt issued: Timestamp
    ) throws(UndeterminedCause) -> VerifiedPath {
        let roots = roots(at: now)
        do throws(CertificatePathError) {
            return try CertificatePath.path(chain, to: roots, at: now)
        } catch .outsideValidity {
            // A certificate of the path has expired since the list was issued. The list still revokes
            // documents, but no longer shows that a document is not revoked.
            guard let past = try? CertificatePath.path(chain, to: roots, at: issued) else {
                throw .listSignerInvalid
            }
            return past
        } catch {
            throw .listSignerWrong
        }
    }
}

/// The verified signer of a list, with the period during which its certificates are valid.
struct StatusListSigner: Sendable {
    /// The root of the signer; `nil` if the MSO named the signer's own certificate.
    let root: TrustAnchor?
    /// The period during which every certificate from the signer to its root is valid, in seconds since
    /// 1970-01-01T00:00:00Z.
    let validity: ClosedRange<Int64>
    /// The statements of the root's CRLs about the signer; `nil` if no root issued the signer directly.
    let revocation: SignerRevocation?

    func isValid(at now: Timestamp) -> Bool { validity.contains(now.secondsSince1970) }

    func isRevoked(at now: Timestamp, clockSkew: Int64) -> Bool {
        revocation?.finding(at: now, clockSkew: clockSkew).state == .revoked
    }
}
