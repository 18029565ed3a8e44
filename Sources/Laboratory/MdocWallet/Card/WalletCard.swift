internal import CBOR
internal import COSE
internal import ISO7816
package import MdocModel
internal import MdocSession
internal import NDEF

/// The phone as a card in the reader's field: NFC engagement, NFC data transfer, session and holder in one
/// value.
///
/// A card is a state machine: ``insert()`` starts a tap, and ``answer(_:now:)`` takes one command APDU and
/// returns the answer. The card does no I/O and has no timer. The caller sends the answer, but not before the
/// instant that ``Answer`` states. The callers are `WalletPhone` and `ReplayPhone`, on the thread of the
/// virtual reader, and tests.
///
/// A SELECT chooses one of three applications, and each SELECT starts its application anew:
/// - the NDEF tag application (8.2.2.1): the engagement by static or negotiated handover;
/// - mdoc data transfer (8.3.3.1.2): ENVELOPE and GET RESPONSE with the messages of the session;
/// - NFC v2 (draft of the second edition): handover and session in one application.
///
/// State and its lifetime:
/// - A tap begins with `insert()`. No state of an earlier tap remains (Q2), except a QR code that the phone
///   still shows.
/// - Each engagement gets a new ephemeral key, as in a real phone.
/// - The consent to an NFC v2 request outlasts the tap, so that the holder is not asked twice for the same
///   request.
///
/// The profile of the wallet determines limits and quirks. With `cardFault` or `version2Fault`, the card
/// breaks one rule. The card never judges the reader, which is the work of ``Holder``.
package struct WalletCard: ~Copyable, Sendable {
    /// The phone's reaction to a command: an answer with the time at which the caller sends it, or the
    /// removal of the phone.
    package enum Answer: Equatable, Sendable {
        /// Answers the command with these bytes.
        case respond([UInt8])
        /// Answers the command with these bytes, but not before this instant, because the person decides
        /// until then (Q54).
        case respondAt([UInt8], ContinuousClock.Instant)
        /// Does not answer, because the phone leaves the field.
        case remove
    }

    private let wallet: Wallet
    private let kind: HandoverKind
    private let behaviour: NFCHolderBehaviour
    private var application = Application.none
    /// The engagement of this tap, with the exchanged handover messages.
    ///
    /// Nil until the reader has read the last byte of the Handover Select. With `.qr` the engagement is set
    /// from the beginning.
    package private(set) var engagement: WalletEngagement?
    private var session: WalletSession?
    /// The number of engagements that this phone has begun.
    private var engagements = 0
    /// The number of SELECT commands that the phone refused while it was locked (Q1).
    private var refusedSelects = 0
    /// The request of an NFC v2 tap and the time of the holder's decision. They are kept because a later tap
    /// may bring the same request.
    private var consent: RememberedConsent?

    /// The selected application with its state.
    private enum Application: Sendable {
        case none
        case engagement(NFCEngagementHolder, NFCHolderContent, COSEKeyPair)
        case transfer(NFCTransferHolder)
        case version2(NFCVersion2Holder, COSEKeyPair)
    }

    /// Creates the card of a phone that engages by this kind of handover. With `.qr`, the phone shows the QR
    /// code of `engagement`, and only the data transfer is over NFC.
    package init(_ wallet: Wallet, handover kind: HandoverKind) throws(WalletError) {
        let behaviour = try wallet.behaviour(kind)
        let engagement = try wallet.qrEngagement(1, if: kind)
        self.wallet = wallet
        self.kind = kind
        self.behaviour = behaviour
        self.engagement = engagement
    }

    /// The latest request of this tap, decrypted. Nil before the first request.
    package var deviceRequest: [UInt8]? {
        // A switch borrows the session, which cannot be copied.
        switch session {
        case let session?: session.deviceRequest
        case nil: nil
        }
    }

    /// The status with which the reader ended the session of this tap. Nil until then.
    package var readerStatus: SessionStatus? {
        // A switch borrows the session, which cannot be copied.
        switch session {
        case let session?: session.readerStatus
        case nil: nil
        }
    }

    /// Begins a tap: the phone enters the field. The state of an earlier tap is discarded (Q2), except the QR
    /// code.
    package mutating func insert() {
        application = .none
        session = nil
        if kind != .qr { engagement = nil }
    }

    /// Returns the answer to a command APDU.
    package mutating func answer(_ command: ArraySlice<UInt8>, now: ContinuousClock.Instant) -> Answer {
        if let selected = try? CommandAPDU.parse(command), selected.isSelectByName {
            if let refusal = select(selected) { return refusal }
        }
        switch application {
        case .none: return respond(.notFound)
        case .engagement(var holder, let content, let key):
            let answer = holder.answer(command, now: now)
            application = .engagement(holder, content, key)
            engagement = holder.handover.map {
                WalletEngagement(
                    number: engagements, deviceEngagement: content.deviceEngagement,
                    handover: .nfc(select: $0.handoverSelect, request: $0.handoverRequest), eDeviceKey: key)
            }
            // The answer is empty if a fault makes the phone leave the field during the command (Q132).
            return answer.isEmpty ? .remove : .respond(answer)
        case .transfer(var holder):
            let answer = transfer(command, to: &holder, now: now)
            application = .transfer(holder)
            return answer
        case .version2(var holder, let key):
            let answer = version2(command, to: &holder, key, now: now)
            application = .version2(holder, key)
            return answer
        }
    }

    // MARK: Applications

    /// Selects the application whose identifier is in the command.
    ///
    /// - Returns: a refusal, or nil if the selected application itself answers the command.
    private mutating func select(_ command: CommandAPDU) -> Answer? {
        // A refused SELECT leaves no application selected.
        application = .none
        // The phone is locked until it has refused this number of SELECT commands.
        guard refusedSelects >= wallet.lockedSelects else {
            refusedSelects += 1
            return respond(.notFound)
        }
        // A phone that engages by a QR code has no NDEF tag application.
        if command.data.elementsEqual(ApplicationIdentifier.ndefTag.bytes), kind != .qr {
            return beginEngagement()
        }
        if command.data.elementsEqual(ApplicationIdentifier.mdocDataTransfer.bytes) {
            return beginTransfer()
        }
        if command.data.elementsEqual(ApplicationIdentifier.mdocNFCVersion2.bytes),
            var version2 = wallet.profile.version2
        {
            var behaviour = behaviour
            wallet.version2Fault?.apply(to: &behaviour, &version2)
            return beginVersion2(behaviour, version2)
        }
        return respond(.notFound)
    }

    /// Begins NFC v2 with a new ephemeral key.
    ///
    /// - Returns: a refusal, or nil if the application itself answers the SELECT.
    private mutating func beginVersion2(
        _ behaviour: NFCHolderBehaviour, _ version2: NFCVersion2Behaviour
    ) -> Answer? {
        engagement = nil
        session = nil
        engagements += 1
        // No key could be made, which a card can report only by a status word.
        guard let key = try? wallet.eDeviceKey(engagements) else { return respond(.unknownError) }
        let holder = NFCVersion2Holder(behaviour, version2) { [wallet] methods in
            wallet.version2Engagement(key, methods)
        }
        application = .version2(holder, key)
        return nil
    }

    /// Begins an engagement with a new ephemeral key.
    ///
    /// - Returns: a refusal, or nil if the application itself answers the SELECT.
    private mutating func beginEngagement() -> Answer? {
        engagement = nil
        session = nil
        engagements += 1
        // No key could be made, which a card can report only by a status word.
        guard let key = try? wallet.eDeviceKey(engagements),
            let content = try? wallet.nfcContent(engagements, key)
        else { return respond(.unknownError) }
        application = .engagement(NFCEngagementHolder(behaviour, content: content), content, key)
        return nil
    }

    /// Begins the data transfer of this tap's engagement.
    ///
    /// - Returns: a refusal, or nil if the application itself answers the SELECT.
    private mutating func beginTransfer() -> Answer? {
        guard let carrier = wallet.profile.nfcCarrier, let engagement else { return respond(.notFound) }
        session = WalletSession(wallet, engagement: engagement)
        application = .transfer(NFCTransferHolder(behaviour, carrier: carrier))
        return nil
    }

    // MARK: Data transfer

    /// Answers a command of mdoc data transfer, which carries the messages of the session.
    private mutating func transfer(
        _ command: ArraySlice<UInt8>, to holder: inout NFCTransferHolder, now: ContinuousClock.Instant
    ) -> Answer {
        switch holder.answer(command) {
        case .respond(let answer): return answer.isEmpty ? .remove : .respond(answer)
        case .message(let message):
            switch session?.receive(message[...]) {
            case .send(let reply, let delay)?, .sendLast(let reply, let delay)?:
                let answer = holder.reply(reply[...])
                let delay = wallet.cardFault?.delay ?? delay
                return delay == .zero ? .respond(answer) : .respondAt(answer, now + delay)
            // The session has ended, so the answer is the status word 9000 without data.
            case .end?, nil: return respond(.success)
            }
        }
    }

    /// Answers a command of NFC v2, in which the handover and the session are in one application.
    private mutating func version2(
        _ command: ArraySlice<UInt8>, to holder: inout NFCVersion2Holder, _ key: COSEKeyPair,
        now: ContinuousClock.Instant
    ) -> Answer {
        switch holder.answer(command) {
        case .respond(let answer): return answer.isEmpty ? .remove : .respond(answer)
        case .engaged(let answer, let handover):
            var engaged = WalletEngagement(
                number: engagements, deviceEngagement: handover.deviceEngagement,
                handover: .nfcVersion2(select: handover.select, request: handover.request), eDeviceKey: key)
            // Bluetooth may continue the session that begins here over NFC, so the engagement contains the
            // session.
            engaged.session = SharedWalletSession(wallet, engaged)
            engagement = engaged
            session = WalletSession(wallet, engagement: engaged)
            return .respond(answer)
        case .message(let message):
            switch session?.receive(message[...]) {
            case .send(let reply, let delay)? where wallet.version2Fault != .endsRequest,
                .sendLast(let reply, let delay)? where wallet.version2Fault != .endsRequest:
                let answer = holder.reply(reply[...])
                let delay = wallet.cardFault?.delay ?? restOfConsent(delay, now: now)
                return delay == .zero ? .respond(answer) : .respondAt(answer, now + delay)
            case .send?, .sendLast?, .end?, nil:
                // An empty message ends the session of NFC v2. The consent is therefore forgotten, and a
                // later tap asks the holder again.
                consent = nil
                return .respond(holder.reply([]))
            }
        }
    }

    /// Returns the time until the holder has decided. If an earlier tap brought the same request, returns the
    /// rest of that tap's delay. Otherwise returns `delay`.
    private mutating func restOfConsent(_ delay: Duration, now: ContinuousClock.Instant) -> Duration {
        guard let request = deviceRequest else { return delay }
        if let left = consent?.delay(of: request, now: now) { return left }
        consent = RememberedConsent(request, after: delay, now: now)
        return delay
    }

    private func respond(_ status: StatusWord) -> Answer {
        .respond(ResponseAPDU(status: status).encode())
    }
}

extension Wallet {
    /// Returns the behaviour over NFC, with the card fault applied.
    fileprivate func behaviour(_ kind: HandoverKind) throws(WalletError) -> NFCHolderBehaviour {
        // After a QR code only data transfer is over NFC. The phone's limits are then the limits of the first
        // NFC handover in its profile.
        let own = profile.behaviours[kind == .qr ? profile.nfcHandovers.first ?? kind : kind]
        guard var behaviour = own else { throw .handoverNotInProfile(kind) }
        cardFault?.apply(to: &behaviour)
        return behaviour
    }

    /// Makes the engagement of a QR code. Returns nil for a handover over NFC, whose engagement is made
    /// during the tap.
    fileprivate func qrEngagement(_ number: Int, if kind: HandoverKind) throws(WalletError)
        -> WalletEngagement?
    {
        kind == .qr ? try qrEngagement(number, eDeviceKey(number)) : nil
    }
}

extension CommandAPDU {
    /// Whether the command selects an application by its name. P1 is then 04 (ISO/IEC 7816-4).
    fileprivate var isSelectByName: Bool { ins == Instruction.select && p1 == 0x04 }
}

/// A request of an NFC v2 tap, and the instant at which the holder has decided. If the next tap brings the
/// same request, the holder is not asked again (draft of the second edition).
struct RememberedConsent: Sendable {
    private let request: RequestStructure
    private let decided: ContinuousClock.Instant

    /// Creates the record of a request. Returns nil if the request cannot be decoded.
    init?(_ request: [UInt8], after delay: Duration, now: ContinuousClock.Instant) {
        guard let request = RequestStructure(request) else { return nil }
        self.request = request
        decided = now + delay
    }

    /// Returns the time that is left until the decision. Returns nil if `request` differs in structure, so
    /// that the holder has to be asked again.
    func delay(of request: [UInt8], now: ContinuousClock.Instant) -> Duration? {
        guard RequestStructure(request) == self.request else { return nil }
        return max(.zero, now.duration(to: decided))
    }
}

/// The parts of a request that must be equal if one consent is to apply to two requests. The signatures and
/// their certificates are left out, because they are new for each transcript.
private struct RequestStructure: Equatable, Sendable {
    private let version: String
    private let information: [UInt8]?
    private let documents: [[UInt8]]
    /// The protected header of readerAuth of each document. Nil for a document without readerAuth.
    private let readerAuth: [[UInt8]?]
    /// The protected headers of readerAuthAll.
    private let readerAuthAll: [[UInt8]]

    init?(_ bytes: [UInt8]) {
        guard let request = try? DeviceRequest(bytes[...]) else { return nil }
        version = request.version
        information = request.deviceRequestInfoBytes.map { Array($0.bytes) }
        documents = request.docRequests.map { Array($0.itemsRequestBytes.bytes) }
        readerAuth = request.docRequests.map { $0.readerAuth.map(Self.protected) }
        readerAuthAll = request.readerAuthAll.map(Self.protected)
    }

    /// Returns the protected header of a COSE_Sign1.
    private static func protected(_ item: CBORItem) -> [UInt8] {
        // Tag 18 marks a COSE_Sign1. The protected header is its first field.
        var fields = (try? item.untagged(18).array())?.makeIterator()
        return fields?.next().map { Array($0.encoded) } ?? []
    }
}
