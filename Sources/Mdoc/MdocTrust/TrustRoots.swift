internal import MdocModel
internal import PKIX

/// The anchors of a store. This value decides which anchors may be used as roots.
///
/// A self-signed anchor may always be used, because the operator or a trusted list named it. A link
/// certificate may be used only while the root that signed it is trusted for the same documents, is valid,
/// and has not revoked the link certificate (Q231).
struct TrustRoots: Sendable {
    /// The maximum number of link certificates between an anchor and a self-signed root.
    private static let mostLinks = 3

    let anchors: [TrustedAnchor]
    private let revocationLists: RevocationLists

    init(_ anchors: [TrustedAnchor], revokedBy revocationLists: RevocationLists) {
        self.anchors = anchors
        self.revocationLists = revocationLists
    }

    /// Whether `anchor` is self-signed, or linked to a trusted root.
    ///
    /// - Parameter docType: The document type for which the roots must be trusted; `nil` for any type.
    func areTrusting(_ anchor: TrustAnchor, for docType: String?, at now: Timestamp) -> Bool {
        areTrusting(anchor, for: docType, at: now, linksLeft: Self.mostLinks)
    }

    /// Whether `trusted` is self-signed, or linked to trusted roots for every document type for which it is
    /// listed.
    func areTrusting(_ trusted: TrustedAnchor, at now: Timestamp) -> Bool {
        guard trusted.anchor.isLinkCertificate, case .only(let docTypes) = trusted.docTypes, !docTypes.isEmpty
        else { return areTrusting(trusted.anchor, for: nil, at: now) }
        return docTypes.allSatisfy { areTrusting(trusted.anchor, for: $0, at: now) }
    }

    /// Follows link certificates from `anchor` to a self-signed root.
    ///
    /// - Parameter linksLeft: The number of link certificates that may still follow.
    private func areTrusting(
        _ anchor: TrustAnchor, for docType: String?, at now: Timestamp, linksLeft: Int
    ) -> Bool {
        guard anchor.isLinkCertificate else { return true }
        // The limit stops the recursion if link certificates have signed each other in a circle.
        guard linksLeft > 0 else { return false }
        return anchors.contains { earlier in
            earlier.anchor.sha256 != anchor.sha256 && anchor.certificate.names(earlier.anchor.certificate)
                // If `docType` is `nil`, a root may be trusted for any document type.
                && docType.map(earlier.isTrusted) ?? true && earlier.anchor.isValid(at: now)
                && isLink(from: earlier.anchor, to: anchor, at: now)
                && areTrusting(earlier.anchor, for: docType, at: now, linksLeft: linksLeft - 1)
        }
    }

    /// Whether `earlier` signed the link certificate `anchor`, may issue it and has not revoked it.
    private func isLink(from earlier: TrustAnchor, to anchor: TrustAnchor, at now: Timestamp) -> Bool {
        // A self-issued certificate does not count for the path length (RFC 5280, 6.1.4).
        guard anchor.certificate.isSelfIssued || earlier.certificate.basicConstraints?.pathLength != 0,
            (try? earlier.verifySignature(of: anchor.certificate)) != nil
        else { return false }
        let revocation = SignerRevocation(
            of: anchor.certificate, issuedBy: earlier, in: revocationLists)
        return revocation.finding(at: now, clockSkew: 0).state != .revoked
    }
}

extension TrustSource {
    /// Whether the source is an anchor that is a link certificate (`TrustAnchor.isLinkCertificate`).
    package var isLinkCertificate: Bool {
        guard kind == .anchor, case .certificate(let held) = content else { return false }
        return (try? held.anchor(sha256: sha256))?.isLinkCertificate == true
    }
}
