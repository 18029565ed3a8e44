internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX
internal import Synchronization

/// A CRL of the store, opened when a certificate of its issuer is first asked about, and verified once.
final class HeldRevocationList: Sendable {
    private let der: ArraySlice<UInt8>
    private let opened = Mutex<Result<CertificateRevocationList, PKIXError>?>(nil)
    /// Whether the anchor of this fingerprint signed it.
    private let verdicts = Mutex<[[UInt8]: Bool]>([:])

    init(_ der: ArraySlice<UInt8>) {
        self.der = der
    }

    func list() -> Result<CertificateRevocationList, PKIXError> {
        opened.withLock { known in
            if let known { return known }
            let der = der
            let made = Result { () throws(PKIXError) in try CertificateRevocationList(der: der) }
            known = made
            return made
        }
    }

    func isSigned(by anchor: TrustAnchor) -> Bool {
        verdicts.withLock { known in
            if let known = known[anchor.sha256] { return known }
            let verdict = (try? anchor.verifySignature(of: list().get())) != nil
            known[anchor.sha256] = verdict
            return verdict
        }
    }
}

/// The CRLs of a store by the names of their issuers.
struct RevocationLists: Sendable {
    private var byIssuer: [[UInt8]: [HeldRevocationList]] = [:]

    init(_ encodings: [ArraySlice<UInt8>]) {
        for der in encodings {
            guard let issuer = CertificateRevocationList.issuer(of: der) else { continue }
            byIssuer[issuer.comparisonKey, default: []].append(HeldRevocationList(der))
        }
    }

    /// Those among the sources of a snapshot.
    init(of sources: [TrustSource]) {
        self.init(sources.filter { $0.kind == .revocationList }.map(\.bytes))
    }

    subscript(_ issuer: DistinguishedName) -> [HeldRevocationList] {
        byIssuer.isEmpty ? [] : byIssuer[issuer.comparisonKey] ?? []
    }
}

/// What the available CRLs say about one certificate: the facts, which are valid until the CRLs change. What they
/// mean depends on the time.
struct SignerRevocation: Sendable {
    /// What each CRL of the issuer says that lists all its revocations, the newest first; or why there is no such
    /// CRL.
    private let evidence: Result<[Evidence], UndeterminedCause>

    fileprivate struct Evidence: Sendable {
        let entry: RevokedCertificate?
        let thisUpdate: Int64
        let nextUpdate: Int64
    }

    init(of certificate: Certificate, issuedBy anchor: TrustAnchor, in lists: RevocationLists) {
        let own = lists[anchor.certificate.subject]
        guard !own.isEmpty else {
            let isPublished = certificate.firstExtension(.crlDistributionPoints) != nil
            evidence = .failure(isPublished ? .listAbsent : .nothingPublished)
            return
        }
        var found: [Evidence] = []
        var failure = UndeterminedCause.listMalformed
        for held in own {
            guard case .success(let list) = held.list() else { continue }
            guard list.isComplete(for: certificate), list.names(anchor.certificate) else {
                failure = .listAbsent
                continue
            }
            guard held.isSigned(by: anchor) else {
                failure = .listSignerWrong
                continue
            }
            found.append(Evidence(list, certificate))
        }
        found.sort { $0.thisUpdate > $1.thisUpdate }
        evidence = found.isEmpty ? .failure(failure) : .success(found)
    }

    /// Whether a CRL says that the certificate is revoked for good, whatever the time is.
    var isRevokedForGood: Bool {
        guard case .success(let evidence) = evidence, let reason = evidence.first?.entry?.reason else {
            return false
        }
        return reason != .certificateHold
    }

    /// - Parameter clockSkew: the seconds by which a list may be from the future.
    func finding(at now: Timestamp, clockSkew: Int64) -> RevocationFinding {
        switch evidence {
        case .failure(let cause): return .undetermined(cause, about: .signer, ageSeconds: nil)
        case .success(let found):
            // One from the future takes nothing away from the one that counts today.
            let latest = now.advanced(bySeconds: clockSkew).secondsSince1970
            guard let evidence = found.first(where: { $0.thisUpdate <= latest }) else {
                return .undetermined(.listNotYetValid, about: .signer, ageSeconds: nil)
            }
            let age = now.secondsSince1970 - evidence.thisUpdate
            let overdue = now.secondsSince1970 - evidence.nextUpdate
            switch evidence.entry?.reason {
            case .certificateHold where overdue <= 0: return .revoked(.signerOnHold, ageSeconds: max(0, age))
            case .certificateHold, nil: break
            default: return .revoked(.signerRevoked, ageSeconds: max(0, age))
            }
            guard overdue <= 0 else {
                return .undetermined(
                    .listStale(overdueSeconds: overdue), about: .signer, ageSeconds: age)
            }
            return .good(ageSeconds: max(0, age))
        }
    }
}

extension SignerRevocation.Evidence {
    fileprivate init(_ list: CertificateRevocationList, _ certificate: Certificate) {
        entry = list.entry(serialNumber: certificate.serialNumber)
        thisUpdate = list.thisUpdate
        nextUpdate = list.nextUpdate
    }
}

extension CertificateRevocationList {
    /// Whether the list is for all certificates of its issuer, or for the distribution point of this one.
    fileprivate func isComplete(for certificate: Certificate) -> Bool {
        guard let own = distributionPointURIs else { return true }
        return certificate.crlDistributionPointURIs.contains(where: own.contains)
    }

    /// Whether the authority key identifier, where both have one, is the anchor's.
    fileprivate func names(_ anchor: Certificate) -> Bool {
        guard let wanted = authorityKeyIdentifier, let own = anchor.subjectKeyIdentifier else { return true }
        return wanted == own
    }
}
