internal import COSE
internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX

/// Who may sign a document's list: those issued by the IACA of the document, or by the certificate that the MSO names
/// (ISO/IEC 18013-5 second edition 12.3.6.2).
struct StatusListIssuer {
    /// What decides who may sign.
    enum Fingerprint: Hashable, Sendable {
        case anyone
        case rootsNamedAs([UInt8], docType: String)
        case certificate([UInt8])
    }

    let fingerprint: Fingerprint
    private let choice: Choice
    private let revocationLists: RevocationLists

    private enum Choice {
        /// Those that any of these issued, or one of these certificates itself.
        case anyOf([TrustAnchor], named: [Certificate])
        /// Those that a root with this one's name issued, for roots are re-keyed (Q177).
        case rootsNamed(TrustAnchor, among: TrustRoots, docType: String)
        /// The issuer of the signer, or the signer itself.
        case certificate(Certificate)
    }

    /// - Parameters:
    ///   - anchor: the root of the document.
    ///   - roots: all roots; those that are not trusted for `docType` sign no lists for it.
    ///   - certificate: the certificate that the MSO names.
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

    /// For lists that no document has pointed to yet.
    ///
    /// - Parameter named: certificates that MSOs named.
    init(anyOf anchors: [TrustAnchor], named: [Certificate] = []) {
        choice = .anyOf(anchors, named: named)
        fingerprint = .anyone
        revocationLists = RevocationLists(of: [])
    }

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

    /// Whether an MSO named this very certificate.
    private func names(_ leaf: Certificate) -> Bool {
        switch choice {
        case .anyOf(_, let named): named.contains { $0.der == leaf.der }
        case .rootsNamed: false
        case .certificate(let named): named.der == leaf.der
        }
    }

    /// Whose key signed the token: somebody who is valid at `now`, or was when the list was issued.
    func verifySigner(
        of token: StatusToken, at now: Timestamp
    ) throws(UndeterminedCause) -> StatusListSigner {
        var chain: [Certificate] = []
        guard let encoded = try? token.signature.headers.x5chain(maximum: 4) else { throw .listSignerWrong }
        for (place, der) in encoded.enumerated() {
            // One that cannot be read behind the signer's is no link of the way to a root.
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

    /// Whether a verdict of an earlier time on the signer of a list would be the same at `now`.
    ///
    /// The link of the signer's root to an earlier root may have ended since (Q231).
    func confirms(_ verdict: Result<StatusListSigner, UndeterminedCause>, at now: Timestamp) -> Bool {
        switch verdict {
        case .success(let signer):
            guard signer.isValid(at: now) else { return false }
            guard case .rootsNamed = choice, let root = signer.root else { return true }
            return roots(at: now).contains { $0.sha256 == root.sha256 }
        case .failure(let cause): return cause != .listSignerInvalid
        }
    }

    private func signer(
        _ chain: [Certificate], _ leaf: Certificate, issued: Timestamp, at now: Timestamp
    ) throws(UndeterminedCause) -> StatusListSigner {
        if names(leaf) {
            guard leaf.isValid(at: now) || leaf.isValid(at: issued) else { throw .listSignerInvalid }
            return StatusListSigner(
                root: nil, validity: leaf.notBefore...leaf.notAfter, revocation: nil)
        }
        let path = try path(of: chain, at: now, orAt: issued)
        return StatusListSigner(
            root: path.root, validity: path.validity,
            revocation: path.isDirect
                ? SignerRevocation(of: leaf, issuedBy: path.root, in: revocationLists) : nil)
    }

    private func path(
        of chain: [Certificate], at now: Timestamp, orAt issued: Timestamp
    ) throws(UndeterminedCause) -> VerifiedPath {
        let roots = roots(at: now)
        do throws(CertificatePathError) {
            return try CertificatePath.path(chain, to: roots, at: now)
        } catch .outsideValidity {
            guard let past = try? CertificatePath.path(chain, to: roots, at: issued) else {
                throw .listSignerInvalid
            }
            return past
        } catch {
            throw .listSignerWrong
        }
    }
}

/// Who signed a list, and until when that counts.
struct StatusListSigner: Sendable {
    /// Nil if an MSO named the signer's own certificate.
    let root: TrustAnchor?
    /// While every certificate from the signer to its root is valid, in seconds since 1970-01-01T00:00:00Z.
    let validity: ClosedRange<Int64>
    /// What the CRLs of its root say about it.
    let revocation: SignerRevocation?

    func isValid(at now: Timestamp) -> Bool { validity.contains(now.secondsSince1970) }

    func isRevoked(at now: Timestamp, clockSkew: Int64) -> Bool {
        revocation?.finding(at: now, clockSkew: clockSkew).state == .revoked
    }
}
