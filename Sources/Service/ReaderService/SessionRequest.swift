internal import COSE
internal import ErrorMapping
package import MdocModel
internal import Transport
internal import MdocVerification

/// The DeviceRequest for one wallet in one session (ISO/IEC 18013-5 8.3.2.1.2.1).
package struct SessionRequest: Sendable {
    /// The form of the reader's signature (ISO/IEC 18013-5 9.1.4).
    package enum ReaderAuthentication: String, CaseIterable, Sendable {
        /// No signature.
        case none
        /// readerAuth: one signature for each document.
        case documents
        /// readerAuthAll: one signature for the whole request. Sent only to a wallet that announced that it
        /// supports readerAuthAll.
        case all
    }

    package let bytes: [UInt8]
    /// The documents and elements requested by `bytes`, with which the answer is compared.
    package let documents: [ItemsRequest]
    /// The name of the identity that signed; `nil` for an unsigned request.
    package let identity: String?
    package let readerAuthentication: ReaderAuthentication
    /// Whether the request is of version 1.1.
    package let isExtended: Bool

    /// Encodes a draft, and signs it if there is an identity.
    ///
    /// - Throws: `requestNotSigned` if the identity's key does not sign.
    init(
        _ draft: DeviceRequestDraft, for capabilities: EngagementCapabilities,
        in transcript: SessionTranscript,
        signedBy identity: ReaderIdentity?
    ) throws(PresentationFailure) {
        let draft = draft.suited(to: capabilities)
        // Only a signature can fail, so `identity` is not `nil` after a failure.
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

/// A request that is written and signed while other work continues. Some keys need a large part of a second
/// to sign and block their thread meanwhile.
struct PendingRequest: Sendable {
    private typealias Written = Result<SessionRequest, PresentationFailure>

    private let results: AsyncStream<Written>
    private let continuation: AsyncStream<Written>.Continuation
    /// The name of the identity that signs.
    private let identity: String?

    init(
        signedBy identity: String?,
        _ write: @escaping @Sendable () throws(PresentationFailure) -> SessionRequest
    ) {
        self.identity = identity
        (results, continuation) = AsyncStream.makeStream()
        let work = { @Sendable [continuation] in
            do throws(PresentationFailure) {
                continuation.yield(.success(try write()))
            } catch {
                continuation.yield(.failure(error))
            }
        }
        // Encoding an unsigned request does not block, so it happens on this thread.
        if identity == nil { work() } else { WorkerThread().perform(work) }
    }

    /// Waits for the request. If the key has not signed by the deadline, this function throws. The thread
    /// that signs is not stopped.
    ///
    /// - Throws: `requestNotSigned`, or `cancelled` if the task was cancelled.
    func value(by deadline: ContinuousClock.Instant) async throws(PresentationFailure) -> SessionRequest {
        let timer = Task { [continuation] in
            try await Task.sleep(until: deadline, clock: .continuous)
            continuation.finish()
        }
        defer { timer.cancel() }
        for await result in results { return try result.get() }
        // The stream has ended without a request, because the deadline has passed or this task was cancelled.
        throw Task.isCancelled ? .cancelled : .requestNotSigned(identity: identity ?? "")
    }
}

/// The version of the DeviceRequest that is sent. The raw values are the values of options and of
/// configuration files.
package enum RequestVersion: String, CaseIterable, Sendable {
    /// Version 1.1 if the wallet announced extended requests and the request needs them; version 1.0
    /// otherwise (Q168).
    case automatic = "auto"
    /// Version 1.0 for every wallet, without alternatives, use cases and readerAuthAll.
    case first = "1.0"

    /// Returns the announced capabilities that this version uses.
    func used(of announced: EngagementCapabilities) -> EngagementCapabilities {
        self == .first ? announced.subtracting(.extendedRequest) : announced
    }
}

extension Presentation {
    /// Whether the phone reported that it could not decode an extended request.
    package var failedOnExtendedRequest: Bool { request?.isExtended == true && failedOnRequest }

    /// Whether the phone reported, by the status of the session or of its answer, that it could not decode
    /// the request.
    package var failedOnRequest: Bool {
        switch result {
        case .failure(let failure): failure == .status(.decodingError)
        case .success(.rejected(let response)):
            response.status == DeviceResponseStatus.decodingError.rawValue
        case .success(.verified): false
        }
    }
}
