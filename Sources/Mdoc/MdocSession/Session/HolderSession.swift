package import COSE
internal import ErrorMapping
package import MdocModel
internal import OpenSSLCrypto

/// The mdoc's side of an encrypted session (ISO/IEC 18013-5 9.1.1), for the software wallet. `ReaderSession`
/// is the reader's side.
///
/// Any failure and any status message end the session and delete its keys.
package struct HolderSession: ~Copyable, Sendable {
    package enum Received: Sendable {
        case request([UInt8])
        case status(SessionStatus)
    }

    private let engagement: [UInt8]
    private let handover: Handover
    private let eDeviceKey: COSEKeyPair
    private var phase: Phase
    private var numbers: SequenceNumbers
    /// The session transcript. Nil until the reader's key is known.
    package private(set) var transcript: SessionTranscript?

    private enum Phase: ~Copyable {
        case awaitingEstablishment
        case established(SessionKeys)
        case ended
    }

    package init(deviceEngagement: [UInt8], handover: Handover, eDeviceKey: COSEKeyPair) {
        engagement = deviceEngagement
        self.handover = handover
        self.eDeviceKey = eDeviceKey
        phase = .awaitingEstablishment
        numbers = SequenceNumbers(handover)
    }

    /// Receives the reader's next message: SessionEstablishment first, then SessionData.
    package mutating func receive(_ message: ArraySlice<UInt8>) throws(SessionError) -> Received {
        switch takePhase() {
        case .awaitingEstablishment: return .request(try establish(message))
        case .established(let keys): return try receiveData(message, keys)
        case .ended: throw .unexpectedMessage
        }
    }

    /// Decrypts a further request, or reports the reader's status.
    private mutating func receiveData(
        _ message: ArraySlice<UInt8>, _ keys: consuming SessionKeys
    ) throws(SessionError) -> Received {
        let numbered = numbers.areUsed
        let received = try mapping(SessionData(message, numbered: numbered), SessionError.malformed)
        switch received.content {
        case .end(let status): return .status(status)
        case .data(let data, let isLast):
            let request = try keys.open(data)
            // `receive` has set the phase to `.ended`. The phase remains `.ended` after the last message.
            if !isLast { phase = .established(keys) }
            return .request(request)
        }
    }

    /// Derives the keys from the reader's key, and decrypts the first request.
    private mutating func establish(_ message: ArraySlice<UInt8>) throws(SessionError) -> [UInt8] {
        let numbered = numbers.areUsed
        let establishment = try mapping(
            SessionEstablishment(message, numbered: numbered), SessionError.malformed)
        let readerKey = try mapping(establishment.eReaderKey(), SessionError.malformed)
        let transcript = SessionTranscript(
            deviceEngagement: engagement, eReaderKey: establishment.eReaderKeyBytes, handover: handover)
        self.transcript = transcript
        var keys = try SessionKeys.derive(
            for: .device, own: eDeviceKey, peer: readerKey, transcript: transcript)
        let request = try keys.open(establishment.data)
        phase = .established(keys)
        return request
    }

    /// Encrypts a DeviceResponse as SessionData.
    ///
    /// - Parameter status: a status to send with the response. It ends the session.
    package mutating func seal(
        _ deviceResponse: ArraySlice<UInt8>, status: SessionStatus? = nil
    ) throws(SessionError) -> [UInt8] {
        guard case .established(var keys) = takePhase() else { throw .unexpectedMessage }
        let sealed = try keys.seal(deviceResponse)
        // `takePhase` has set the phase to `.ended`. The phase remains `.ended` if a status ends the session.
        if status == nil { phase = .established(keys) }
        return SessionData.encode(data: sealed, status: status, sequence: numbers.next())
    }

    /// Ends the session.
    ///
    /// - Returns: the message with this status and without data.
    package mutating func end(with status: SessionStatus) -> [UInt8] {
        phase = .ended
        return SessionData.encode(data: nil, status: status, sequence: numbers.next())
    }

    /// Returns the phase and leaves `.ended` in its place, so that every failure from here on ends the
    /// session.
    private mutating func takePhase() -> Phase {
        var taken = Phase.ended
        swap(&taken, &phase)
        return taken
    }
}
