internal import CBOR
internal import COSE
package import MdocModel
package import PKIX

/// The readers that a wallet answers (ISO/IEC 18013-5 9.1.4): the roots of known readers, and the policy for
/// other readers (Q172).
package struct ReaderTrust: Sendable {
    package enum Policy: String, CaseIterable, Sendable {
        /// Signatures are not checked.
        case doNotEnforce
        /// A request may be unsigned. If it is signed, the signature must be valid and its chain must lead to
        /// a known root.
        case enforceIfPresent
        /// Every request must have a valid signature whose chain leads to a known root.
        case alwaysRequire
    }

    package var policy = Policy.doNotEnforce
    package var roots: [Certificate] = []
    /// Authorities to which a list of trusted readers attaches constraints. The wallet does not evaluate
    /// constraints, and therefore answers no reader of such an authority. In a certification path, the
    /// authority nearest to the reader decides (second edition, draft, Annex F).
    package var constrainedAuthorities: [Certificate] = []
    /// Whether a chain that contains its root is refused (Q171).
    package var refusesSentRoots = true

    package init() {}

    package init(_ policy: Policy, roots: [Certificate], constrainedAuthorities: [Certificate] = []) {
        self.policy = policy
        self.roots = roots
        self.constrainedAuthorities = constrainedAuthorities
    }

    /// Whether the wallet answers this request. Every document of the request must have an allowed reader.
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

    /// The result of checking the reader's signature for one document of a request.
    package enum Finding: Equatable, Sendable {
        case unsigned
        /// The signature is no COSE_Sign1 with x5chain, or does not cover this document and this session.
        case signatureWrong
        /// A certificate of the chain is not signed by the next one.
        case chainWrong
        /// The chain contains its root, which `refusesSentRoots` forbids.
        case rootSent
        /// No certificate of the chain is from a known root, or an authority with constraints is nearer to
        /// the reader than the root.
        case unknownReader
        case trusted
    }

    /// Checks the signatures of a request.
    ///
    /// - Returns: one finding for each document. A signature over all documents counts for each document. If
    ///   a document has several signatures, the finding of the first signature that is not trusted is
    ///   returned.
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
            // A document that no signature covers is unsigned.
            return findings.first { $0 != .trusted } ?? findings.first ?? .unsigned
        }
    }

    /// Checks one signature and its certificates, from the reader's certificate towards the root.
    private func check(_ signature: CBORItem, over payload: [ArraySlice<UInt8>]) -> Finding {
        guard let sign1 = try? COSESign1(signature), let encoded = try? sign1.headers.x5chain(),
            let certificates = try? encoded.map({ der in try Certificate(der: der) }),
            let leaf = certificates.first, Self.isSigned(sign1, by: leaf, over: payload)
        else { return .signatureWrong }
        guard let chain = try? CertificateChain(certificates) else { return .chainWrong }
        let sent = chain.certificates
        if refusesSentRoots, chain.withoutRoots.count < sent.count { return .rootSent }
        for certificate in sent {
            // The wallet does not evaluate the constraints, so the readers of such an authority count as
            // unknown.
            if constrainedAuthorities.contains(where: certificate.isFrom) { return .unknownReader }
            if roots.contains(where: certificate.isFrom) { return .trusted }
        }
        return .unknownReader
    }

    /// Whether the key of `leaf` has signed `payload`.
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
    /// Whether this certificate is the certificate of `authority`, or was issued by `authority`.
    fileprivate func isFrom(_ authority: Certificate) -> Bool {
        der == authority.der || isSigned(by: authority)
    }
}

/// The statement about the reader that a phone shows to its holder.
package enum ReaderShown: Equatable, Sendable {
    /// A known root certified the reader of every document. The subject is from the first certificate.
    case authenticated(subject: String)
    case notAuthenticated(ReaderTrust.Finding)
}

extension ReaderTrust {
    /// Returns what the phone shows for a request. Nil if the policy checks no signatures, or the request
    /// cannot be parsed.
    func shown(of deviceRequest: ArraySlice<UInt8>, in transcript: SessionTranscript) -> ReaderShown? {
        guard policy != .doNotEnforce, let request = try? DeviceRequest(deviceRequest) else { return nil }
        let fault = check(request, in: transcript).first { $0 != .trusted }
        // A request without documents and signatures has neither a fault nor a subject.
        guard fault == nil, let subject = request.readerSubject else {
            return .notAuthenticated(fault ?? .unsigned)
        }
        return .authenticated(subject: subject)
    }
}

extension DeviceRequest {
    /// The subject of the first signature's certificate. Nil if there is no signature.
    fileprivate var readerSubject: String? {
        let signatures = readerAuthAll + docRequests.compactMap(\.readerAuth)
        guard let first = signatures.first, let sign1 = try? COSESign1(first),
            let leaf = try? sign1.headers.x5chain().first
        else { return nil }
        return (try? Certificate(der: leaf))?.subject.description
    }
}
