package import CBOR
package import MdocModel
internal import PKIX
internal import Synchronization

/// The roots and lists of one trust snapshot, prepared for verification. A store finds the root of a document
/// signer and the revocation of a document.
///
/// **Responsibility.** A store answers two questions about one document. `verify(_:for:at:profiles:)` finds
/// the IACA that issued the document signer, checks the signer against its certificate profile, and returns a
/// proof (ISO/IEC 18013-5 9.3.3). `revocation(of:status:at:clockSkew:)` combines what CRLs, status lists and
/// VICALs of the snapshot say about the signer, the document and the root.
///
/// **State.** The trust in a store never changes. A change of trust makes a new snapshot and a new store. The
/// only mutable part is a cache of verified document signers, at most `capacity` of them. A full cache is
/// emptied as a whole. A cached signer is used only while its root is valid, the document type is trusted and
/// the certificate profile is the same.
///
/// **Callers.** The checks of `MdocVerification` call it for each document. A store is `Sendable` and may be
/// used from any thread; a lock protects the cache.
///
/// **Limits.** A store never fetches a list, reads no clock and writes no log. The time is an argument. A
/// store decides nothing about policy. `RevocationPolicy` decides whether undetermined revocation is
/// accepted.
package final class TrustStore: Sendable {
    /// The id of the snapshot from which the store was made.
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

    /// Makes a store of `snapshot`.
    ///
    /// - Parameter capacity: The maximum number of verified document signers that are cached; with 0 each
    ///   signer is verified anew.
    package convenience init(_ snapshot: TrustSnapshot, remembering capacity: Int = 64) {
        self.init(snapshot.id, snapshot.anchors, lists: snapshot.sources, remembering: capacity)
    }

    /// Makes a store with only `anchors`, which are trusted for every document type. The store has no
    /// revocation lists.
    package convenience init(anchors: [TrustAnchor], remembering capacity: Int = 64) {
        // Provenance and time are not part of the snapshot's id, so placeholders suffice.
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

    /// Groups the anchors that have a subject key identifier by that identifier.
    private static func index(_ anchors: [TrustedAnchor]) -> [ArraySlice<UInt8>: [TrustedAnchor]] {
        var index: [ArraySlice<UInt8>: [TrustedAnchor]] = [:]
        for trusted in anchors {
            // Anchors without an identifier are found by their names (Q179).
            guard let identifier = trusted.anchor.certificate.subjectKeyIdentifier else { continue }
            index[identifier, default: []].append(trusted)
        }
        return index
    }

    /// Returns the document signer's certificate in `der`. It is the cached certificate if these bytes were
    /// verified before; otherwise it is parsed now.
    package func issuerCertificate(der: ArraySlice<UInt8>) throws(IssuerCertificateError) -> IssuerCertificate
    {
        if capacity > 0, let known = verified.withLock({ $0[CertificateEncoding(der: der)]?.certificate }) {
            return known
        }
        return try IssuerCertificate(der: der)
    }

    /// Verifies that a trusted IACA issued `leaf`, that `leaf` fits the certificate profile of `docType`, and
    /// that both are valid at `now`.
    ///
    /// - Returns: The proof, which `VerifiedDocument` requires.
    package func verify(
        _ leaf: IssuerCertificate, for docType: String, at now: Timestamp,
        profiles: DocumentSignerProfiles = DocumentSignerProfiles()
    ) throws(IssuerCertificateError) -> VerifiedIssuerCertificate {
        let profile = profiles.profile(for: docType)
        try requireValidity(of: leaf.certificate, at: now)
        // A cached signer whose root has expired is verified again, because the snapshot may have a renewed
        // certificate of the same root key (Q177).
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
        // A link certificate is not cached, because its trust also depends on the validity of another root.
        if !trusted.anchor.isLinkCertificate { remember(entry) }
        return VerifiedIssuerCertificate(proving: leaf, entry, docType)
    }

    /// Returns the finding about the revocation of the signer, the document and the root, combined from all
    /// lists in this store.
    ///
    /// - Parameters:
    ///   - status: The references to status and identifier lists in the document's MSO; `nil` if the MSO has
    ///     none.
    ///   - clockSkew: The seconds by which the date of a list may lie in the future.
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

    /// Returns those anchors that are link certificates and that no trusted root signed. Nothing that they
    /// issue is trusted.
    package func unlinkedAnchors(at now: Timestamp) -> [TrustAnchor] {
        anchors.filter { !roots.areTrusting($0, for: nil, at: now) }
    }

    private func requireValidity(
        of certificate: Certificate, at now: Timestamp
    ) throws(IssuerCertificateError) {
        guard certificate.notBefore <= now.secondsSince1970 else { throw .notYetValid }
        guard now.secondsSince1970 <= certificate.notAfter else { throw .expired }
    }

    /// Returns the trusted root that signed `leaf`. Every candidate is tried, because several roots may have
    /// the same name (Q177).
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
            // A self-signed root comes first, since a link certificate depends on another root.
            let root = trusted.first(where: { !$0.anchor.isLinkCertificate })
                ?? trusted.first(where: { roots.areTrusting($0.anchor, for: docType, at: now) })
        else { throw .anchorNotFound(issuer: leaf.issuer.description) }
        return root
    }

    /// Returns the anchors that may have issued `leaf`, by its issuer's name and authority key identifier.
    /// Anchors without a key identifier are found by the name only (Q179).
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

    /// Caches a verified signer. A full cache is emptied as a whole.
    private func remember(_ entry: Verified) {
        guard capacity > 0 else { return }
        verified.withLock { known in
            if known.count >= capacity { known.removeAll(keepingCapacity: true) }
            known[CertificateEncoding(der: entry.certificate.certificate.der)] = entry
        }
    }
}

/// The bytes of a certificate as a key of a dictionary. One call hashes all bytes. The hash of `ArraySlice`
/// is slower, because it adds one byte at a time.
private struct CertificateEncoding: Hashable {
    let der: ArraySlice<UInt8>

    func hash(into hasher: inout Hasher) {
        unsafe der.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

/// The proof that a trusted IACA issued a document signer's certificate, and that this certificate fits its
/// profile and was valid at the time of verification.
package struct VerifiedIssuerCertificate: ~Copyable, Sendable {
    package let leaf: IssuerCertificate
    package var anchor: TrustAnchor { trusted.anchor }
    fileprivate let trusted: TrustedAnchor
    /// The document type for which the anchor is trusted.
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
