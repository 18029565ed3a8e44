package import CBOR
package import COSE
package import MdocModel
internal import OpenSSLCrypto

/// The reader's side of an encrypted session (ISO/IEC 18013-5 9.1.1), after engagement.
///
/// The session encrypts requests and decrypts responses. It is a value that does no I/O and reads no clock.
/// In the service, `RequestExchange` passes messages and times to the session, and `RunningTransaction` does
/// its actions. Tests inject the ephemeral key.
///
/// | phase | next |
/// |---|---|
/// | `awaitingFirstRequest` | `send` makes a SessionEstablishment message and leads to `awaitingResponse` |
/// | `awaitingResponse` | `receive` delivers the response and leads to `awaitingFurtherRequest`, or to `ended` if the phone ended the session |
/// | `awaitingFurtherRequest` | `send` makes a SessionData message and leads to `awaitingResponse` |
/// | `ended` | the keys are deleted; `send` throws, `receive` reports the end |
///
/// Every call first sets the phase to `ended`, and sets the next phase only if it succeeds. So any error ends
/// the session and deletes its keys. A response must come within `consent`; the standard requires at least
/// 300 s. After that time, `receive` and `expire` end the session.
///
/// The session never parses a DeviceResponse and never judges it, because a decrypted response is authentic
/// only after `MdocVerification` has checked it.
package struct ReaderSession: ~Copyable, Sendable {
    package enum Action: Sendable {
        /// Send these bytes, and wait for the response until this instant. In this time the holder decides.
        case transmit([UInt8], answerBy: ContinuousClock.Instant)
        /// A decrypted DeviceResponse. Unless `isEnded`, the session accepts a further request.
        case deliver([UInt8], isEnded: Bool)
        /// The session is over. Send `terminationMessage` first, if there is one.
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

    /// Derives the session keys.
    ///
    /// - Parameters:
    ///   - eReaderKey: a fresh key on the curve of the engagement's key.
    ///   - consent: the maximum time until a response. The standard requires at least 300 s.
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

    /// Encrypts a DeviceRequest: the first request as SessionEstablishment, a further request as SessionData.
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

    /// Receives a SessionData message from the mdoc. A message that comes at the deadline or later ends the
    /// session.
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

    /// Decrypts the response, or ends the session by the mdoc's status or by a fault of the message.
    private mutating func receiveResponse(
        _ message: ArraySlice<UInt8>, _ keys: consuming SessionKeys
    ) -> Action {
        let received: SessionData
        do throws(MdocModelError) {
            received = try SessionData(message, numbered: numbers.areUsed, limits: limits)
            numbers.record(received.sequence)
        } catch {
            return .end(.failed(.malformed(error)), terminationMessage: terminationMessage(.decodingError))
        }
        switch received.content {
        case .end(let status): return .end(.status(status), terminationMessage: nil)
        case .data(let data, let isLast):
            do throws(SessionError) {
                let response = try keys.open(data)
                // `receive` has set the phase to `.ended`. The phase remains `.ended` after the last message.
                if !isLast { phase = .awaitingFurtherRequest(keys) }
                return .deliver(response, isEnded: isLast)
            } catch {
                return .end(.failed(error), terminationMessage: terminationMessage(.encryptionError))
            }
        }
    }

    /// Receives a message while no response is expected. The mdoc may end the session at any time; any other
    /// message is an error.
    private mutating func receiveUnasked(_ message: ArraySlice<UInt8>) -> Action {
        guard let received = try? SessionData(message, numbered: numbers.areUsed, limits: limits),
            received.data == nil,
            let status = received.status
        else {
            return .end(.failed(.unexpectedMessage), terminationMessage: terminationMessage(.termination))
        }
        return .end(.status(status), terminationMessage: nil)
    }

    /// Ends the session if its response is overdue at `now`. Otherwise returns `nil`.
    package mutating func expire(now: ContinuousClock.Instant) -> Action? {
        switch takePhase() {
        case .awaitingResponse(let keys, let deadline):
            guard now >= deadline else {
                phase = .awaitingResponse(keys, until: deadline)
                return nil
            }
            return .end(.overdue, terminationMessage: terminationMessage(.termination))
        // No response is expected, so the earlier phase is restored.
        case .awaitingFirstRequest(let keys): phase = .awaitingFirstRequest(keys)
        case .awaitingFurtherRequest(let keys): phase = .awaitingFurtherRequest(keys)
        case .ended: break
        }
        return nil
    }

    /// Findings about the sequence numbers of the mdoc's messages. The numbers protect nothing, so no finding
    /// ends the session.
    package var sequenceNotes: [SequenceNote] { numbers.notes }

    /// Ends the session from the reader's side, with status 20 if the session was not over yet.
    package mutating func terminate() -> Action {
        switch takePhase() {
        case .ended: .end(.terminated, terminationMessage: nil)
        default: .end(.terminated, terminationMessage: terminationMessage(.termination))
        }
    }

    /// Returns the phase and leaves `.ended` in its place, so that every failure from here on ends the
    /// session.
    private mutating func takePhase() -> Phase {
        var taken = Phase.ended
        swap(&taken, &phase)
        return taken
    }

    /// Returns a message with this status and without data.
    private mutating func terminationMessage(_ status: SessionStatus) -> [UInt8] {
        SessionData.encode(data: nil, status: status, sequence: numbers.next())
    }
}

/// The way in which a session ended without a response.
package enum SessionEnd: Equatable, Sendable {
    /// The mdoc sent a status without data, or a status that reports an error. Data beside an error is not
    /// used.
    case status(SessionStatus)
    /// No response came within the time for consent.
    case overdue
    /// The reader ended the session.
    case terminated
    case failed(SessionError)
}

extension ReaderSession.Action: RedactedDescription {}
