package import CBOR
package import COSE
internal import ErrorMapping
package import MdocModel
package import MdocSession
package import MdocTrust
package import MdocVerification
internal import ReaderService
package import Reports

/// A transaction with a phone, read from files to be verified.
package struct StoredTransaction {
    /// The message of the phone.
    package enum Message {
        /// The decrypted DeviceResponse.
        case response([UInt8])
        /// The encrypted SessionData and, if it was stored, the SessionEstablishment's encrypted request.
        case session(RecordedSession, establishment: ArraySlice<UInt8>?, data: [UInt8])
    }

    package let transcript: SessionTranscript
    /// The reader's private key, from which the key of a device MAC is derived. `nil` if the user gave no
    /// key.
    package let readerKey: COSEKeyPair?
    package let message: Message
    package let limits: CBORLimits
    /// The request that the user gave; `nil` if the user gave none.
    package var request: StoredRequest?

    /// Decrypts the response if necessary and verifies it at the instant `now`.
    ///
    /// - Throws: Status 64 (usage) if two files contain different requests. If the response fails a check,
    ///   nothing is thrown, and the returned report has the failed check.
    package func judged(
        trusting trust: TrustStore, by policy: VerificationPolicy, at now: Timestamp
    ) throws(CommandFailure) -> TransactionReport {
        // A function, because the request may be known only after decryption.
        let context = { (request: StoredRequest?) in
            VerificationContext(
                transcript: transcript, comparison: request?.comparison ?? .notCompared, readerKey: readerKey,
                trust: trust, now: now, day: WallClock.localDay(at: now), policy: policy)
        }
        switch message {
        case .response(let bytes):
            return judge(bytes, request: request, in: context(request))
        case .session(let session, let establishment, let data):
            let clock = ContinuousClock()
            let start = clock.now
            let opened: OpenedSession
            do throws(TransactionEnd) {
                opened = try open(session, establishment: establishment, data: data)
            } catch {
                return error.report
            }
            let request = try request(agreeingWith: opened.request)
            let decrypted = TransactionReport.Phase(name: "decrypt", duration: clock.now - start)
            var report = judge(opened.response, request: request, in: context(request))
            report.phases.insert(decrypted, at: 0)
            return report
        }
    }

    /// Parses and verifies a decrypted response.
    private func judge(
        _ response: [UInt8], request: StoredRequest?, in context: VerificationContext
    ) -> TransactionReport {
        let clock = ContinuousClock()
        let start = clock.now
        let unverified: UnverifiedResponse
        do throws(MdocModelError) {
            unverified = try UnverifiedResponse(response[...], limits: limits)
        } catch {
            return .malformed(TransactionError(.responseMalformed, error.explanation))
        }
        var report = TransactionReport(
            unverified.verify(in: context), expecting: request?.expectation(at: context.now) ?? .nothing,
            requestCompared: request != nil)
        if unverified.status == DeviceResponseStatus.decodingError.rawValue {
            report.adviseOnUndecodedRequest(isExtended: request?.isExtended)
        }
        report.phases = [TransactionReport.Phase(name: "verify", duration: clock.now - start)]
        return report
    }

    /// Returns the request from the file of `--request` or of `--session-establishment`. If both are given,
    /// the two requests must be equal.
    private func request(agreeingWith opened: StoredRequest?) throws(CommandFailure) -> StoredRequest? {
        guard let opened, let request else { return request ?? opened }
        guard request.bytes == opened.bytes else {
            throw .usage("--request: this is not the request in the file of --session-establishment")
        }
        return request
    }
}

// Decryption
extension StoredTransaction {
    private struct OpenedSession {
        let response: [UInt8]
        let request: StoredRequest?
    }

    /// An error that carries the report of a session without a response to verify.
    private struct TransactionEnd: Error {
        let report: TransactionReport
    }

    /// Decrypts the response and, if it was stored, the request.
    ///
    /// - Throws: The report of a session that has no response or cannot be decrypted.
    private func open(
        _ session: RecordedSession, establishment: ArraySlice<UInt8>?, data message: [UInt8]
    ) throws(TransactionEnd) -> OpenedSession {
        let received = try mapping(SessionData(message[...], limits: limits)) { (error: MdocModelError) in
            TransactionEnd(report: .malformed(TransactionError(.sessionMalformed, error.explanation)))
        }
        switch received.content {
        // A status beside the data tells the reader to end the session. A stored session has ended already,
        // so the status is ignored.
        case .data(let data, _):
            do throws(SessionError) {
                return OpenedSession(
                    response: try session.openResponse(data),
                    request: try request(in: establishment, of: session))
            } catch .malformed(let error) {
                // Only the stored request is parsed here, so an input file is at fault and not the phone.
                throw TransactionEnd(report: .malformed(TransactionError(.inputMalformed, error.explanation)))
            } catch {
                throw TransactionEnd(
                    report: .rejected(TransactionError(.sessionDecryption, error.explanation)))
            }
        case .end(let status):
            // The request only improves the advice in the report, so an unreadable request is ignored.
            let asked = try? request(in: establishment, of: session)
            // `request` is the request that the user gave, if any.
            throw TransactionEnd(report: Self.ended(with: status, asking: request ?? asked))
        }
    }

    /// Returns the report of a session that the phone ended with a status instead of an answer.
    private static func ended(with status: SessionStatus, asking request: StoredRequest?) -> TransactionReport
    {
        var report = TransactionReport.incomplete(TransactionError(status))
        if status == .decodingError { report.adviseOnUndecodedRequest(isExtended: request?.isExtended) }
        return report
    }

    /// Decrypts and parses the request of the SessionEstablishment. Returns `nil` without a
    /// SessionEstablishment.
    private func request(
        in establishment: ArraySlice<UInt8>?, of session: RecordedSession
    ) throws(SessionError) -> StoredRequest? {
        guard let establishment else { return nil }
        let bytes = try session.openRequest(establishment)
        return try mapping(StoredRequest(bytes[...], limits: limits), SessionError.malformed)
    }
}

/// A DeviceRequest that was sent, with its parsed items.
package struct StoredRequest {
    package let bytes: ArraySlice<UInt8>
    package let items: [ItemsRequest]
    /// Whether the request is of version 1.1 or later.
    package let isExtended: Bool
    /// The use cases of the request, each with the sets of documents that satisfy it.
    private let useCases: [DeviceRequestInfo.UseCase]

    package init(_ bytes: ArraySlice<UInt8>, limits: CBORLimits) throws(MdocModelError) {
        self.bytes = bytes
        let request = try DeviceRequest(bytes, limits: limits)
        items = request.docRequests.map(\.itemsRequest)
        isExtended = request.version != "1.0"
        useCases = request.deviceRequestInfo?.useCases ?? []
    }

    package var comparison: RequestComparison { .requested(items) }

    /// Returns what an answer to this request has to contain: the documents, and the answers to its
    /// questions. Ages are computed for the day of `now` in this computer's time zone.
    package func expectation(at now: Timestamp) -> AnswerExpectation {
        AnswerExpectation(of: items, useCases, on: WallClock.localDay(at: now))
    }
}
