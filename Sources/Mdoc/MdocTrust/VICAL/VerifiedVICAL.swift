internal import CBOR
package import MdocModel
package import PKIX

/// A VICAL whose signature by a pinned provider was verified (ISO/IEC 18013-5 Annex C).
///
/// **Responsibility.** The entries of a VICAL are available only through this value (Q175).
/// `UnverifiedVICAL.verify(by:at:_:revokedBy:)` makes the value after it has checked, in this order:
///
/// 1. the path from the signer to a pinned provider's root, at the date of the list and at the time of the
///    check;
/// 2. the signature;
/// 3. the signer's certificate against its profile, except for encodings that published lists have (Q214);
/// 4. the CRLs of the provider's root, which may revoke the signer;
/// 5. the date and the nextUpdate of the list.
///
/// **Callers.** The admission of a new list makes all of these checks. `TrustSnapshot` verifies a stored list
/// again without a time, because an expired list stays in use until a better list comes (Q176). The results
/// that follow from the bytes alone are cached, so parsing and the verification of the signature happen once.
///
/// **Limits.** At most 4096 entries are read. An entry without a readable certificate is left out, and
/// `findings` says why. The roots themselves are not checked here: `TrustAnchor` does that.
package struct VerifiedVICAL: Sendable {
    /// The maximum number of entries in a list.
    package static let maximumEntries = 4096

    /// An IACA with the document types for which it is trusted.
    package struct Entry: Sendable {
        package let certificate: Certificate
        /// The document types. With an empty set the IACA is trusted for no document (Q175).
        package let docTypes: Set<String>
    }

    package let provider: String
    package let date: Timestamp
    package let issueID: UInt64?
    package let nextUpdate: Timestamp?
    /// The usable entries, one for each certificate.
    package let entries: [Entry]
    /// The remarks on entries, both on used entries and on entries that were left out.
    package let findings: [VICALFinding]
    /// The profile rules that the signer's certificate breaks. The certificate is accepted nevertheless.
    package let signerFindings: [ProfileFinding]
    /// The pinned root to which the path from the list's signer leads.
    let root: TrustAnchor

    fileprivate init(
        _ list: borrowing UnverifiedVICAL, _ contents: VICALContents, root: TrustAnchor,
        _ signerFindings: [ProfileFinding]
    ) {
        self.root = root
        self.signerFindings = signerFindings
        provider = list.provider
        date = list.date
        issueID = list.issueID
        nextUpdate = list.nextUpdate
        entries = contents.entries
        findings = contents.findings
    }
}

/// The usable entries of a VICAL, with the remarks on all entries.
struct VICALContents: Sendable {
    let entries: [VerifiedVICAL.Entry]
    let findings: [VICALFinding]

    /// Reads all entries.
    ///
    /// - Throws: `VICALError.malformed` for a list with more than `maximumEntries`.
    fileprivate init(_ infos: CBORArray) throws(VICALError) {
        var reader = VICALEntryReader()
        var count = 0
        for info in infos {
            guard count < VerifiedVICAL.maximumEntries else {
                throw .malformed(.tooMany(limit: VerifiedVICAL.maximumEntries))
            }
            reader.read(info, index: count)
            count += 1
        }
        if count == 0 { reader.findings.append(.listEmpty) }
        entries = reader.entries
        findings = reader.findings
    }
}

extension UnverifiedVICAL {
    /// Verifies the list's signature by a pinned provider.
    ///
    /// - Parameters:
    ///   - providers: The pinned roots of providers.
    ///   - now: The time at which list and signer must be valid; `nil` for a list that was admitted before.
    ///     The signer must always be valid at the date of the list.
    /// - Throws: `VICALError` if the list is not trusted.
    package func verify(
        by providers: [TrustAnchor], at now: Timestamp?, _ strictness: ProfileStrictness = .strict
    ) throws(VICALError) -> VerifiedVICAL {
        try verify(by: providers, at: now, strictness, revokedBy: RevocationLists(of: []))
    }

    /// Verifies the list as `verify(by:at:_:)` does, and also checks the signer against CRLs of the
    /// providers.
    ///
    /// - Parameter tolerated: The seconds by which the list may be past its nextUpdate.
    func verify(
        by providers: [TrustAnchor], at now: Timestamp?, _ strictness: ProfileStrictness = .strict,
        revokedBy revocationLists: RevocationLists, overdueBy tolerated: Int64 = 0
    ) throws(VICALError) -> VerifiedVICAL {
        let chain = try list.signerChain()
        let path: VerifiedPath
        do throws(CertificatePathError) {
            // The path is also checked at the date of the list. Otherwise a list that is older than its
            // signer's certificate could be imported, but never used.
            path = try CertificatePath.path(chain, to: providers, at: date)
            if let now { _ = try CertificatePath.path(chain, to: providers, at: now) }
        } catch {
            throw .signerNotTrusted(error)
        }
        try list.verifySignature()
        let profile = CertificateProfile.vicalSigner
        let found = profile.findings(of: chain[0], issuedBy: nil)
        // Harmless findings are no reason to refuse a list, because published lists have a signer whose
        // certificate has such an encoding (Q214).
        let refusals = profile.refusals(among: found.filter { !$0.rule.isHarmless }, strictness)
        guard refusals.isEmpty else { throw .signerProfile(refusals) }
        // Only CRLs of roots are evaluated, so the revocation of a signer below an intermediate authority
        // cannot be checked.
        if path.isDirect {
            let revocation = SignerRevocation(of: chain[0], issuedBy: path.root, in: revocationLists)
            guard !revocation.isRevokedPermanently else { throw .signerRevoked }
        }
        if let now {
            guard date <= now else { throw .notYetValid }
            if let nextUpdate, nextUpdate.advanced(bySeconds: tolerated) < now { throw .expired }
        }
        let read = contents.value { Result { () throws(VICALError) in try VICALContents(infos) } }
        return VerifiedVICAL(self, try read.get(), root: path.root, found)
    }
}
