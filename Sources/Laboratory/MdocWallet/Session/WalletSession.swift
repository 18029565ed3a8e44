internal import CBOR
package import MdocModel
internal import MdocSession
internal import Synchronization

/// The phone's side of one session (ISO/IEC 18013-5 9.1.1): decrypts what comes, lets the holder answer,
/// encrypts the answer, with the wallet's fault if it has one.
package struct WalletSession: ~Copyable, Sendable {
    package enum Reply: Equatable, Sendable {
        /// Send this, once the person has had time to read and consent; the session continues.
        case send([UInt8], after: Duration)
        /// Send this last message in the same way; the session is over.
        case sendLast([UInt8], after: Duration)
        /// Nothing to send: the reader ended the session, or it had ended before.
        case end
    }

    private let shared: SharedWalletSession

    package init(_ wallet: Wallet, engagement: WalletEngagement) {
        shared = engagement.session ?? SharedWalletSession(wallet, engagement)
    }

    /// The request that came last, decrypted.
    package var deviceRequest: [UInt8]? { shared.state.withLock { $0.deviceRequest } }
    /// What the phone shows its holder about who asks; nil if it does not look at signatures.
    package var readerShown: ReaderShown? { shared.state.withLock { $0.readerShown } }
    /// The status with which the reader ended the session, once it has.
    package var readerStatus: SessionStatus? { shared.state.withLock { $0.readerStatus } }
    /// The response that was sent last, before encryption.
    package var deviceResponse: [UInt8]? { shared.state.withLock { $0.deviceResponse } }
    /// The session's transcript, once the reader's key is known.
    package var transcript: SessionTranscript? { shared.state.withLock { $0.transcript } }

    /// Takes SessionEstablishment, then SessionData.
    package mutating func receive(_ message: ArraySlice<UInt8>) -> Reply {
        shared.state.withLock { $0.receive(message) }
    }
}

/// One session for all that carries it: after an NFC v2 handover that is NFC and Bluetooth at once.
final class SharedWalletSession: Sendable {
    let state: Mutex<WalletSessionState>

    init(_ wallet: Wallet, _ engagement: WalletEngagement) {
        state = Mutex(WalletSessionState(wallet, engagement))
    }
}

/// What one session has come to.
struct WalletSessionState: ~Copyable, Sendable {
    typealias Reply = WalletSession.Reply

    private let wallet: Wallet
    private var session: HolderSession
    private var isEnded = false
    private var requests = 0
    /// What came and was answered, where a second copy of it may come by the other way.
    private var answered: [(message: [UInt8], reply: Reply)]?
    /// The request that came last, decrypted.
    private(set) var deviceRequest: [UInt8]?
    /// What the phone shows its holder about who asks; nil if it does not look at signatures.
    private(set) var readerShown: ReaderShown?
    /// The status with which the reader ended the session, once it has.
    private(set) var readerStatus: SessionStatus?
    /// The response that was sent last, before encryption.
    private(set) var deviceResponse: [UInt8]?

    init(_ wallet: Wallet, _ engagement: WalletEngagement) {
        self.wallet = wallet
        answered = engagement.handover.numbersMessages ? [] : nil
        session = HolderSession(
            deviceEngagement: engagement.deviceEngagement, handover: engagement.handover,
            eDeviceKey: engagement.eDeviceKey)
    }

    /// The session's transcript, once the reader's key is known.
    var transcript: SessionTranscript? { session.transcript }

    /// Takes SessionEstablishment, then SessionData.
    mutating func receive(_ message: ArraySlice<UInt8>) -> Reply {
        if let copy = answered?.first(where: { $0.message.elementsEqual(message) }) {
            return wallet.version2Fault == .copiesDiffer ? copy.reply.withOtherByte : copy.reply
        }
        let reply = reply(to: message)
        answered?.append((Array(message), reply))
        return reply
    }

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
            answer = .response(Self.undecodableRequest)
        } catch {
            return end(with: .termination)
        }
        switch answer {
        case .declined: return end(with: .termination, after: wallet.consentTime)
        case .response(let response): return try send(response)
        }
    }

    private mutating func send(_ response: [UInt8]) throws(SessionError) -> Reply {
        deviceResponse = response
        isEnded = wallet.endsSessionWithResponse
        let status: SessionStatus? = isEnded ? .termination : nil
        if wallet.sessionFault == .counterTwo { _ = try session.seal(response[...], status: status) }
        let sealed = try session.seal(response[...], status: status)
        var message = wallet.sessionFault?.edit(sealed) ?? sealed
        if answered != nil { message = wallet.version2Fault?.edit(message) ?? message }
        return isEnded
            ? .sendLast(message, after: wallet.consentTime) : .send(message, after: wallet.consentTime)
    }

    private mutating func end(with status: SessionStatus, after delay: Duration = .zero) -> Reply {
        isEnded = true
        return .sendLast(session.end(with: status), after: delay)
    }

    /// DeviceResponse status 11: CBOR decoding error (8.3.2.1.2.3).
    private static let undecodableRequest = (["version": "1.0", "status": 11] as CBORDraft).encode()
}

extension WalletSession.Reply {
    /// The same with another byte in its middle, which is of the encrypted data in an answer.
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
    /// The status that a phone sends the reader for this error.
    fileprivate var status: SessionStatus {
        switch self {
        case .malformed: .decodingError
        case .decryptionFailed, .keyAgreementFailed, .cryptography: .encryptionError
        case .unexpectedMessage: .termination
        }
    }
}

/// The phone's end of a TCP bench link: a greeting, then the messages of one session. Frames and sockets are
/// the caller's.
package struct WalletBenchLink: ~Copyable, Sendable {
    /// The first frame, to be sent as soon as the reader has connected.
    package let greeting: [UInt8]
    /// The `mdoc:` text, which the greeting holds too.
    package let qr: String
    package var session: WalletSession

    /// The phone for its `number`th reader; each reader gets a new engagement.
    package init(
        _ wallet: Wallet, handover kind: HandoverKind, number: Int = 1, now: ContinuousClock.Instant
    ) throws(WalletError) {
        try self.init(wallet, engaged: try wallet.engagement(kind, number: number, now: now))
    }

    /// The phone for the reader that it has been engaged with.
    package init(_ wallet: Wallet, engaged engagement: WalletEngagement) throws(WalletError) {
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

/// One rule of session encryption (ISO/IEC 18013-5 9.1.1) that the phone breaks, and no other. The raw value
/// is the rule's name, as in the corpus of presentations.
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
    /// An answer beside a status that reports an error.
    case dataWithEncryptionError = "session.data_with_status_10"
    case dataWithDecodingError = "session.data_with_status_11"
    /// An answer beside a status that no standard defines.
    case dataWithUnknownStatus = "session.data_with_status_99"
}

extension SessionFault {
    /// What becomes of a SessionData message.
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

    private static func answer(_ message: [UInt8], status: UInt64) -> [UInt8] {
        let data = (try? SessionData(message[...]))?.data
        return SessionData.encode(data: data.map(Array.init), status: SessionStatus(rawValue: status))
    }

    private static func data(_ message: [UInt8]) -> CBORDraft {
        .bytes(((try? SessionData(message[...]))?.data).map(Array.init) ?? [])
    }
}
