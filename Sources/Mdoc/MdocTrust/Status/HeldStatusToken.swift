internal import COSE
internal import MdocModel
internal import OpenSSLCrypto
internal import Synchronization

/// A status or identifier list of the store: parsed when a document first points to it, opened once, and its signer verified
/// once for each who may have issued it.
final class HeldStatusToken: Sendable {
    /// The URI it was obtained for.
    let uri: String
    private let bytes: ArraySlice<UInt8>
    private let parsed = Mutex<Result<StatusToken, StatusTokenError>?>(nil)
    private let opened = Mutex<Result<OpenedStatusList.Content, StatusTokenError>?>(nil)
    private let signers = Mutex<[StatusListIssuer.Fingerprint: Result<StatusListSigner, UndeterminedCause>]>(
        [:])

    /// How many issuers' verdicts on one list are kept.
    private static let mostVerdicts = 16

    init(_ bytes: ArraySlice<UInt8>, uri: String) {
        self.bytes = bytes
        self.uri = uri
    }

    private func token() -> Result<StatusToken, StatusTokenError> {
        parsed.withLock { known in
            if let known { return known }
            let bytes = bytes
            let made = Result { () throws(StatusTokenError) in try StatusToken(bytes) }
            known = made
            return made
        }
    }

    private func content(of token: StatusToken) -> Result<OpenedStatusList.Content, StatusTokenError> {
        opened.withLock { known in
            if let known { return known }
            let made = Result { () throws(StatusTokenError) in try OpenedStatusList.Content(token) }
            known = made
            return made
        }
    }

    /// The list, once its signature by one of `issuer`'s signers is verified.
    func opened(
        _ kind: StatusToken.Kind, signedFor issuer: StatusListIssuer, at now: Timestamp
    ) throws(UndeterminedCause) -> OpenedStatusList {
        guard case .success(let token) = token(), token.kind == kind else { throw .listMalformed }
        guard token.subject.utf8.elementsEqual(uri.utf8) else { throw .listSubjectWrong }
        let signer = try signer(of: token, for: issuer, at: now)
        guard case .success(let content) = content(of: token) else { throw .listMalformed }
        return OpenedStatusList(
            content: content, issued: token.issued, expires: token.expires, signer: signer,
            hasAllClaims: token.gaps.isEmpty)
    }

    private func signer(
        of token: StatusToken, for issuer: StatusListIssuer, at now: Timestamp
    ) throws(UndeterminedCause) -> StatusListSigner {
        if let known = signers.withLock({ $0[issuer.fingerprint] }), known.holds(at: now) {
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

extension Result where Success == StatusListSigner, Failure == UndeterminedCause {
    /// Whether asking again at `now` would give the same.
    fileprivate func holds(at now: Timestamp) -> Bool {
        switch self {
        case .success(let signer): signer.isValid(at: now)
        case .failure(let cause): cause != .listSignerInvalid
        }
    }
}

/// A list behind its verified signature.
struct OpenedStatusList: Sendable {
    enum Content: Sendable {
        case statuses(StatusList)
        case identifiers(RevokedIdentifiers)

        fileprivate init(_ token: StatusToken) throws(StatusTokenError) {
            switch token.kind {
            case .statusList: self = .statuses(try token.statusList())
            case .identifierList: self = .identifiers(try token.identifiers())
            }
        }
    }

    /// Whether whoever is not listed is not revoked.
    var isComplete: Bool {
        switch content {
        case .statuses: hasAllClaims
        case .identifiers(let list): hasAllClaims && list.isComplete
        }
    }

    let content: Content
    let issued: Timestamp
    let expires: Timestamp?
    let signer: StatusListSigner
    fileprivate let hasAllClaims: Bool
}
