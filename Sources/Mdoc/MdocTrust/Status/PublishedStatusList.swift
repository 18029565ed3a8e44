internal import COSE
internal import MdocModel
internal import OpenSSLCrypto
internal import Synchronization

/// A status or identifier list of a `TrustStore`.
///
/// The list is opened when a document first refers to it. The list's signer is verified once for each
/// authority that may have issued the signer's certificate. The results depend on the store's roots, so
/// stores do not share them.
final class PublishedStatusList: Sendable {
    /// The URI under which the list was obtained.
    let uri: String
    private let held: HeldStatusToken
    private let signers = Mutex<[StatusListIssuer.Fingerprint: Result<StatusListSigner, UndeterminedCause>]>(
        [:])

    /// The maximum number of cached results of verifying the signer.
    private static let mostVerdicts = 16

    /// Makes a list of `source`; `nil` for a source of another kind.
    init?(_ source: TrustSource) {
        guard case .statusToken(let held) = source.content else { return nil }
        self.held = held
        uri = source.name
    }

    /// Verifies that a signer whom `issuer` accepts signed the list, and then opens the list.
    ///
    /// - Throws: `UndeterminedCause` if the list cannot be used for this reference.
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

    /// Verifies the token's signer, or returns the cached result.
    private func signer(
        of token: StatusToken, for issuer: StatusListIssuer, at now: Timestamp
    ) throws(UndeterminedCause) -> StatusListSigner {
        // A cached result may be wrong by now, for example after a certificate has expired.
        if let known = signers.withLock({ $0[issuer.fingerprint] }), issuer.confirms(known, at: now) {
            return try known.get()
        }
        let result = Result { () throws(UndeterminedCause) in try issuer.verifySigner(of: token, at: now) }
        signers.withLock { verdicts in
            // A document can name any certificate, so the number of cached results is limited.
            if verdicts.count >= Self.mostVerdicts { verdicts.removeAll() }
            verdicts[issuer.fingerprint] = result
        }
        return try result.get()
    }
}

/// A list whose signature was verified.
struct OpenedStatusList: Sendable {
    /// Whether absence from the list shows that a document is not revoked.
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
