package import CBOR
package import COSE
package import MdocModel
internal import OpenSSLCrypto

/// The reader's side of an encrypted session (ISO/IEC 18013-5 9.1.1), after engagement: requests out, responses in.
///
/// A value without I/O and clock. Any failure ends it and deletes its keys.
package struct ReaderSession: ~Copyable, Sendable {
    package enum Action: Sendable {
        /// Send these bytes, and wait for the answer until this instant: the holder reads and consents meanwhile.
        case transmit([UInt8], answerBy: ContinuousClock.Instant)
        /// A decrypted DeviceResponse. The session is open for a further request unless `isEnded`.
        case deliver([UInt8], isEnded: Bool)
        /// The session is over; `terminationMessage` is to be sent first, where there is one.
        case end(SessionEnd, terminationMessage: [UInt8]?)
    }

    package let transcript: SessionTranscript
    package let eReaderKey: COSEKeyPair
    private let consent: Duration
    private let limits: CBORLimits
    private var phase: Phase
    private var numbers: SequenceNumbers

    private enum Phase: ~Copyable {
        case awaitingFirstRequest(SessionKeys)
        case awaitingResponse(SessionKeys, until: ContinuousClock.Instant)
        case awaitingFurtherRequest(SessionKeys)
        case ended
    }

    /// - Parameters:
    ///   - eReaderKey: a fresh key on the curve of the engagement's key.
    ///   - consent: how long an answer may take, at least 300 s by the standard.
    package init(
        engagement: DeviceEngagement, handover: Handover, eReaderKey: COSEKeyPair,
        consent: Duration = .seconds(300), limits: CBORLimits = .standard
    ) throws(SessionError) {
        self.eReaderKey = eReaderKey
        self.consent = consent
        self.limits = limits
        numbers = SequenceNumbers(handover)
        transcript = SessionTranscript(
            deviceEngagement: engagement.bytes, eReaderKey: eReaderKey.publicKeyBytes, handover: handover)
        let keys = try SessionKeys.derive(
            for: .reader, own: eReaderKey, peer: engagement.eDeviceKey, transcript: transcript)
        phase = .awaitingFirstRequest(keys)
    }

    /// Encrypts a DeviceRequest: the first as SessionEstablishment, a further one as SessionData.
    package mutating func send(
        _ deviceRequest: ArraySlice<UInt8>, now: ContinuousClock.Instant
    ) throws(SessionError) -> Action {
        switch takePhase() {
        case .awaitingFirstRequest(var keys):
            let data = try keys.seal(deviceRequest)
            phase = .awaitingResponse(keys, until: now + consent)
            let message = SessionEstablishment.encode(
                eReaderKey: eReaderKey.publicKeyBytes, data: data, sequence: numbers.next())
            return .transmit(message, answerBy: now + consent)
        case .awaitingFurtherRequest(var keys):
            let data = try keys.seal(deviceRequest)
            phase = .awaitingResponse(keys, until: now + consent)
            let message = SessionData.encode(data: data, status: nil, sequence: numbers.next())
            return .transmit(message, answerBy: now + consent)
        case .awaitingResponse: throw .unexpectedMessage
        case .ended: throw .unexpectedMessage
        }
    }

    /// Takes a SessionData message from the mdoc. One that comes at its deadline or later is too late.
    package mutating func receive(_ message: ArraySlice<UInt8>, now: ContinuousClock.Instant) -> Action {
        switch takePhase() {
        case .awaitingResponse(let keys, let deadline):
            guard now < deadline else {
                return .end(.overdue, terminationMessage: terminationMessage(.termination))
            }
            return receiveResponse(message, keys)
        case .awaitingFirstRequest: return receiveUnasked(message)
        case .awaitingFurtherRequest: return receiveUnasked(message)
        case .ended: return .end(.failed(.unexpectedMessage), terminationMessage: nil)
        }
    }

    private mutating func receiveResponse(
        _ message: ArraySlice<UInt8>, _ keys: consuming SessionKeys
    ) -> Action {
        let received: SessionData
        do throws(MdocModelError) {
            received = try SessionData(message, numbered: numbers.areUsed, limits: limits)
            numbers.note(received.sequence)
        } catch {
            return .end(.failed(.malformed(error)), terminationMessage: terminationMessage(.decodingError))
        }
        switch received.content {
        case .end(let status): return .end(.status(status), terminationMessage: nil)
        case .data(let data, let isLast):
            do throws(SessionError) {
                let response = try keys.open(data)
                if !isLast { phase = .awaitingFurtherRequest(keys) }
                return .deliver(response, isEnded: isLast)
            } catch {
                return .end(.failed(error), terminationMessage: terminationMessage(.encryptionError))
            }
        }
    }

    /// The mdoc may end the session at any time; any other message that was not requested is an error.
    private mutating func receiveUnasked(_ message: ArraySlice<UInt8>) -> Action {
        guard let received = try? SessionData(message, numbered: numbers.areUsed, limits: limits),
            received.data == nil,
            let status = received.status
        else {
            return .end(.failed(.unexpectedMessage), terminationMessage: terminationMessage(.termination))
        }
        return .end(.status(status), terminationMessage: nil)
    }

    /// Ends the session where its answer is overdue at `now`; nil if nothing is.
    package mutating func expire(now: ContinuousClock.Instant) -> Action? {
        switch takePhase() {
        case .awaitingResponse(let keys, let deadline):
            guard now >= deadline else {
                phase = .awaitingResponse(keys, until: deadline)
                return nil
            }
            return .end(.overdue, terminationMessage: terminationMessage(.termination))
        case .awaitingFirstRequest(let keys): phase = .awaitingFirstRequest(keys)
        case .awaitingFurtherRequest(let keys): phase = .awaitingFurtherRequest(keys)
        case .ended: break
        }
        return nil
    }

    /// What was noted of the numbers of the mdoc's messages. They protect nothing, and none ends the session.
    package var sequenceNotes: [SequenceNote] { numbers.notes }

    /// Ends the session from our side: status 20, where the mdoc still listens.
    package mutating func terminate() -> Action {
        switch takePhase() {
        case .ended: .end(.terminated, terminationMessage: nil)
        default: .end(.terminated, terminationMessage: terminationMessage(.termination))
        }
    }

    /// The phase, leaving `.ended` behind, so that whatever fails from here on has ended the session.
    private mutating func takePhase() -> Phase {
        var taken = Phase.ended
        swap(&taken, &phase)
        return taken
    }

    private mutating func terminationMessage(_ status: SessionStatus) -> [UInt8] {
        SessionData.encode(data: nil, status: status, sequence: numbers.next())
    }
}

/// How a session ended without a response.
package enum SessionEnd: Equatable, Sendable {
    /// The mdoc sent a status without data, or one that reports an error with data that is not used.
    case status(SessionStatus)
    /// No answer within the time for consent.
    case overdue
    /// We ended it.
    case terminated
    case failed(SessionError)
}

extension ReaderSession.Action: RedactedDescription {}
