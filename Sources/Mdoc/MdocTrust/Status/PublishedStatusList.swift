internal import COSE
internal import MdocModel
internal import OpenSSLCrypto
internal import Synchronization

/// A status or identifier list of a store: opened when a document first points to it, and its signer verified once for each who may
/// have issued it. Who signed it depends on the store's roots, so that stores do not share this.
final class PublishedStatusList: Sendable {
    /// The URI that the list was obtained for.
    let uri: String
    private let held: HeldStatusToken
    private let signers = Mutex<[StatusListIssuer.Fingerprint: Result<StatusListSigner, UndeterminedCause>]>(
        [:])

    /// How many issuers' verdicts on one list are kept.
    private static let mostVerdicts = 16

    /// Nil for a source of another kind.
    init?(_ source: TrustSource) {
        guard case .statusToken(let held) = source.content else { return nil }
        self.held = held
        uri = source.name
    }

    /// The list, once its signature by one of `issuer`'s signers is verified.
    func opened(
        _ kind: StatusToken.Kind, signedFor issuer: StatusListIssuer, at now: Timestamp
    ) throws(UndeterminedCause) -> OpenedStatusList {
        guard let token = try? held.token(), token.kind == kind else { throw .listMalformed }
        guard token.subject.utf8.elementsEqual(uri.utf8) else { throw .listSubjectWrong }
        let signer = try signer(of: token, for: issuer, at: now)
        guard let content = try? held.content() else { throw .listMalformed }
        return OpenedStatusList(
            content: content, issued: token.issued, expires: token.expires, signer: signer,
            hasAllClaims: token.gaps.isEmpty)
    }

    private func signer(
        of token: StatusToken, for issuer: StatusListIssuer, at now: Timestamp
    ) throws(UndeterminedCause) -> StatusListSigner {
        if let known = signers.withLock({ $0[issuer.fingerprint] }), issuer.confirms(known, at: now) {
            return try known.get()
        }
        let result = Result { () throws(UndeterminedCause) in try issuer.verifySigner(of: token, at: now) }
        signers.withLock { verdicts in
            if verdicts.count >= Self.mostVerdicts { verdicts.removeAll() }
            verdicts[issuer.fingerprint] = result
        }
        return try result.get()
    }
}

/// A list behind its verified signature.
struct OpenedStatusList: Sendable {
    /// Whether whoever is not listed is not revoked.
    var isComplete: Bool {
        switch content {
        case .statuses: hasAllClaims
        case .identifiers(let list): hasAllClaims && list.isComplete
        }
    }

    let content: StatusListContent
    let issued: Timestamp
    let expires: Timestamp?
    let signer: StatusListSigner
    fileprivate let hasAllClaims: Bool
}
