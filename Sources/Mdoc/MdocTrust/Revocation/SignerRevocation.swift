internal import MdocModel
internal import OpenSSLCrypto
package import PKIX
internal import Synchronization

/// The bytes of a CRL. They are parsed at their first use. The signature is verified at most once for each
/// anchor.
package final class HeldRevocationList: Sendable {
    let der: ArraySlice<UInt8>
    private let parsed = Once<Result<CertificateRevocationList, PKIXError>>()
    private let namedIssuer = Once<IssuerName?>()
    private let gap = Once<Bool>()
    /// The cached results of `isSigned(by:)`, by the SHA-256 of the anchor's certificate.
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

    /// The name of the issuer; `nil` for bytes that do not begin like a CRL.
    private var issuerName: IssuerName? {
        namedIssuer.value {
            // The issuer of a truncated CRL can still be read. So the CRL is found, and reported as malformed
            // instead of absent.
            let issuer = (try? list())?.issuer ?? CertificateRevocationList.issuer(of: der)
            return issuer.map {
                let key = $0.comparisonKey
                return IssuerName(key: key, digest: Digest(.sha256, of: key[...]).bytes)
            }
        }
    }

    /// Whether the CRL omits certificates of its issuer, or has parts that cannot be read. False if the CRL
    /// cannot be read at all.
    var isIncomplete: Bool {
        gap.value { (try? list())?.incompleteness != nil }
    }

    /// The issuer's name in the form in which names are compared.
    fileprivate var issuerKey: [UInt8]? { issuerName?.key }

    /// The SHA-256 of the issuer's name.
    var issuerDigest: [UInt8]? { issuerName?.digest }

    /// The authority key identifier; `nil` if the CRL has none that can be read.
    var issuerKeyIdentifier: [UInt8]? { (try? list())?.authorityKeyIdentifier.map(Array.init) }

    /// Whether the key of `anchor` signed the CRL.
    func isSigned(by anchor: TrustAnchor) -> Bool {
        verdicts.withLock { known in
            if let known = known[anchor.sha256] { return known }
            let verdict = (try? anchor.verifySignature(of: list())) != nil
            known[anchor.sha256] = verdict
            return verdict
        }
    }
}

/// The CRLs of a store, by the names of their issuers.
struct RevocationLists: Sendable {
    private var byIssuer: [[UInt8]: [HeldRevocationList]] = [:]

    /// Collects the CRLs among `sources`.
    init(of sources: [TrustSource]) {
        for source in sources {
            guard case .revocationList(let list) = source.content, let issuer = list.issuerKey else {
                continue
            }
            byIssuer[issuer, default: []].append(list)
        }
    }

    /// The CRLs whose issuer has this name. They may be signed with different keys.
    subscript(_ issuer: DistinguishedName) -> [HeldRevocationList] {
        // If there are no CRLs, the comparison key of the name is not computed, which saves time.
        byIssuer.isEmpty ? [] : byIssuer[issuer.comparisonKey] ?? []
    }
}

/// The statements of the available CRLs about one certificate.
///
/// The statements change only if the CRLs change. The finding that is made from the statements also depends
/// on the time.
///
/// - A permanent revocation counts in any authentic CRL of the issuer. The CRL may be overdue, be for another
///   distribution point, or leave certificates out (Q230).
/// - Only a CRL that covers the certificate shows that it is not revoked.
/// - A hold (a suspension that can be lifted) counts until its CRL expires, or until a later CRL that covers
///   the certificate no longer lists the hold.
struct SignerRevocation: Sendable {
    /// The statements of all CRLs that the issuer signed, the newest first.
    private let evidence: [Evidence]
    /// The cause to report if no CRL covers the certificate.
    private let absence: UndeterminedCause

    /// The statement of one CRL about the certificate.
    private struct Evidence: Sendable {
        let entry: RevokedCertificate?
        let order: IssueOrder
        /// The time by which the issuer publishes a newer CRL, in seconds since 1970; `nil` if the CRL does
        /// not state it.
        let nextUpdate: Int64?
        /// Whether the CRL would list the certificate if the certificate was revoked.
        let coversCertificate: Bool

        var thisUpdate: Int64 { order.date }

        /// Whether a hold in this CRL is lifted by `covering`, a CRL that covers the certificate.
        ///
        /// The date of `covering` must be later. If this CRL does not cover the certificate, and both CRLs
        /// have a number, the number of `covering` must not be lower.
        func isLifted(by covering: Evidence) -> Bool {
            guard thisUpdate < covering.thisUpdate else { return false }
            return coversCertificate || order.isOlder(than: covering.order)
        }

        var isRevokedPermanently: Bool { entry.map { $0.reason != .certificateHold } ?? false }
    }

    /// Collects the statements about `certificate` in the CRLs of its issuer `anchor`.
    init(of certificate: Certificate, issuedBy anchor: TrustAnchor, in lists: RevocationLists) {
        let own = lists[anchor.certificate.subject]
        guard !own.isEmpty else {
            // Without a distribution point the issuer promises no CRL, so no CRL is missing.
            let isPublished = certificate.firstExtension(.crlDistributionPoints) != nil
            evidence = []
            absence = isPublished ? .listAbsent : .nothingPublished
            return
        }
        var found: [Evidence] = []
        // `failure` is reported only if no CRL covers the certificate. It stays `listMalformed` if no CRL can
        // be parsed.
        var failure = UndeterminedCause.listMalformed
        for held in own {
            guard let list = try? held.list() else { continue }
            let covers = list.covers(certificate) && list.names(anchor.certificate)
            // A CRL for other certificates, or of another key, cannot replace the CRL that is needed, so the
            // needed CRL counts as absent.
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

    /// Whether a CRL revokes the certificate permanently, and not by a hold. The dates of the CRL do not
    /// matter.
    var isRevokedPermanently: Bool { evidence.contains(where: \.isRevokedPermanently) }

    /// Returns the finding about the certificate at `now`.
    ///
    /// - Parameter clockSkew: The seconds by which the date of a CRL may lie in the future.
    func finding(at now: Timestamp, clockSkew: Int64) -> RevocationFinding {
        func age(_ evidence: Evidence) -> Int64 { max(0, now.secondsSince1970 - evidence.thisUpdate) }
        if let revoking = evidence.first(where: \.isRevokedPermanently) {
            return .revoked(.signerRevoked, ageSeconds: age(revoking))
        }
        // A CRL dated in the future must not replace the CRL that is valid today.
        let latest = now.advanced(bySeconds: clockSkew).secondsSince1970
        let current = evidence.filter { $0.thisUpdate <= latest }
        let covering = current.firstIndex(where: \.coversCertificate)
        // A hold ends when its CRL expires, or with a later CRL that covers the certificate and does not list
        // the hold (Q230). Without a covering CRL nothing lifts a hold, and a CRL without nextUpdate never
        // expires.
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
        // Every CRL that covers certificates has a nextUpdate.
        let overdue = now.secondsSince1970 - (current[covering].nextUpdate ?? current[covering].thisUpdate)
        guard overdue <= 0 else {
            return .undetermined(
                .listStale(overdueSeconds: overdue), about: .signer, ageSeconds: age(current[covering]))
        }
        return .good(ageSeconds: age(current[covering]))
    }
}

extension CertificateRevocationList {
    /// Whether the CRL lists every revoked certificate of its issuer, or of the distribution point of
    /// `certificate`.
    fileprivate func covers(_ certificate: Certificate) -> Bool {
        guard incompleteness == nil else { return false }
        guard let own = distributionPointURIs else { return true }
        return certificate.crlDistributionPointURIs.contains(where: own.contains)
    }

    /// Whether the authority key identifier of the CRL identifies the key of `anchor`. True if the CRL has no
    /// authority key identifier, or `anchor` has no subject key identifier.
    fileprivate func names(_ anchor: Certificate) -> Bool {
        guard let wanted = authorityKeyIdentifier, let own = anchor.subjectKeyIdentifier else { return true }
        return wanted == own
    }
}
