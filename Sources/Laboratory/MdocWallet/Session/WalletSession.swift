internal import CBOR
package import MdocModel
internal import MdocSession
internal import Synchronization

/// The phone's side of one session (ISO/IEC 18013-5 9.1.1): decrypts a request, lets the holder answer, and
/// encrypts the response, with the wallet's session fault.
///
/// A session is a state machine: ``receive(_:)`` takes one message of the reader and returns a ``Reply``. The
/// session does no I/O and does not wait. The caller waits for the delay in the reply, in which the person
/// reads and decides, and then sends the message.
///
/// States:
/// - before the first message: there is no transcript, since the reader's key is not known;
/// - running: the session answers each request, with the first decision and then with
///   `Wallet.furtherDecision`;
/// - ended: by the reader's status, by an error, by a refusal, or with the response. Every later message
///   returns `.end`.
///
/// After an NFC v2 handover, NFC and Bluetooth can carry the same session at the same time. Both sides then
/// number their messages, and the session answers a copy of a message with the same bytes as before.
package struct WalletSession: ~Copyable, Sendable {
    /// The phone's reaction to a message of the reader.
    package enum Reply: Equatable, Sendable {
        /// Sends this message after the delay, in which the person reads and decides. The session continues.
        case send([UInt8], after: Duration)
        /// Sends this message after the delay, as the last message of the session.
        case sendLast([UInt8], after: Duration)
        /// Sends nothing, because the reader ended the session, or the session had ended before.
        case end
    }

    private let shared: SharedWalletSession

    package init(_ wallet: Wallet, engagement: WalletEngagement) {
        shared = engagement.session ?? SharedWalletSession(wallet, engagement)
    }

    /// The latest request, decrypted. Nil before the first request.
    package var deviceRequest: [UInt8]? { shared.state.withLock { $0.deviceRequest } }
    /// The statement about the reader that the phone shows to its holder. Nil if the policy checks no
    /// signatures.
    package var readerShown: ReaderShown? { shared.state.withLock { $0.readerShown } }
    /// The status with which the reader ended the session. Nil until then.
    package var readerStatus: SessionStatus? { shared.state.withLock { $0.readerStatus } }
    /// The latest response, before encryption. Nil before the first response.
    package var deviceResponse: [UInt8]? { shared.state.withLock { $0.deviceResponse } }
    /// The session's transcript. Nil until the reader's key is known.
    package var transcript: SessionTranscript? { shared.state.withLock { $0.transcript } }

    /// Receives a message of the reader: first SessionEstablishment, then SessionData.
    package mutating func receive(_ message: ArraySlice<UInt8>) -> Reply {
        shared.state.withLock { $0.receive(message) }
    }
}

/// A session that NFC and Bluetooth can carry at the same time, after an NFC v2 handover.
final class SharedWalletSession: Sendable {
    let state: Mutex<WalletSessionState>

    init(_ wallet: Wallet, _ engagement: WalletEngagement) {
        state = Mutex(WalletSessionState(wallet, engagement))
    }
}

/// The state of a session, guarded by the mutex of `SharedWalletSession`.
struct WalletSessionState: ~Copyable, Sendable {
    typealias Reply = WalletSession.Reply

    private let wallet: Wallet
    private var session: HolderSession
    private var isEnded = false
    private var requests = 0
    /// The received messages with their replies, so that a copy of a message gets the same reply. Nil unless
    /// a message may arrive twice, over NFC and over Bluetooth.
    private var answered: [(message: [UInt8], reply: Reply)]?
    /// The latest request, decrypted. Nil before the first request.
    private(set) var deviceRequest: [UInt8]?
    /// The statement about the reader that the phone shows to its holder. Nil if the policy checks no
    /// signatures.
    private(set) var readerShown: ReaderShown?
    /// The status with which the reader ended the session. Nil until then.
    private(set) var readerStatus: SessionStatus?
    /// The latest response, before encryption. Nil before the first response.
    private(set) var deviceResponse: [UInt8]?

    init(_ wallet: Wallet, _ engagement: WalletEngagement) {
        self.wallet = wallet
        // Messages have numbers only after an NFC v2 handover, when a second bearer may bring copies of them.
        answered = engagement.handover.numbersMessages ? [] : nil
        session = HolderSession(
            deviceEngagement: engagement.deviceEngagement, handover: engagement.handover,
            eDeviceKey: engagement.eDeviceKey)
    }

    /// The session's transcript. Nil until the reader's key is known.
    var transcript: SessionTranscript? { session.transcript }

    /// Receives a message of the reader: first SessionEstablishment, then SessionData.
    mutating func receive(_ message: ArraySlice<UInt8>) -> Reply {
        // A copy that came over the second bearer gets the reply to the first message.
        if let copy = answered?.first(where: { $0.message.elementsEqual(message) }) {
            return wallet.version2Fault == .copiesDiffer ? copy.reply.withOtherByte : copy.reply
        }
        let reply = reply(to: message)
        answered?.append((Array(message), reply))
        return reply
    }

    /// Decrypts a message and answers its request.
    private mutating func reply(to message: ArraySlice<UInt8>) -> Reply {
        guard !isEnded else { return .end }
        do throws(SessionError) {
            switch try session.receive(message) {
            case .status(let status):
                isEnded = true
                readerStatus = status
                return .end
            case .request(let request):
                deviceRequest = request
                return try answer(request)
            }
        } catch {
            return end(with: error.status)
        }
    }

    /// Lets the holder answer a request, with the decision for the first or for a later request.
    private mutating func answer(_ request: [UInt8]) throws(SessionError) -> Reply {
        guard let transcript = session.transcript else { throw .unexpectedMessage }
        requests += 1
        var holder = wallet.holder
        if requests > 1, let decision = wallet.furtherDecision { holder.decision = decision }
        readerShown = holder.readerTrust.shown(of: request[...], in: transcript)
        let answer: Holder.Answer
        do throws(HolderError) {
            answer = try holder.answer(request[...], transcript: transcript)
        } catch .request {
            // A request that cannot be decoded still gets a response, with status 11 for undecodable CBOR.
            answer = .response(Self.undecodableRequest)
        } catch {
            return end(with: .termination)
        }
        switch answer {
        case .declined: return end(with: .termination, after: wallet.consentTime)
        case .response(let response): return try send(response)
        }
    }

    /// Encrypts the response, with the wallet's fault in the message.
    private mutating func send(_ response: [UInt8]) throws(SessionError) -> Reply {
        deviceResponse = response
        isEnded = wallet.endsSessionWithResponse
        let status: SessionStatus? = isEnded ? .termination : nil
        // Encrypting the response twice moves the message counter to 2. The message itself stays well-formed.
        if wallet.sessionFault == .counterTwo { _ = try session.seal(response[...], status: status) }
        let sealed = try session.seal(response[...], status: status)
        var message = wallet.sessionFault?.edit(sealed) ?? sealed
        // Only after an NFC v2 handover do the messages have numbers, which a fault can change.
        if answered != nil { message = wallet.version2Fault?.edit(message) ?? message }
        return isEnded
            ? .sendLast(message, after: wallet.consentTime) : .send(message, after: wallet.consentTime)
    }

    /// Ends the session with a status.
    private mutating func end(with status: SessionStatus, after delay: Duration = .zero) -> Reply {
        isEnded = true
        return .sendLast(session.end(with: status), after: delay)
    }

    /// DeviceResponse status 11: CBOR decoding error (8.3.2.1.2.3).
    private static let undecodableRequest = (["version": "1.0", "status": 11] as CBORDraft).encode()
}

extension WalletSession.Reply {
    /// This reply with one byte in the middle of its message changed. In a response, this byte is in the
    /// encrypted data.
    fileprivate var withOtherByte: WalletSession.Reply {
        func changed(_ message: [UInt8]) -> [UInt8] {
            message.enumerated().map { $0 == message.count / 2 ? $1 ^ 1 : $1 }
        }
        return switch self {
        case .send(let message, let delay): .send(changed(message), after: delay)
        case .sendLast(let message, let delay): .sendLast(changed(message), after: delay)
        case .end: .end
        }
    }
}

extension SessionError {
    /// The status that a phone sends to the reader for this error.
    fileprivate var status: SessionStatus {
        switch self {
        case .malformed: .decodingError
        case .decryptionFailed, .keyAgreementFailed, .cryptography: .encryptionError
        case .unexpectedMessage: .termination
        }
    }
}

/// The phone's end of a bench link. A bench link is a TCP connection in place of the radio. It carries a
/// greeting, and then the messages of one session. The caller owns the socket and sends the messages as
/// frames.
package struct WalletBenchLink: ~Copyable, Sendable {
    /// The first frame, which is sent when a reader connects.
    package let greeting: [UInt8]
    /// The `mdoc:` text of the QR code, which the greeting contains too.
    package let qr: String
    package var session: WalletSession

    /// Creates the phone for its `number`th reader, with a new engagement.
    package init(
        _ wallet: Wallet, handover kind: HandoverKind, number: Int = 1, now: ContinuousClock.Instant
    ) throws(WalletError) {
        try self.init(wallet, engaged: try wallet.engagement(kind, number: number, now: now))
    }

    /// Creates the phone for a session that begins with this engagement.
    package init(_ wallet: Wallet, engaged engagement: WalletEngagement) throws(WalletError) {
        // The greeting always has the text of a QR code. After a handover over NFC, this QR code contains the
        // ephemeral key of that handover.
        let scanned: WalletEngagement
        var messages: (select: [UInt8]?, request: [UInt8]?)
        switch engagement.handover {
        case .qr: scanned = engagement
        case .nfc(let select, let request):
            scanned = try wallet.qrEngagement(engagement.number, engagement.eDeviceKey)
            messages = (select, request)
        case .nfcVersion2(let select, let request):
            scanned = try wallet.qrEngagement(engagement.number, engagement.eDeviceKey)
            messages = (select, request)
        }
        qr = scanned.uri
        greeting = BenchLinkGreeting(
            qr: qr, deviceEngagement: engagement.deviceEngagement, handoverSelect: messages.select,
            handoverRequest: messages.request, isVersion2: engagement.handover.numbersMessages
        ).encoded()
        session = WalletSession(wallet, engagement: engagement)
    }
}

/// A rule of session encryption (ISO/IEC 18013-5 9.1.1) that the phone breaks. Each fault breaks one rule
/// only.
///
/// The raw value is the name of the rule, as in the corpus.
package enum SessionFault: String, CaseIterable, Sendable {
    case tagFlipped = "session.tag_flipped"
    case counterTwo = "session.counter_2"
    case emptyMap = "session.empty_map"
    case trailingBytes = "session.trailing_bytes"
    case dataTwice = "session.dup_data"
    case notAMap = "session.not_a_map"
    case encryptionError = "session.status_10"
    case decodingError = "session.status_11"
    case termination = "session.status_20"
    /// SessionData has a response, and a status that reports an error.
    case dataWithEncryptionError = "session.data_with_status_10"
    case dataWithDecodingError = "session.data_with_status_11"
    /// SessionData has a response, and a status that no standard defines.
    case dataWithUnknownStatus = "session.data_with_status_99"
}

extension SessionFault {
    /// Returns a SessionData message with the fault in it.
    func edit(_ message: [UInt8]) -> [UInt8] {
        switch self {
        case .tagFlipped: message.dropLast() + message.suffix(1).map { $0 ^ 1 }
        case .counterTwo: message
        case .emptyMap: CBORDraft.map([]).encode()
        case .trailingBytes: message + [0]
        case .dataTwice: (["data": Self.data(message), "data": .bytes([0, 1])] as CBORDraft).encode()
        case .notAMap: CBORDraft.array([Self.data(message)]).encode()
        case .encryptionError: SessionData.encode(data: nil, status: .encryptionError)
        case .decodingError: SessionData.encode(data: nil, status: .decodingError)
        case .termination: SessionData.encode(data: nil, status: .termination)
        case .dataWithEncryptionError: Self.answer(message, status: 10)
        case .dataWithDecodingError: Self.answer(message, status: 11)
        case .dataWithUnknownStatus: Self.answer(message, status: 99)
        }
    }

    /// Returns a message with the encrypted data of `message` and this status.
    private static func answer(_ message: [UInt8], status: UInt64) -> [UInt8] {
        let data = (try? SessionData(message[...]))?.data
        return SessionData.encode(data: data.map(Array.init), status: SessionStatus(rawValue: status))
    }

    /// Returns the encrypted data of a message.
    private static func data(_ message: [UInt8]) -> CBORDraft {
        .bytes(((try? SessionData(message[...]))?.data).map(Array.init) ?? [])
    }
}
