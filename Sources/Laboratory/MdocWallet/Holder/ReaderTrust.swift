internal import CBOR
internal import COSE
package import MdocModel
package import PKIX

/// Whom a wallet answers (ISO/IEC 18013-5 9.1.4): its readers' roots, and what it does about others (Q172).
package struct ReaderTrust: Sendable {
    package enum Policy: String, CaseIterable, Sendable {
        /// Signatures are not looked at.
        case doNotEnforce
        /// A signature that is there must be right, and its chain must lead to a known root.
        case enforceIfPresent
        case alwaysRequire
    }

    package var policy = Policy.doNotEnforce
    package var roots: [Certificate] = []
    /// Authorities that a list names under constraints that no reader meets. The authority of a path that is nearest to the
    /// reader decides (second edition, draft, Annex F).
    package var constrainedAuthorities: [Certificate] = []
    /// Whether a chain that brings its root along is refused (Q171).
    package var refusesSentRoots = true

    package init() {}

    package init(_ policy: Policy, roots: [Certificate], constrainedAuthorities: [Certificate] = []) {
        self.policy = policy
        self.roots = roots
        self.constrainedAuthorities = constrainedAuthorities
    }

    package func allows(_ request: DeviceRequest, in transcript: SessionTranscript) -> Bool {
        guard policy != .doNotEnforce else { return true }
        return check(request, in: transcript).allSatisfy { finding in
            switch finding {
            case .trusted: true
            case .unsigned: policy == .enforceIfPresent
            case .signatureWrong, .chainWrong, .rootSent, .unknownReader: false
            }
        }
    }

    /// What a wallet finds about one document of a request.
    package enum Finding: Equatable, Sendable {
        case unsigned
        /// No COSE_Sign1 with x5chain, or not over this document and this session.
        case signatureWrong
        /// The certificates do not sign one another.
        case chainWrong
        case rootSent
        /// No root of ours certified the last of them.
        case unknownReader
        case trusted
    }

    /// The finding for each document; a signature over all documents counts for each, and every signature counts.
    package func check(_ request: DeviceRequest, in transcript: SessionTranscript) -> [Finding] {
        let all = request.readerAuthAll.map { signature in
            check(
                signature,
                over: readerAuthenticationAllBytes(
                    transcript: transcript, itemsRequests: request.docRequests.map(\.itemsRequestBytes),
                    deviceRequestInfo: request.deviceRequestInfoBytes))
        }
        return request.docRequests.map { document in
            let own = document.readerAuth.map { signature in
                check(
                    signature,
                    over: readerAuthenticationBytes(
                        transcript: transcript, itemsRequest: document.itemsRequestBytes))
            }
            let findings = all + [own].compactMap(\.self)
            return findings.first { $0 != .trusted } ?? findings.first ?? .unsigned
        }
    }

    private func check(_ signature: CBORItem, over payload: [ArraySlice<UInt8>]) -> Finding {
        guard let sign1 = try? COSESign1(signature), let encoded = try? sign1.headers.x5chain(),
            let certificates = try? encoded.map({ der in try Certificate(der: der) }),
            let leaf = certificates.first, Self.isSigned(sign1, by: leaf, over: payload)
        else { return .signatureWrong }
        guard let chain = try? CertificateChain(certificates) else { return .chainWrong }
        let sent = chain.certificates
        if refusesSentRoots, chain.withoutRoots.count < sent.count { return .rootSent }
        for certificate in sent {
            if constrainedAuthorities.contains(where: certificate.isFrom) { return .unknownReader }
            if roots.contains(where: certificate.isFrom) { return .trusted }
        }
        return .unknownReader
    }

    private static func isSigned(
        _ sign1: COSESign1, by leaf: Certificate, over payload: [ArraySlice<UInt8>]
    ) -> Bool {
        guard let key = try? leaf.publicKey() else { return false }
        do throws(COSEError) {
            try sign1.verify(with: key, detachedPayload: payload)
            return true
        } catch {
            return false
        }
    }
}

extension Certificate {
    /// Whether it is the authority's own certificate, or one that it issued.
    fileprivate func isFrom(_ authority: Certificate) -> Bool {
        der == authority.der || isSigned(by: authority)
    }
}

/// What a phone shows its holder about the reader that asks.
package enum ReaderShown: Equatable, Sendable {
    /// Every document is asked for by readers that a known root certified; the subject of the first.
    case authenticated(subject: String)
    case notAuthenticated(ReaderTrust.Finding)
}

extension ReaderTrust {
    /// Nil if signatures are not looked at, or the request cannot be read.
    func shown(of deviceRequest: ArraySlice<UInt8>, in transcript: SessionTranscript) -> ReaderShown? {
        guard policy != .doNotEnforce, let request = try? DeviceRequest(deviceRequest) else { return nil }
        let fault = check(request, in: transcript).first { $0 != .trusted }
        guard fault == nil, let subject = request.readerSubject else {
            return .notAuthenticated(fault ?? .unsigned)
        }
        return .authenticated(subject: subject)
    }
}

extension DeviceRequest {
    /// The subject of the certificate of the first signature.
    fileprivate var readerSubject: String? {
        let signatures = readerAuthAll + docRequests.compactMap(\.readerAuth)
        guard let first = signatures.first, let sign1 = try? COSESign1(first),
            let leaf = try? sign1.headers.x5chain().first
        else { return nil }
        return (try? Certificate(der: leaf))?.subject.description
    }
}
