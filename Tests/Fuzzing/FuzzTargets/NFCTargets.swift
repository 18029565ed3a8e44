internal import ISO7816
internal import MdocModel
internal import MdocSession
internal import NDEF

/// More turns than the budgets of any machine allow.
private let turnLimit = 40_000

/// An ended machine answers everything with its end.
private func demandEnd<Action: Equatable>(_ end: Action, _ again: Action...) {
    demand(again.allSatisfy { $0 == end }, "an ended machine goes on")
}

/// The reader's engagement machine against a phone that answers anything.
func fuzzNFCEngagement(_ input: ArraySlice<UInt8>) {
    let choice = input.first ?? 0
    var script = MessageScript(input.dropFirst())
    var settings = NFCEngagementSettings()
    settings.readsExtended = choice & 1 != 0
    settings.mergesWrites = choice & 2 != 0
    settings.acceptsUnofferedCarriers = choice & 4 != 0
    var reader = NFCEngagementReader(
        limits: choice & 8 != 0 ? .roomy : .short, offer: .everything, settings: settings)
    var now = ContinuousClock.Instant.now
    var action = reader.start(now: now)
    for _ in 0..<turnLimit {
        switch action {
        case .transmit(let command):
            demand((try? CommandAPDU.parse(command[...])) != nil, "bytes that are no command APDU")
            action = reader.receive(script.next(), now: now)
        case .wait(let until):
            demand(until > now, "a wait that is over")
            now = until
            action = reader.expire(now: now)
        case .deliver(let handover):
            demand(!handover.deviceEngagement.isEmpty && !handover.carriers.isEmpty, "an empty handover")
            let message = try? NDEFMessage.parse(handover.handoverSelect[...])
            demand(message != nil, "a handover of a message that is none")
            action = reader.receive(script.next(), now: now)
            guard case .end = action else { fatalError("a machine goes on after its handover") }
            return
        case .end:
            return demandEnd(
                action, reader.receive([0x90, 0x00], now: now), reader.expire(now: now),
                reader.start(now: now))
        }
    }
    fatalError("the engagement does not end")
}

/// The reader's data transfer machine against a phone that answers anything.
func fuzzNFCTransfer(_ input: ArraySlice<UInt8>) {
    let choice = input.first ?? 0
    var script = MessageScript(input.dropFirst())
    var settings = NFCTransferSettings()
    settings.maximumMessageSize = 1 << 16
    var reader = NFCTransferReader(
        limits: choice & 1 != 0 ? .roomy : .short,
        carrier: NFCCarrier(
            maximumCommandData: 255 << (choice >> 4), maximumResponseData: 256 << (choice >> 4)),
        settings: settings)
    let now = ContinuousClock.Instant.now
    let request = [UInt8](repeating: 0x5a, count: Int(choice) << 4)
    var sends = 0
    var action = reader.start(now: now)
    for _ in 0..<turnLimit {
        switch action {
        case .transmit(let command):
            demand(command.count <= settings.maximumAPDU, "a command beyond the limit")
            demand((try? CommandAPDU.parse(command[...])) != nil, "bytes that are no command APDU")
            action = reader.receive(script.next(), now: now)
        case .wait: fatalError("a transfer waits for nothing")
        case .deliver(let delivery):
            if case .message(let message) = delivery {
                demand(message.count <= settings.maximumMessageSize, "a message beyond the limit")
            }
            sends += 1
            guard sends < 4, !script.isSpent else { return }
            action = reader.send(request[...], now: now)
        case .end:
            return demandEnd(
                action, reader.receive([0x90, 0x00], now: now), reader.expire(now: now),
                reader.start(now: now))
        }
    }
    fatalError("the transfer does not end")
}

/// NFC v2: the reader's engagement and its transfer against a phone that answers anything, and a phone against a reader
/// that sends the same.
func fuzzNFCVersion2(_ input: ArraySlice<UInt8>) {
    let choice = input.first ?? 0
    fuzzVersion2Holder(input.dropFirst())
    var script = MessageScript(input.dropFirst())
    let uuid = choice & 2 != 0 ? BluetoothUUID([UInt8](repeating: 0x11, count: 16)) : nil
    var reader = NFCVersion2EngagementReader(
        limits: choice & 1 != 0 ? .roomy : .short, offer: NFCVersion2Offer(serviceUUID: uuid))
    let now = ContinuousClock.Instant.now
    var action = reader.start(now: now)
    for _ in 0..<turnLimit {
        switch action {
        case .transmit(let command):
            demand((try? CommandAPDU.parse(command[...])) != nil, "bytes that are no command APDU")
            action = reader.receive(script.next(), now: now)
        case .wait: fatalError("an engagement waits for nothing")
        case .deliver(.absent), .end: return
        case .deliver(.engaged(let engaged)):
            if case .bluetoothLE = engaged.choice { demand(uuid != nil, "a choice that was not offered") }
            var transfer = engaged.transfer
            if case .transmit = transfer.send([1, 2, 3], now: now) {
                _ = transfer.receive(script.next(), now: now)
            }
            return
        }
    }
    fatalError("the engagement does not end")
}

private func fuzzVersion2Holder(_ input: ArraySlice<UInt8>) {
    var script = MessageScript(input)
    var holder = NFCVersion2Holder(NFCHolderBehaviour(), NFCVersion2Behaviour()) { _ in [0xa0] }
    while !script.isSpent {
        switch holder.answer(script.next()) {
        case .respond(let answer), .engaged(let answer, _):
            demand(answer.count >= 2, "an answer without a status")
        case .message(let message):
            demand(holder.reply(message[...]).count >= 2, "an answer without a status")
        }
    }
}

/// The phone's two machines against a reader that sends anything.
func fuzzNFCHolder(_ input: ArraySlice<UInt8>) {
    let choice = input.first ?? 0
    var script = MessageScript(input.dropFirst())
    var behaviour = NFCHolderBehaviour()
    behaviour.acceptsExtendedLength = choice & 1 != 0
    behaviour.refusesMergedWrite = choice & 2 != 0
    if choice & 4 != 0 {
        behaviour.handover = .negotiated(
            ServiceParameter(waitingTimeInteger: 0, waitingTimeExtensions: 15, maximumMessageSize: 0xffff))
    }
    var engagement = NFCEngagementHolder(
        behaviour,
        content: NFCHolderContent(
            deviceEngagement: [0xa0], carriers: [.nfc(NFCCarrier()), .bluetoothLE(.phone)]))
    var transfer = NFCTransferHolder(behaviour, carrier: NFCCarrier())
    let now = ContinuousClock.Instant.now
    while !script.isSpent {
        let command = script.next()
        demand(engagement.answer(command, now: now).count >= 2, "an answer without a status")
        switch transfer.answer(command) {
        case .respond(let answer): demand(answer.count >= 2, "an answer without a status")
        case .message(let message):
            demand(transfer.reply(message[...]).count >= 2, "an answer without a status")
        }
    }
}

extension NFCReaderLimits {
    fileprivate static let roomy = NFCReaderLimits(
        maximumCommandData: 65_535, maximumResponseData: 65_536, extendedLength: true)
}

extension NFCOffer {
    fileprivate static let everything = NFCOffer(
        bluetoothLE: BluetoothUUID([UInt8](repeating: 0x11, count: 16)).map {
            NFCOffer.BluetoothLE(serviceUUID: $0, role: .bothCentralPreferred)
        }, nfc: NFCCarrier())
}

extension BluetoothLEOutOfBand {
    fileprivate static let phone = BluetoothLEOutOfBand(
        role: .bothPeripheralPreferred, serviceUUID: BluetoothUUID([UInt8](repeating: 0x22, count: 16)))
}
