internal import CBOR
internal import COSE
internal import ISO7816
package import MdocModel
internal import MdocSession
internal import NDEF

/// The phone as a card in the reader's field: NFC engagement, NFC data transfer, session and holder in one value.
package struct WalletCard: ~Copyable, Sendable {
    package enum Answer: Equatable, Sendable {
        /// Answer the command with these bytes.
        case respond([UInt8])
        /// Answer in the same way, but not before this instant: the person is deciding (Q54).
        case respondAt([UInt8], ContinuousClock.Instant)
        /// Take the card out of the field without an answer.
        case remove
    }

    private let wallet: Wallet
    private let kind: HandoverKind
    private let behaviour: NFCHolderBehaviour
    private var application = Application.none
    /// The engagement of this tap, with the handover messages as they were exchanged, from the moment the last byte
    /// of the Handover Select was read; a QR code's is there from the beginning.
    package private(set) var engagement: WalletEngagement?
    private var session: WalletSession?
    private var engagements = 0
    private var refusedSelects = 0
    /// What an NFC v2 tap asked the holder; it outlasts the tap.
    private var consent: RememberedConsent?

    private enum Application: Sendable {
        case none
        case engagement(NFCEngagementHolder, NFCHolderContent, COSEKeyPair)
        case transfer(NFCTransferHolder)
        case version2(NFCVersion2Holder, COSEKeyPair)
    }

    /// A phone that engages in this way. With `.qr` it does so by its `engagement`, and only the transfer is by NFC.
    package init(_ wallet: Wallet, handover kind: HandoverKind) throws(WalletError) {
        let behaviour = try wallet.behaviour(kind)
        let engagement = try wallet.qrEngagement(1, if: kind)
        self.wallet = wallet
        self.kind = kind
        self.behaviour = behaviour
        self.engagement = engagement
    }

    /// The request that came last in this tap, decrypted.
    package var deviceRequest: [UInt8]? {
        switch session {
        case let session?: session.deviceRequest
        case nil: nil
        }
    }

    /// The status with which the reader ended the session of this tap, once it has.
    package var readerStatus: SessionStatus? {
        switch session {
        case let session?: session.readerStatus
        case nil: nil
        }
    }

    /// The phone comes into the field: nothing of an earlier tap is left (Q2), but for the QR code it still shows.
    package mutating func insert() {
        application = .none
        session = nil
        if kind != .qr { engagement = nil }
    }

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

    /// Makes the named application the current one; refuses if it does not exist.
    private mutating func select(_ command: CommandAPDU) -> Answer? {
        application = .none
        guard refusedSelects >= wallet.lockedSelects else {
            refusedSelects += 1
            return respond(.notFound)
        }
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

    private mutating func beginVersion2(
        _ behaviour: NFCHolderBehaviour, _ version2: NFCVersion2Behaviour
    ) -> Answer? {
        engagement = nil
        session = nil
        engagements += 1
        guard let key = try? wallet.eDeviceKey(engagements) else { return respond(.unknownError) }
        let holder = NFCVersion2Holder(behaviour, version2) { [wallet] methods in
            wallet.version2Engagement(key, methods)
        }
        application = .version2(holder, key)
        return nil
    }

    /// A fresh key for each engagement.
    private mutating func beginEngagement() -> Answer? {
        engagement = nil
        session = nil
        engagements += 1
        guard let key = try? wallet.eDeviceKey(engagements),
            let content = try? wallet.nfcContent(engagements, key)
        else { return respond(.unknownError) }
        application = .engagement(NFCEngagementHolder(behaviour, content: content), content, key)
        return nil
    }

    private mutating func beginTransfer() -> Answer? {
        guard let carrier = wallet.profile.nfcCarrier, let engagement else { return respond(.notFound) }
        session = WalletSession(wallet, engagement: engagement)
        application = .transfer(NFCTransferHolder(behaviour, carrier: carrier))
        return nil
    }

    // MARK: Data transfer

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
            case .end?, nil: return respond(.success)
            }
        }
    }

    /// Handover and session in one application.
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
            engaged.session = SharedWalletSession(wallet, engaged)
            engagement = engaged
            session = WalletSession(wallet, engagement: engaged)
            return .respond(answer)
        case .message(let message):
            switch session?.receive(message[...]) {
            case .send(let reply, let delay)? where wallet.version2Fault != .endsRequest,
                .sendLast(let reply, let delay)? where wallet.version2Fault != .endsRequest:
                let answer = holder.reply(reply[...])
                let delay = wallet.cardFault?.delay ?? remembered(delay, now)
                return delay == .zero ? .respond(answer) : .respondAt(answer, now + delay)
            case .send?, .sendLast?, .end?, nil:
                consent = nil
                return .respond(holder.reply([]))
            }
        }
    }

    /// What is left of the time for consent, where a tap before this one brought the same request.
    private mutating func remembered(_ delay: Duration, _ now: ContinuousClock.Instant) -> Duration {
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
    /// How this phone behaves over NFC, with its fault.
    fileprivate func behaviour(_ kind: HandoverKind) throws(WalletError) -> NFCHolderBehaviour {
        let own = profile.behaviours[kind == .qr ? profile.nfcHandovers.first ?? kind : kind]
        guard var behaviour = own else { throw .handoverNotInProfile(kind) }
        cardFault?.apply(to: &behaviour)
        return behaviour
    }

    /// The engagement that is there before the phone comes into the field.
    fileprivate func qrEngagement(_ number: Int, if kind: HandoverKind) throws(WalletError)
        -> WalletEngagement?
    {
        kind == .qr ? try qrEngagement(number, eDeviceKey(number)) : nil
    }
}

extension CommandAPDU {
    fileprivate var isSelectByName: Bool { ins == Instruction.select && p1 == 0x04 }
}

/// What the holder of an NFC v2 phone was asked in a tap, and when the decision is there: the next tap may bring the
/// same request (draft of the second edition).
struct RememberedConsent: Sendable {
    private let request: RequestStructure
    private let decided: ContinuousClock.Instant

    /// Nil for a request that cannot be decoded.
    init?(_ request: [UInt8], after delay: Duration, now: ContinuousClock.Instant) {
        guard let request = RequestStructure(request) else { return nil }
        self.request = request
        decided = now + delay
    }

    /// What is left of the time for the decision, where this request is structurally equal; nil if it has to be asked
    /// again.
    func delay(of request: [UInt8], now: ContinuousClock.Instant) -> Duration? {
        guard RequestStructure(request) == self.request else { return nil }
        return max(.zero, now.duration(to: decided))
    }
}

/// What two requests must have in common for one consent: all but the signatures and their certificates, which are made
/// for each transcript again.
private struct RequestStructure: Equatable, Sendable {
    private let version: String
    private let information: [UInt8]?
    private let documents: [[UInt8]]
    /// The protected headers of readerAuth of each document, and of readerAuthAll.
    private let readerAuth: [[UInt8]?]
    private let readerAuthAll: [[UInt8]]

    init?(_ bytes: [UInt8]) {
        guard let request = try? DeviceRequest(bytes[...]) else { return nil }
        version = request.version
        information = request.deviceRequestInfoBytes.map { Array($0.bytes) }
        documents = request.docRequests.map { Array($0.itemsRequestBytes.bytes) }
        readerAuth = request.docRequests.map { $0.readerAuth.map(Self.protected) }
        readerAuthAll = request.readerAuthAll.map(Self.protected)
    }

    /// The protected header of a COSE_Sign1.
    private static func protected(_ item: CBORItem) -> [UInt8] {
        var fields = (try? item.untagged(18).array())?.makeIterator()
        return fields?.next().map { Array($0.encoded) } ?? []
    }
}
