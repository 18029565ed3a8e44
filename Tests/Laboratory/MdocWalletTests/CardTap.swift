import COSE
import MdocModel
import MdocSession
import MdocTrust
import MdocVerification
import MdocWallet
import NDEF
import OpenSSLCrypto
import PKIX

/// A reader in memory, and the phone in its field: one tap from the first SELECT to the response.
struct CardTap {
    enum Outcome {
        case response([UInt8], SessionTranscript, COSEKeyPair)
        case nfc(NFCEndReason)
        case session(SessionEnd)
    }

    static let short = NFCReaderLimits.short
    static let extended = NFCReaderLimits(
        maximumCommandData: 65_535, maximumResponseData: 65_536, extendedLength: true)

    var limits = CardTap.extended
    var offersBluetooth = true
    var now = ContinuousClock.now
    /// Every command that was sent.
    var commands: [[UInt8]] = []
    /// What the engagement yielded.
    var handover: NFCHandover?

    /// What ended engagement or transfer.
    private struct Ended: Error { let reason: NFCEndReason }

    mutating func run(_ card: inout WalletCard, deviceRequest: [UInt8]) throws -> Outcome {
        do {
            return try present(deviceRequest, to: &card)
        } catch let ended as Ended {
            return .nfc(ended.reason)
        }
    }

    private mutating func present(_ deviceRequest: [UInt8], to card: inout WalletCard) throws -> Outcome {
        let engagement: DeviceEngagement
        let kind: Handover
        let carrier: NFCCarrier
        if let shown = card.engagement, case .qr = shown.handover {
            engagement = try DeviceEngagement(EngagementURI.deviceEngagement(in: shown.uri)[...])
            (kind, carrier) = (.qr, engagement.nfcCarrier)
        } else {
            let uuid = offersBluetooth ? BluetoothUUID([UInt8](repeating: 7, count: 16)[...]) : nil
            var reader = NFCEngagementReader(
                limits: limits,
                offer: NFCOffer(
                    bluetoothLE: uuid.map { .init(serviceUUID: $0, role: .bothCentralPreferred) },
                    nfc: limits.carrier))
            let handover = try exchange(reader.start(now: now), with: &card) {
                reader.receive($0, now: $1)
            } expire: {
                reader.expire(now: $0)
            }
            self.handover = handover
            engagement = try DeviceEngagement(handover.deviceEngagement)
            kind = .nfc(select: handover.handoverSelect, request: handover.handoverRequest)
            carrier = handover.nfcCarrier ?? NFCCarrier()
        }
        return try transfer(&card, engagement, kind, carrier, deviceRequest)
    }

    private mutating func transfer(
        _ card: inout WalletCard, _ engagement: DeviceEngagement, _ handover: Handover, _ carrier: NFCCarrier,
        _ deviceRequest: [UInt8]
    ) throws -> Outcome {
        let key = COSEKeyPair(try PrivateKey.generate(engagement.eDeviceKey.curve))
        var session = try ReaderSession(engagement: engagement, handover: handover, eReaderKey: key)
        guard case .transmit(let message, _) = try session.send(deviceRequest[...], now: now) else {
            throw UnexpectedAction()
        }
        var reader = NFCTransferReader(limits: limits, carrier: carrier)
        let selection = try exchange(reader.start(now: now), with: &card) {
            reader.receive($0, now: $1)
        } expire: {
            reader.expire(now: $0)
        }
        guard selection == .selected else { throw UnexpectedAction() }
        let delivery = try exchange(reader.send(message[...], now: now), with: &card) {
            reader.receive($0, now: $1)
        } expire: {
            reader.expire(now: $0)
        }
        guard case .message(let answer) = delivery else { throw UnexpectedAction() }
        switch session.receive(answer[...], now: now) {
        case .deliver(let response, _): return .response(response, session.transcript, key)
        case .end(let end, _): return .session(end)
        case .transmit: throw UnexpectedAction()
        }
    }

    /// What the machine delivers.
    private mutating func exchange<Delivery>(
        _ first: NFCAction<Delivery>, with card: inout WalletCard,
        receive: (ArraySlice<UInt8>, ContinuousClock.Instant) -> NFCAction<Delivery>,
        expire: (ContinuousClock.Instant) -> NFCAction<Delivery>
    ) throws(Ended) -> Delivery {
        var action = first
        while true {
            switch action {
            case .transmit(let command):
                commands.append(command)
                switch card.answer(command[...], now: now) {
                case .respond(let answer): action = receive(answer[...], now)
                case .respondAt(let answer, let instant):
                    now = instant
                    action = receive(answer[...], now)
                case .remove: action = receive([], now)
                }
            case .wait(let until):
                now = until
                action = expire(now)
            case .deliver(let delivery): return delivery
            case .end(let reason): throw Ended(reason: reason)
            }
        }
    }
}

extension DeviceEngagement {
    fileprivate var nfcCarrier: NFCCarrier {
        for case .nfc(let command, let response) in retrievalMethods {
            return NFCCarrier(maximumCommandData: command, maximumResponseData: response)
        }
        return NFCCarrier()
    }
}

extension NFCHandover {
    fileprivate var nfcCarrier: NFCCarrier? {
        for case .nfc(let carrier) in carriers { return carrier }
        return nil
    }
}

/// A phone with an issued licence, and what a reader needs to judge its answers.
struct Counter {
    static let now = WrittenCase.now
    var presented: PresentedWallet

    /// With keys of its own each time, as in use.
    init(_ presentation: PresentationCase = PresentationCase("card")) throws {
        presented = try PresentedWallet(presentation, entropy: .openSSL, at: Self.now)
        presented.wallet.profile = presentation.profile.addingNFCCarrier()
    }

    func verdict(
        _ response: [UInt8], _ transcript: SessionTranscript, _ key: COSEKeyPair,
        _ rules: VerificationRules = .strict
    ) throws -> Judgement {
        let anchor = try TrustAnchor(Certificate(der: presented.issuer.root[...]))
        return try UnverifiedResponse(response[...]).verify(
            in: VerificationContext(
                transcript: transcript, comparison: .requested(presented.requests), readerKey: key,
                trust: TrustStore(anchors: [anchor]), now: Self.now,
                policy: VerificationPolicy(rules: rules))
        )
    }

    /// Taps once and gives the verified response; throws where there is none.
    func verified(_ tap: inout CardTap, _ card: inout WalletCard) throws -> VerifiedResponse {
        let outcome = try tap.run(&card, deviceRequest: presented.deviceRequest)
        guard case .response(let response, let transcript, let key) = outcome,
            case .verified(let verified) = try verdict(response, transcript, key)
        else { throw UnexpectedAction() }
        return verified
    }
}
