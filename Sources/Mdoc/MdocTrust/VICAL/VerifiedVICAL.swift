internal import CBOR
package import MdocModel
package import PKIX

/// A VICAL whose provider's signature was verified.
package struct VerifiedVICAL: Sendable {
    /// How many certificates one list may hold here.
    package static let maximumEntries = 4096

    /// An IACA and what it is trusted for.
    package struct Entry: Sendable {
        package let certificate: Certificate
        /// Empty if the list says nothing: trusted for nothing (Q175).
        package let docTypes: Set<String>
    }

    package let provider: String
    package let date: Timestamp
    package let issueID: UInt64?
    package let nextUpdate: Timestamp?
    /// The entries that can be used; of the same certificate once.
    package let entries: [Entry]
    /// What is wrong with entries, used or not.
    package let findings: [VICALFinding]
    /// The rules of its profile that the signer breaks without being refused.
    package let signerFindings: [ProfileFinding]
    /// The pinned root that its signer led to.
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

/// The entries of a VICAL that can be used, and what is wrong with entries, used or not.
struct VICALContents: Sendable {
    let entries: [VerifiedVICAL.Entry]
    let findings: [VICALFinding]

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
    /// The list behind its provider's signature.
    ///
    /// - Parameters:
    ///   - providers: the pinned roots of providers.
    ///   - now: when list and signer have to be valid, beside the date of the list, at which the signer always has to
    ///     be; nil for a list that was accepted before and is kept until there is a better one (Q176).
    package func verify(
        by providers: [TrustAnchor], at now: Timestamp?, _ strictness: ProfileStrictness = .strict
    ) throws(VICALError) -> VerifiedVICAL {
        try verify(by: providers, at: now, strictness, revokedBy: RevocationLists(of: []))
    }

    /// As `verify(by:at:_:)`, if CRLs of the providers are available.
    ///
    /// - Parameter tolerated: the seconds by which the list may be past its nextUpdate.
    func verify(
        by providers: [TrustAnchor], at now: Timestamp?, _ strictness: ProfileStrictness = .strict,
        revokedBy revocationLists: RevocationLists, overdueBy tolerated: Int64 = 0
    ) throws(VICALError) -> VerifiedVICAL {
        let chain = try list.signerChain()
        let path: VerifiedPath
        do throws(CertificatePathError) {
            // A list older than its signer's certificate could be imported, and would then not be used.
            path = try CertificatePath.path(chain, to: providers, at: date)
            if let now { _ = try CertificatePath.path(chain, to: providers, at: now) }
        } catch {
            throw .signerNotTrusted(error)
        }
        try list.verifySignature()
        let profile = CertificateProfile.vicalSigner
        let found = profile.findings(of: chain[0], issuedBy: nil)
        // Three published lists have such a signer (Q214).
        let refusals = profile.refusals(among: found.filter { !$0.rule.isHarmless }, strictness)
        guard refusals.isEmpty else { throw .signerProfile(refusals) }
        if path.isDirect {
            let revocation = SignerRevocation(of: chain[0], issuedBy: path.root, in: revocationLists)
            guard !revocation.isRevokedForGood else { throw .signerRevoked }
        }
        if let now {
            guard date <= now else { throw .notYetValid }
            if let nextUpdate, nextUpdate.advanced(bySeconds: tolerated) < now { throw .expired }
        }
        let read = contents.value { Result { () throws(VICALError) in try VICALContents(infos) } }
        return VerifiedVICAL(self, try read.get(), root: path.root, found)
    }
}
