import CBOR
import COSE
import MdocModel
import MdocSession
import OpenSSLCrypto
import Testing
import VectorFiles

/// Both sides of one engagement, with keys on one curve of cipher suite 1.
struct SessionPair: ~Copyable {
    static let curves: [Curve] = [
        .p256, .p384, .p521, .x25519, .x448, .brainpoolP256r1, .brainpoolP320r1, .brainpoolP384r1,
        .brainpoolP512r1,
    ]
    static let start = ContinuousClock.now

    var reader: ReaderSession
    var holder: HolderSession

    init(
        _ curve: Curve = .p256, handover: Handover = .qr, holderHandover: Handover? = nil,
        consent: Duration = .seconds(300)
    ) throws {
        let eDeviceKey = COSEKeyPair(try PrivateKey.generate(curve))
        let engagement = Self.engagement(eDeviceKey)
        reader = try ReaderSession(
            engagement: DeviceEngagement(engagement[...]), handover: handover,
            eReaderKey: COSEKeyPair(PrivateKey.generate(curve)), consent: consent)
        holder = HolderSession(
            deviceEngagement: engagement, handover: holderHandover ?? handover, eDeviceKey: eDeviceKey)
    }

    static func engagement(_ key: COSEKeyPair) -> [UInt8] {
        [UInt8](hex: "a2 00 63312e30 01 8201") + key.publicKeyBytes.bytes
    }

    /// Sends one request and gives it back as the holder read it.
    mutating func request(_ bytes: [UInt8], at now: ContinuousClock.Instant = start) throws -> [UInt8]? {
        let message = try reader.transmit(bytes, now: now).message
        return try holder.receive(message[...]).request
    }
}

extension ReaderSession {
    /// Sends a request; throws where nothing is to be transmitted.
    mutating func transmit(
        _ request: [UInt8], now: ContinuousClock.Instant = SessionPair.start
    ) throws -> (message: [UInt8], deadline: ContinuousClock.Instant) {
        let action = try send(request[...], now: now)
        return try #require(action.transmitted)
    }
}

extension HolderSession.Received {
    var request: [UInt8]? { if case .request(let bytes) = self { bytes } else { nil } }
    var status: SessionStatus? { if case .status(let status) = self { status } else { nil } }
}

extension ReaderSession.Action {
    var transmitted: (message: [UInt8], deadline: ContinuousClock.Instant)? {
        if case .transmit(let message, let deadline) = self { (message, deadline) } else { nil }
    }
    var delivered: [UInt8]? { if case .deliver(let bytes, _) = self { bytes } else { nil } }
    /// What is delivered as the last message of the session.
    var deliveredLast: [UInt8]? { if case .deliver(let bytes, true) = self { bytes } else { nil } }
    var end: SessionEnd? { if case .end(let end, _) = self { end } else { nil } }
    /// The status that is sent last; nil where nothing is.
    var terminationStatus: UInt64? {
        get throws {
            if case .end(_, let bytes?) = self { try SessionData(bytes[...]).status?.rawValue } else { nil }
        }
    }
}
