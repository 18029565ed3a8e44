internal import COSE
internal import ErrorMapping
package import MdocModel
internal import Transport
internal import MdocVerification

/// A DeviceRequest as one wallet gets it in one session.
package struct SessionRequest: Sendable {
    /// How the reader says who it is (ISO/IEC 18013-5 9.1.4).
    package enum ReaderAuthentication: String, CaseIterable, Sendable {
        case none
        /// readerAuth, document by document.
        case documents
        /// readerAuthAll, one signature over the request: only where the wallet announced that.
        case all
    }

    package let bytes: [UInt8]
    /// What is asked in `bytes`, and so what the answer is compared with.
    package let documents: [ItemsRequest]
    /// The name of who signed.
    package let identity: String?
    package let readerAuthentication: ReaderAuthentication
    /// Whether it is of version 1.1.
    package let isExtended: Bool

    /// Writes a draft, and signs it if there is an identity for it. Throws if it cannot be signed.
    init(
        _ draft: DeviceRequestDraft, for capabilities: EngagementCapabilities,
        in transcript: SessionTranscript,
        signedBy identity: ReaderIdentity?
    ) throws(PresentationFailure) {
        let draft = draft.suited(to: capabilities)
        bytes = try mapping(draft.encode(for: capabilities, in: transcript, signedBy: identity)) {
            (_: COSEError) in PresentationFailure.requestNotSigned(identity: identity?.name ?? "")
        }
        documents = draft.documents
        self.identity = identity?.name
        readerAuthentication =
            identity == nil ? .none : capabilities.takesReaderAuthAll ? .all : .documents
        isExtended = draft.isExtended(for: capabilities, isSigned: identity != nil)
    }
}

/// A request that is written and signed while other work continues: some keys take a large part of a second, and block
/// their thread meanwhile.
struct PendingRequest: Sendable {
    private typealias Written = Result<SessionRequest, PresentationFailure>

    private let results: AsyncStream<Written>
    private let said: AsyncStream<Written>.Continuation
    /// Who signs.
    private let identity: String?

    init(
        signedBy identity: String?,
        _ write: @escaping @Sendable () throws(PresentationFailure) -> SessionRequest
    ) {
        self.identity = identity
        (results, said) = AsyncStream.makeStream()
        let work = { @Sendable [said] in
            do throws(PresentationFailure) {
                said.yield(.success(try write()))
            } catch {
                said.yield(.failure(error))
            }
        }
        if identity == nil { work() } else { WorkerThread().perform(work) }
    }

    /// The request. A key that does not answer by the deadline does not sign, and is not waited for.
    func value(by deadline: ContinuousClock.Instant) async throws(PresentationFailure) -> SessionRequest {
        let timer = Task { [said] in
            try await Task.sleep(until: deadline, clock: .continuous)
            said.finish()
        }
        defer { timer.cancel() }
        for await result in results { return try result.get() }
        throw Task.isCancelled ? .cancelled : .requestNotSigned(identity: identity ?? "")
    }
}

/// Which version of the DeviceRequest is sent. The raw values are the words of options and configuration files.
package enum RequestVersion: String, CaseIterable, Sendable {
    /// 1.1 where the wallet announced extended requests and something of them is asked, else 1.0 (Q168).
    case automatic = "auto"
    /// 1.0, whatever the wallet announced: without alternatives, use cases and readerAuthAll.
    case first = "1.0"

    /// What of a wallet's capabilities is used.
    func used(of announced: EngagementCapabilities) -> EngagementCapabilities {
        self == .first ? announced.subtracting(.extendedRequest) : announced
    }
}

extension Presentation {
    /// Whether the phone reported that it could not decode an extended request.
    package var failedOnExtendedRequest: Bool { request?.isExtended == true && failedOnRequest }

    /// Whether the phone reported that it could not decode the request, by the status of the session or of its answer.
    package var failedOnRequest: Bool {
        switch result {
        case .failure(let failure): failure == .status(.decodingError)
        case .success(.rejected(let response)):
            response.status == DeviceResponseStatus.decodingError.rawValue
        case .success(.verified): false
        }
    }
}
