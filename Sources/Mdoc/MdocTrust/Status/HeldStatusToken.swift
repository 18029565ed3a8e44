internal import COSE
internal import MdocModel
internal import OpenSSLCrypto
internal import Synchronization

/// A status or identifier list of the store, opened when a document first points to it, and verified once for each who may
/// have signed it.
final class HeldStatusToken: Sendable {
    /// The URI it was obtained for.
    let uri: String
    private let bytes: ArraySlice<UInt8>
    private let parsed = Mutex<Result<StatusToken, StatusTokenError>?>(nil)
    private let opened = Mutex<[[UInt8]: Result<OpenedStatusList, UndeterminedCause>]>([:])

    /// How many issuers' verdicts on one list are kept.
    private static let mostVerdicts = 16

    init(_ bytes: ArraySlice<UInt8>, uri: String) {
        self.bytes = bytes
        self.uri = uri
    }

    func token() -> Result<StatusToken, StatusTokenError> {
        parsed.withLock { known in
            if let known { return known }
            let bytes = bytes
            let made = Result { () throws(StatusTokenError) in try StatusToken(bytes) }
            known = made
            return made
        }
    }

    /// The list, once its signature by one of `issuer`'s signers is verified.
    func opened(
        _ kind: StatusToken.Kind, signedFor issuer: StatusListIssuer, at now: Timestamp
    ) throws(UndeterminedCause) -> OpenedStatusList {
        let known = opened.withLock { $0[issuer.fingerprint] }
        let result =
            known
            ?? Result { () throws(UndeterminedCause) in try open(kind, signedFor: issuer, at: now) }
        if known == nil, result.isLasting {
            opened.withLock { verdicts in
                if verdicts.count >= Self.mostVerdicts { verdicts.removeAll() }
                verdicts[issuer.fingerprint] = result
            }
        }
        return try result.get()
    }

    private func open(
        _ kind: StatusToken.Kind, signedFor issuer: StatusListIssuer, at now: Timestamp
    ) throws(UndeterminedCause) -> OpenedStatusList {
        guard case .success(let token) = token() else { throw .listMisshapen }
        guard token.kind == kind else { throw .listMisshapen }
        guard token.subject.utf8.elementsEqual(uri.utf8) else { throw .listSubjectWrong }
        let signer = try issuer.verifySigner(of: token, at: now)
        do throws(StatusTokenError) {
            return try OpenedStatusList(token, signer: signer)
        } catch {
            throw .listMisshapen
        }
    }
}

extension Result where Success == OpenedStatusList, Failure == UndeterminedCause {
    /// Whether the result does not depend on the time it was made.
    fileprivate var isLasting: Bool {
        guard case .failure(.listSignerInvalid) = self else { return true }
        return false
    }
}

/// A list behind its verified signature.
final class OpenedStatusList: Sendable {
    enum Content: Sendable {
        case statuses(StatusList)
        case identifiers(Set<[UInt8]>)
    }

    let content: Content
    let issued: Timestamp
    let expires: Timestamp
    let signer: Certificate

    fileprivate init(_ token: StatusToken, signer: Certificate) throws(StatusTokenError) {
        issued = token.issued
        expires = token.expires
        self.signer = signer
        switch token.kind {
        case .statusList: content = .statuses(try token.statusList())
        case .identifierList: content = .identifiers(try token.identifiers())
        }
    }
}

/// Who may sign a document's list: those issued by the IACA of the document, or by the certificate that the MSO names.
struct StatusListIssuer {
    private let choice: Choice
    /// Of what decides who may sign.
    let fingerprint: [UInt8]

    private enum Choice {
        /// Those that any of these issued.
        case anyOf([TrustAnchor])
        /// Those that a root with this one's name issued, for roots are re-keyed (Q177).
        case rootsNamed(TrustAnchor, among: [TrustAnchor])
        /// The issuer of the signer, or the signer itself.
        case certificate(Certificate)
    }

    /// - Parameters:
    ///   - anchor: the root of the document.
    ///   - der: the certificate that the MSO names.
    init(
        of anchor: TrustAnchor, among anchors: [TrustAnchor], naming der: ArraySlice<UInt8>?
    ) throws(UndeterminedCause) {
        guard let der else {
            choice = .rootsNamed(anchor, among: anchors)
            fingerprint = anchor.sha256
            return
        }
        guard let certificate = try? Certificate(der: Array(der)[...]) else { throw .referenceUnreadable }
        choice = .certificate(certificate)
        fingerprint = Digest(.sha256, of: der).bytes
    }

    /// For lists that no document has pointed to yet.
    init(anyOf anchors: [TrustAnchor]) {
        choice = .anyOf(anchors)
        fingerprint = []
    }

    private var roots: [TrustAnchor] {
        switch choice {
        case .anyOf(let anchors): anchors
        case .rootsNamed(let anchor, let anchors):
            anchors.filter { $0.certificate.subject == anchor.certificate.subject }
        case .certificate(let certificate): (try? TrustAnchor(certificate)).map { [$0] } ?? []
        }
    }

    /// The certificate whose key signed the token.
    func verifySigner(of token: StatusToken, at now: Timestamp) throws(UndeterminedCause) -> Certificate {
        var chain: [Certificate] = []
        guard let encoded = try? token.signature.headers.x5chain(maximum: 4) else { throw .listSignerWrong }
        for der in encoded {
            guard let certificate = try? Certificate(der: der) else { throw .listSignerWrong }
            chain.append(certificate)
        }
        guard let leaf = chain.first, let key = try? leaf.publicKey() else { throw .listSignerWrong }
        if case .certificate(let named) = choice, named.der == leaf.der {
            guard leaf.isValid(at: now) else { throw .listSignerInvalid }
        } else {
            try requirePath(chain, at: now)
        }
        let profile = CertificateProfile.statusSigner
        guard profile.refusals(among: profile.findings(of: leaf, issuedBy: nil), .lenient).isEmpty else {
            throw .listSignerWrong
        }
        guard (try? token.signature.verify(with: key)) != nil else { throw .listSignerWrong }
        return leaf
    }

    private func requirePath(_ chain: [Certificate], at now: Timestamp) throws(UndeterminedCause) {
        do throws(CertificatePathError) {
            _ = try CertificatePath.verify(chain, to: roots, at: now)
        } catch .outsideValidity {
            throw .listSignerInvalid
        } catch {
            throw .listSignerWrong
        }
    }
}
