package import CBOR
package import MdocModel
internal import PKIX
internal import Synchronization

/// What is believed, ready for verification: made from one immutable set, and so is what it remembers. What changes trust
/// makes a new store, which forgets which document signers were verified.
package final class TrustStore: Sendable {
    /// Of what the store was made.
    package let snapshotID: TrustSnapshot.ID
    package let anchors: [TrustAnchor]
    private let roots: TrustRoots
    private let byKeyIdentifier: [ArraySlice<UInt8>: [TrustedAnchor]]
    private let revocationLists: RevocationLists
    private let statusLists: StatusLists
    private let verified: Mutex<[CertificateEncoding: Verified]>
    private let capacity: Int

    fileprivate struct Verified: Sendable {
        let certificate: IssuerCertificate
        let trusted: TrustedAnchor
        let profile: CertificateProfile
        let deviations: [Deviation]
        let revocation: SignerRevocation
    }

    /// - Parameter remembering: how many verified document signers are kept; with 0 each is verified again.
    package convenience init(_ snapshot: TrustSnapshot, remembering capacity: Int = 64) {
        self.init(snapshot.id, snapshot.anchors, lists: snapshot.sources, remembering: capacity)
    }

    /// A store of these anchors alone, trusted for all that they issue.
    package convenience init(anchors: [TrustAnchor], remembering capacity: Int = 64) {
        let sources = anchors.map { anchor in
            TrustSource(
                .anchor, name: TrustSnapshot.ID(bytes: anchor.sha256).description,
                provenance: .file(path: ""), obtained: Timestamp(secondsSince1970: 0),
                bytes: anchor.certificate.der)
        }
        self.init(
            TrustSnapshot.ID(of: sources.sorted { $0.identity < $1.identity }),
            anchors.map { TrustedAnchor($0, for: .any) }, lists: [], remembering: capacity)
    }

    private init(
        _ snapshotID: TrustSnapshot.ID, _ trusted: [TrustedAnchor], lists: [TrustSource],
        remembering capacity: Int
    ) {
        self.snapshotID = snapshotID
        self.capacity = capacity
        anchors = trusted.map(\.anchor)
        byKeyIdentifier = Self.index(trusted)
        revocationLists = RevocationLists(of: lists)
        roots = TrustRoots(trusted, revokedBy: revocationLists)
        statusLists = StatusLists(lists.compactMap(PublishedStatusList.init), revokedBy: revocationLists)
        verified = Mutex([:])
    }

    private static func index(_ anchors: [TrustedAnchor]) -> [ArraySlice<UInt8>: [TrustedAnchor]] {
        var index: [ArraySlice<UInt8>: [TrustedAnchor]] = [:]
        for trusted in anchors {
            guard let identifier = trusted.anchor.certificate.subjectKeyIdentifier else { continue }
            index[identifier, default: []].append(trusted)
        }
        return index
    }

    /// The leaf of x5chain: the one that was verified before under the same bytes, or parsed now.
    package func issuerCertificate(der: ArraySlice<UInt8>) throws(IssuerCertificateError) -> IssuerCertificate
    {
        if capacity > 0, let known = verified.withLock({ $0[CertificateEncoding(der: der)]?.certificate }) {
            return known
        }
        return try IssuerCertificate(der: der)
    }

    /// The proof that an IACA which is trusted for `docType` issued this document signer, that it fits the profile for this
    /// type, and that both are valid at `now`.
    package func verify(
        _ leaf: IssuerCertificate, for docType: String, at now: Timestamp,
        profiles: DocumentSignerProfiles = DocumentSignerProfiles()
    ) throws(IssuerCertificateError) -> VerifiedIssuerCertificate {
        let profile = profiles.profile(for: docType)
        try requireValidity(of: leaf.certificate, at: now)
        // Where the anchor's time is over, a renewed one of the same key may take its place (Q177).
        if capacity > 0,
            let known = verified.withLock({ $0[CertificateEncoding(der: leaf.certificate.der)] }),
            known.profile == profile, known.trusted.anchor.isValid(at: now),
            known.trusted.isTrusted(for: docType)
        {
            return VerifiedIssuerCertificate(proving: leaf, known, docType)
        }
        let trusted = try issuer(of: leaf.certificate, for: docType, at: now)
        let deviations = try profile.deviations(
            ofDocumentSigner: leaf.certificate, issuedBy: trusted.anchor.certificate)
        let entry = Verified(
            certificate: leaf, trusted: trusted, profile: profile, deviations: deviations,
            revocation: SignerRevocation(
                of: leaf.certificate, issuedBy: trusted.anchor, in: revocationLists))
        // Whether a link certificate counts depends on the time of another anchor too.
        if !trusted.anchor.isLinkCertificate { remember(entry) }
        return VerifiedIssuerCertificate(proving: leaf, entry, docType)
    }

    /// What the available lists say about revocation at `now`.
    ///
    /// - Parameters:
    ///   - status: where the issuer publishes the document's status, from its MSO; nil if it does not.
    ///   - clockSkew: the seconds by which a list may be from the future.
    package func revocation(
        of signer: borrowing VerifiedIssuerCertificate, status: Result<DocumentStatus, CBORError>?,
        at now: Timestamp, clockSkew: Int64
    ) -> RevocationFinding {
        let issued = RevocationFinding.combine(
            signer: signer.revocation.finding(at: now, clockSkew: clockSkew),
            document: statusLists.finding(
                status,
                of: StatusLists.Subject(anchor: signer.anchor, docType: signer.docType, roots: roots),
                at: now, clockSkew: clockSkew))
        guard let root = signer.trusted.finding(for: signer.docType, at: now) else { return issued }
        return .combine(signer: issued, document: root)
    }

    /// The link certificates among the anchors that no trusted root signed: nothing that they issue is believed.
    package func unlinkedAnchors(at now: Timestamp) -> [TrustAnchor] {
        anchors.filter { !roots.areTrusting($0, for: nil, at: now) }
    }

    private func requireValidity(
        of certificate: Certificate, at now: Timestamp
    ) throws(IssuerCertificateError) {
        guard certificate.notBefore <= now.secondsSince1970 else { throw .notYetValid }
        guard now.secondsSince1970 <= certificate.notAfter else { throw .expired }
    }

    /// Every anchor that the leaf's names point to is tried: roots are re-keyed under one name (Q177).
    private func issuer(
        of leaf: Certificate, for docType: String, at now: Timestamp
    ) throws(IssuerCertificateError) -> TrustedAnchor {
        let candidates = try candidates(for: leaf)
        let signers = candidates.filter { (try? $0.anchor.verifySignature(of: leaf)) != nil }
        guard !signers.isEmpty else { throw .signatureInvalid }
        let valid = signers.filter { $0.anchor.isValid(at: now) }
        guard !valid.isEmpty else { throw .anchorOutsideValidity }
        let trusted = valid.filter { $0.isTrusted(for: docType) }
        guard !trusted.isEmpty else { throw .docTypeNotTrusted(docType) }
        guard
            let root = trusted.first(where: { !$0.anchor.isLinkCertificate })
                ?? trusted.first(where: { roots.areTrusting($0.anchor, for: docType, at: now) })
        else { throw .anchorNotFound(issuer: leaf.issuer.description) }
        return root
    }

    private func candidates(for leaf: Certificate) throws(IssuerCertificateError) -> [TrustedAnchor] {
        let named = leaf.authorityKeyIdentifier.flatMap { byKeyIdentifier[$0] } ?? []
        let candidates = named.filter { $0.anchor.certificate.subject == leaf.issuer }
        guard candidates.isEmpty else { return candidates }
        let sameName = roots.anchors.filter { $0.anchor.certificate.subject == leaf.issuer }
        let withoutIdentifier = sameName.filter { $0.anchor.certificate.subjectKeyIdentifier == nil }
        guard withoutIdentifier.isEmpty else { return withoutIdentifier }
        if !sameName.isEmpty { throw .authorityKeyIdentifierMismatch }
        if !named.isEmpty { throw .issuerNameMismatch }
        throw .anchorNotFound(issuer: leaf.issuer.description)
    }

    private func remember(_ entry: Verified) {
        guard capacity > 0 else { return }
        verified.withLock { known in
            if known.count >= capacity { known.removeAll(keepingCapacity: true) }
            known[CertificateEncoding(der: entry.certificate.certificate.der)] = entry
        }
    }
}

/// A certificate's bytes as a key; hashed as a whole, where a slice is hashed byte by byte.
private struct CertificateEncoding: Hashable {
    let der: ArraySlice<UInt8>

    func hash(into hasher: inout Hasher) {
        unsafe der.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

/// The proof that a document signer's certificate was issued by a trusted IACA, fits the profile, and is valid now.
package struct VerifiedIssuerCertificate: ~Copyable, Sendable {
    package let leaf: IssuerCertificate
    package var anchor: TrustAnchor { trusted.anchor }
    fileprivate let trusted: TrustedAnchor
    /// The document type that the anchor is trusted for.
    package let docType: String
    package let deviations: [Deviation]
    fileprivate let revocation: SignerRevocation

    fileprivate init(proving leaf: IssuerCertificate, _ entry: TrustStore.Verified, _ docType: String) {
        self.leaf = leaf
        self.docType = docType
        trusted = entry.trusted
        deviations = entry.deviations
        revocation = entry.revocation
    }
}
