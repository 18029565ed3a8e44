import Foundation
import ISO7816
import NDEF
import VectorFiles

@testable import MdocSession

/// A reader and a phone in memory, on a clock of their own: every command takes five milliseconds.
struct NFCTap {
    enum Outcome: Equatable {
        case handover(NFCHandover)
        case ended(NFCEndReason)
        /// The machine asked for more actions than any tap needs.
        case endless
    }

    static let commandTime = Duration.milliseconds(5)

    var reader: NFCEngagementReader
    var holder: NFCEngagementHolder
    var now = ContinuousClock.now
    private(set) var commands: [[UInt8]] = []
    private(set) var waits: [Duration] = []

    init(
        _ behaviour: NFCHolderBehaviour, content: NFCHolderContent = NFCSamples.content(),
        limits: NFCReaderLimits = .short, offer: NFCOffer = NFCSamples.offer,
        settings: NFCEngagementSettings = NFCEngagementSettings()
    ) {
        reader = NFCEngagementReader(limits: limits, offer: offer, settings: settings)
        holder = NFCEngagementHolder(behaviour, content: content)
    }

    mutating func run() -> Outcome {
        var action = reader.start(now: now)
        for _ in 0..<20_000 {
            switch action {
            case .transmit(let command):
                commands.append(command)
                now += Self.commandTime
                let response = holder.answer(command[...], now: now)
                action = reader.receive(response[...], now: now)
            case .wait(let until):
                waits.append(until - now)
                now = max(now, until)
                action = reader.expire(now: now)
            case .deliver(let handover): return .handover(handover)
            case .end(let reason): return .ended(reason)
            }
        }
        return .endless
    }

    /// How many commands of this instruction went out.
    func count(of instruction: UInt8) -> Int {
        commands.count { $0[1] == instruction }
    }
}

extension NFCTap.Outcome {
    var handover: NFCHandover? {
        if case .handover(let handover) = self { handover } else { nil }
    }

    var reason: NFCEndReason? {
        if case .ended(let reason) = self { reason } else { nil }
    }
}

/// A transfer reader and a phone in memory.
struct NFCExchange {
    enum Outcome: Equatable {
        case messages([[UInt8]])
        case ended(NFCEndReason)
        case endless

        var reason: NFCEndReason? { if case .ended(let reason) = self { reason } else { nil } }
    }

    var reader: NFCTransferReader
    var holder: NFCTransferHolder
    var now = ContinuousClock.now
    private(set) var commands: [[UInt8]] = []
    private(set) var responses: [[UInt8]] = []
    /// What the phone received.
    private(set) var received: [[UInt8]] = []

    init(
        _ behaviour: NFCHolderBehaviour = NFCHolderBehaviour(), carrier: NFCCarrier = NFCCarrier(),
        limits: NFCReaderLimits = .short, settings: NFCTransferSettings = NFCTransferSettings()
    ) {
        reader = NFCTransferReader(limits: limits, carrier: carrier, settings: settings)
        holder = NFCTransferHolder(behaviour, carrier: carrier)
    }

    /// Sends each request in turn; the phone answers each with the reply beside it.
    mutating func run(_ pairs: [(request: [UInt8], reply: [UInt8])]) -> Outcome {
        var delivered: [[UInt8]] = []
        var action = reader.start(now: now)
        for _ in 0..<50_000 {
            switch action {
            case .transmit(let command):
                commands.append(command)
                now += NFCTap.commandTime
                let response =
                    switch holder.answer(command[...]) {
                    case .respond(let response): response
                    case .message(let message): take(message, pairs)
                    }
                responses.append(response)
                action = reader.receive(response[...], now: now)
            case .wait: return .endless
            case .deliver(let delivery):
                if case .message(let message) = delivery { delivered.append(message) }
                guard delivered.count < pairs.count else { return .messages(delivered) }
                action = reader.send(pairs[delivered.count].request[...], now: now)
            case .end(let reason): return .ended(reason)
            }
        }
        return .endless
    }

    private mutating func take(
        _ message: [UInt8], _ pairs: [(request: [UInt8], reply: [UInt8])]
    ) -> [UInt8] {
        received.append(message)
        return holder.reply(pairs[received.count - 1].reply[...])
    }
}

/// Carriers, contents and wallet behaviours the tests share.
enum NFCSamples {
    static let uuid = BluetoothUUID([UInt8](hex: "b3d52ac4a1b64b51a22e78ee55ef6eb6"))
    static let otherUUID = BluetoothUUID([UInt8](hex: "00112233445566778899aabbccddeeff"))
    static let nfc = NFCCarrier(maximumCommandData: 0xffff, maximumResponseData: 0x10000)
    static let extended = NFCReaderLimits(
        maximumCommandData: 65_535, maximumResponseData: 65_536, extendedLength: true)

    static let offer = offer(role: .bothCentralPreferred)

    static func offer(role: BluetoothLERole?, nfc: NFCCarrier? = nfc) -> NFCOffer {
        NFCOffer(
            bluetoothLE: role.flatMap { role in uuid.map { .init(serviceUUID: $0, role: role) } }, nfc: nfc)
    }

    static func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    static func bluetooth(
        _ role: BluetoothLERole, uuid: BluetoothUUID? = otherUUID
    ) -> HandoverCarrier {
        .bluetoothLE(BluetoothLEOutOfBand(role: role, serviceUUID: uuid))
    }

    static func content(
        engagement count: Int = 88,
        carriers: [HandoverCarrier] = [bluetooth(.bothCentralPreferred), .nfc(nfc)]
    ) -> NFCHolderContent {
        NFCHolderContent(deviceEngagement: bytes(count), carriers: carriers)
    }

    static func negotiated(
        waitingTime: UInt8 = 16, maximumMessageSize: UInt16 = 0xffff, others: [ServiceParameter] = []
    ) -> NFCHolderBehaviour.Handover {
        .negotiated(
            ServiceParameter(
                waitingTimeInteger: waitingTime, waitingTimeExtensions: 15,
                maximumMessageSize: maximumMessageSize), otherServices: others)
    }

    static func behaviour(
        _ change: (inout NFCHolderBehaviour) -> Void = { _ in }
    ) -> NFCHolderBehaviour {
        var behaviour = NFCHolderBehaviour()
        change(&behaviour)
        return behaviour
    }

    static func negotiatedBehaviour(
        _ change: (inout NFCHolderBehaviour) -> Void = { _ in }
    ) -> NFCHolderBehaviour {
        behaviour {
            $0.handover = negotiated()
            change(&$0)
        }
    }

    /// The wallet rows of the field and the peculiarities that can be combined with a complete handover.
    static let behaviours: [(name: String, behaviour: NFCHolderBehaviour)] = [
        ("multipaz, static", behaviour()),
        (
            "Samsung",
            behaviour {
                $0.writeAccess = 0xff
                $0.recordOrder = .carriersFirst
                $0.foreignAdvertisingData = [UInt8](hex: "0319c003 06095068 6f6e65")
            }
        ),
        (
            "Apple",
            behaviour {
                $0.handover = negotiated(waitingTime: 20, maximumMessageSize: 0x0800)
                ($0.maximumResponseData, $0.maximumCommandData, $0.maximumFileSize) = (0x0400, 0x0400, 0x7fff)
                $0.unready = .init(initialMessage: 0, serviceStatus: 0, handoverSelect: 7)
                $0.recordOrder = .carriersFirst
                $0.readsZerosPastEnd = true
                $0.enforcesWaitingTime = true
            }
        ),
        (
            "Google",
            negotiatedBehaviour {
                $0.repeatsServiceUUID = true
                $0.enforcesWaitingTime = true
            }
        ),
        ("multipaz, negotiated", behaviour { $0.handover = negotiated(waitingTime: 0) }),
        ("tiny MLe", behaviour { $0.maximumResponseData = 15 }),
        ("tiny MLe, negotiated", negotiatedBehaviour { $0.maximumResponseData = 15 }),
        ("partial answers", negotiatedBehaviour { $0.maximumAnswer = 7 }),
        ("one byte an answer", behaviour { $0.maximumAnswer = 1 }),
        ("direct access applet", behaviour { ($0.maximumResponseData, $0.maximumCommandData) = (261, 261) }),
        ("small MLc", negotiatedBehaviour { $0.maximumCommandData = 13 }),
        ("merged write refused", negotiatedBehaviour { $0.refusesMergedWrite = true }),
        ("no extended APDUs", negotiatedBehaviour { $0.acceptsExtendedLength = false }),
        (
            "slow at all three places",
            negotiatedBehaviour {
                $0.unready = .init(initialMessage: 5, serviceStatus: 4, handoverSelect: 99)
            }
        ),
        ("slow at the start, static", behaviour { $0.unready.initialMessage = 99 }),
        ("NFC carrier as media", negotiatedBehaviour { $0.sendsNFCCarrierAsMedia = true }),
        (
            "several services",
            behaviour {
                $0.handover = negotiated(others: [
                    ServiceParameter(
                        serviceName: Array("urn:nfc:sn:other".utf8)[...], waitingTimeInteger: 63,
                        waitingTimeExtensions: 0, maximumMessageSize: 10)
                ])
            }
        ),
    ]
}
