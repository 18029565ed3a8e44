package import COSE
package import MdocModel
internal import OpenSSLCrypto

/// The mdoc's side of an encrypted session (ISO/IEC 18013-5 9.1.1): the twin of `ReaderSession`, for the software wallet.
package struct HolderSession: ~Copyable, Sendable {
    package enum Received: Sendable {
        case request([UInt8])
        case status(SessionStatus)
    }

    private let engagement: [UInt8]
    private let handover: Handover
    private let eDeviceKey: COSEKeyPair
    private var keys: SessionKeys?
    /// Set once the reader's key is known.
    package private(set) var transcript: SessionTranscript?

    package init(deviceEngagement: [UInt8], handover: Handover, eDeviceKey: COSEKeyPair) {
        engagement = deviceEngagement
        self.handover = handover
        self.eDeviceKey = eDeviceKey
        keys = nil
    }

    /// Takes SessionEstablishment, then SessionData.
    package mutating func receive(_ message: ArraySlice<UInt8>) throws(SessionError) -> Received {
        if keys == nil { return .request(try establish(message)) }
        let received: SessionData
        do throws(MdocModelError) {
            received = try SessionData(message)
        } catch {
            throw .misshapen(error)
        }
        guard let data = received.data else { return .status(received.status ?? .termination) }
        return .request(try open(data))
    }

    private mutating func establish(_ message: ArraySlice<UInt8>) throws(SessionError) -> [UInt8] {
        let establishment: SessionEstablishment
        let readerKey: COSEKey
        do throws(MdocModelError) {
            establishment = try SessionEstablishment(message)
            readerKey = try establishment.eReaderKey()
        } catch {
            throw .misshapen(error)
        }
        let transcript = SessionTranscript(
            deviceEngagement: engagement, eReaderKey: establishment.eReaderKeyBytes, handover: handover)
        self.transcript = transcript
        keys = try SessionKeys.derive(for: .device, own: eDeviceKey, peer: readerKey, transcript: transcript)
        return try open(establishment.data)
    }

    private mutating func open(_ sealed: ArraySlice<UInt8>) throws(SessionError) -> [UInt8] {
        guard var current = keys.take() else { throw .unexpectedMessage }
        let opened = try current.open(sealed)
        keys = consume current
        return opened
    }

    /// Encrypts a DeviceResponse as SessionData, with a status where one is to come along.
    package mutating func seal(
        _ deviceResponse: ArraySlice<UInt8>, status: SessionStatus? = nil
    ) throws(SessionError) -> [UInt8] {
        guard var current = keys.take() else { throw .unexpectedMessage }
        let sealed = try current.seal(deviceResponse)
        keys = consume current
        return SessionData.encode(data: sealed, status: status)
    }
}
