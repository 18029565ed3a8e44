internal import COSE
internal import MdocModel
internal import PKIX

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
