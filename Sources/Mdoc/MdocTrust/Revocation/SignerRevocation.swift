internal import MdocModel
internal import OpenSSLCrypto
package import PKIX
internal import Synchronization

/// The bytes of a CRL: parsed when that is first needed, and verified once for each key that may have signed it.
package final class HeldRevocationList: Sendable {
    let der: ArraySlice<UInt8>
    private let parsed = Once<Result<CertificateRevocationList, PKIXError>>()
    private let namedIssuer = Once<IssuerName?>()
    private let gap = Once<Bool>()
    /// Whether the anchor of this fingerprint signed it.
    private let verdicts = Mutex<[[UInt8]: Bool]>([:])

    private struct IssuerName: Sendable {
        let key: [UInt8]
        let digest: [UInt8]
    }

    init(_ der: ArraySlice<UInt8>) {
        self.der = der
    }

    package func list() throws(PKIXError) -> CertificateRevocationList {
        try parsed.value { Result { () throws(PKIXError) in try CertificateRevocationList(der: der) } }.get()
    }

    /// The issuer's name; nil for bytes that do not begin as a CRL.
    private var issuerName: IssuerName? {
        namedIssuer.value {
            // A CRL that is cut off still names its issuer.
            let issuer = (try? list())?.issuer ?? CertificateRevocationList.issuer(of: der)
            return issuer.map {
                let key = $0.comparisonKey
                return IssuerName(key: key, digest: Digest(.sha256, of: key[...]).bytes)
            }
        }
    }

    var isIncomplete: Bool {
        gap.value { (try? list())?.incompleteness != nil }
    }

    /// The comparison key of the issuer's name.
    fileprivate var issuerKey: [UInt8]? { issuerName?.key }

    /// The SHA-256 of the issuer's name.
    var issuerDigest: [UInt8]? { issuerName?.digest }

    /// The authority key identifier; nil if the CRL has none that can be read.
    var issuerKeyIdentifier: [UInt8]? { (try? list())?.authorityKeyIdentifier.map(Array.init) }

    func isSigned(by anchor: TrustAnchor) -> Bool {
        verdicts.withLock { known in
            if let known = known[anchor.sha256] { return known }
            let verdict = (try? anchor.verifySignature(of: list())) != nil
            known[anchor.sha256] = verdict
            return verdict
        }
    }
}

/// The CRLs of a store by the names of their issuers.
struct RevocationLists: Sendable {
    private var byIssuer: [[UInt8]: [HeldRevocationList]] = [:]

    /// The CRLs among the sources of a snapshot.
    init(of sources: [TrustSource]) {
        for source in sources {
            guard case .revocationList(let list) = source.content, let issuer = list.issuerKey else {
                continue
            }
            byIssuer[issuer, default: []].append(list)
        }
    }

    subscript(_ issuer: DistinguishedName) -> [HeldRevocationList] {
        byIssuer.isEmpty ? [] : byIssuer[issuer.comparisonKey] ?? []
    }
}

/// The statements of the available CRLs about one certificate, which hold until the CRLs change. Their meaning depends on the
/// time.
///
/// A revocation for good that is found in any authentic CRL of the issuer counts, also where the list is overdue, for another
/// distribution point, or leaves something out (Q230). Only a list that covers the certificate shows that it is not revoked.
struct SignerRevocation: Sendable {
    /// The statement of each CRL that the issuer signed, the newest first.
    private let evidence: [Evidence]
    /// The reason that no CRL covers the certificate; nil if one does.
    private let absence: UndeterminedCause

    private struct Evidence: Sendable {
        let entry: RevokedCertificate?
        let order: IssueOrder
        /// Nil if the list does not say until when it counts.
        let nextUpdate: Int64?
        /// Whether the certificate would be listed if it was revoked.
        let coversCertificate: Bool

        var thisUpdate: Int64 { order.date }

        /// Whether `covering` lifts a hold of this list: it is a later issue. A list with gaps is not older where its number is
        /// not, or where the times are equal.
        func isLifted(by covering: Evidence) -> Bool {
            guard thisUpdate < covering.thisUpdate else { return false }
            return coversCertificate || order.isOlder(than: covering.order)
        }

        var isRevokedForGood: Bool { entry.map { $0.reason != .certificateHold } ?? false }
    }

    init(of certificate: Certificate, issuedBy anchor: TrustAnchor, in lists: RevocationLists) {
        let own = lists[anchor.certificate.subject]
        guard !own.isEmpty else {
            let isPublished = certificate.firstExtension(.crlDistributionPoints) != nil
            evidence = []
            absence = isPublished ? .listAbsent : .nothingPublished
            return
        }
        var found: [Evidence] = []
        var failure = UndeterminedCause.listMalformed
        for held in own {
            guard let list = try? held.list() else { continue }
            let covers = list.covers(certificate) && list.names(anchor.certificate)
            if !covers { failure = .listAbsent }
            guard held.isSigned(by: anchor) else {
                if covers { failure = .listSignerWrong }
                continue
            }
            found.append(
                Evidence(
                    entry: list.entry(serialNumber: certificate.serialNumber), order: IssueOrder(list),
                    nextUpdate: list.nextUpdate, coversCertificate: covers))
        }
        found.sort { $0.thisUpdate > $1.thisUpdate }
        evidence = found
        absence = failure
    }

    /// Whether a CRL says that the certificate is revoked for good, whatever the time is.
    var isRevokedForGood: Bool { evidence.contains(where: \.isRevokedForGood) }

    /// - Parameter clockSkew: the seconds by which a list may be from the future.
    func finding(at now: Timestamp, clockSkew: Int64) -> RevocationFinding {
        func age(_ evidence: Evidence) -> Int64 { max(0, now.secondsSince1970 - evidence.thisUpdate) }
        if let revoking = evidence.first(where: \.isRevokedForGood) {
            return .revoked(.signerRevoked, ageSeconds: age(revoking))
        }
        // A list from the future takes nothing away from the one that counts today.
        let latest = now.advanced(bySeconds: clockSkew).secondsSince1970
        let current = evidence.filter { $0.thisUpdate <= latest }
        let covering = current.firstIndex(where: \.coversCertificate)
        // A hold ends with its list, or with a later list that covers the certificate and does not have the hold.
        let counting = current.filter { list in covering.map { !list.isLifted(by: current[$0]) } ?? true }
        if let hold = counting.first(where: {
            $0.entry != nil && $0.nextUpdate ?? .max >= now.secondsSince1970
        }) {
            return .revoked(.signerOnHold, ageSeconds: age(hold))
        }
        guard let covering else {
            let isAhead = evidence.contains(where: \.coversCertificate)
            return .undetermined(isAhead ? .listNotYetValid : absence, about: .signer, ageSeconds: nil)
        }
        // A list that covers certificates has a nextUpdate.
        let overdue = now.secondsSince1970 - (current[covering].nextUpdate ?? current[covering].thisUpdate)
        guard overdue <= 0 else {
            return .undetermined(
                .listStale(overdueSeconds: overdue), about: .signer, ageSeconds: age(current[covering]))
        }
        return .good(ageSeconds: age(current[covering]))
    }
}

extension CertificateRevocationList {
    /// Whether the list has all revoked certificates of its issuer, or of the distribution point of this one.
    fileprivate func covers(_ certificate: Certificate) -> Bool {
        guard incompleteness == nil else { return false }
        guard let own = distributionPointURIs else { return true }
        return certificate.crlDistributionPointURIs.contains(where: own.contains)
    }

    /// Whether the authority key identifier, where both have one, is the anchor's.
    fileprivate func names(_ anchor: Certificate) -> Bool {
        guard let wanted = authorityKeyIdentifier, let own = anchor.subjectKeyIdentifier else { return true }
        return wanted == own
    }
}
