import Accessories
import Testing
import VectorFiles

@Suite("The bytes of relay boards")
struct RelayBoardTests {
    private let gpio = RelayBoard.gpio(chip: "gpiochip0", line: 4, isActiveLow: false)
    private let lcus = RelayBoard.lcus(device: "/dev/ttyUSB0")
    private let kmtronic = RelayBoard.kmtronic(device: "/dev/ttyUSB0")
    private let usbRelay = RelayBoard.usbRelay(serial: "HURTM")
    private let hidRelay = RelayBoard.hidRelay(usbPath: "1-1.2")

    private func request(_ board: RelayBoard, _ command: RelayCommand, _ channel: Int) -> RelayRequest? {
        board.request(command, channel: channel, transaction: 1)
    }

    private func reply(
        _ board: RelayBoard, _ hex: String, _ command: RelayCommand, _ channel: Int
    ) throws(RelayFault) -> RelayAnswer {
        try board.reply(OutputSamples.bytes(hex), to: command, channel: channel, transaction: 1)
    }

    // MARK: Serial boards

    @Test("LCUS: A0, contact, state and sum, and no answer")
    func lcusBytes() throws {
        for (command, channel, hex) in [
            (RelayCommand.on, 1, "a00101a2"), (.off, 1, "a00100a1"), (.on, 2, "a00201a3"),
            (.off, 4, "a00400a4"),
        ] {
            let asked = try #require(request(lcus, command, channel))
            #expect(asked.bytes == OutputSamples.bytes(hex))
            #expect(asked.transport == .stream(replyLength: nil))
            #expect(asked.isComplete([]))
            #expect(try reply(lcus, "", command, channel) == .accepted)
        }
        #expect(request(lcus, .read, 1) == nil && request(lcus, .readSingle, 1) == nil && !lcus.canReadBack)
        #expect(throws: RelayFault.replyUnexpected) { try reply(lcus, "00", .read, 1) }
        #expect(lcus.speed == 9600)
    }

    @Test("KMTronic: FF, contact and state; the states of four or eight contacts in one answer")
    func kmtronicBytes() throws {
        #expect(request(kmtronic, .on, 1)?.bytes == [0xff, 1, 1])
        #expect(request(kmtronic, .off, 8)?.bytes == [0xff, 8, 0])
        #expect(request(kmtronic, .off, 1)?.transport == .stream(replyLength: nil))
        #expect(request(kmtronic, .read, 3)?.bytes == [0xff, 9, 0])
        #expect(request(kmtronic, .read, 3)?.transport == .stream(replyLength: 4))
        #expect(request(kmtronic, .read, 5)?.transport == .stream(replyLength: 8))
        #expect(try reply(kmtronic, "00 00 01 00", .read, 3) == .state(isOn: true))
        #expect(try reply(kmtronic, "01 01 00 01", .read, 3) == .state(isOn: false))
        #expect(try reply(kmtronic, "00 00 00 00 00 00 00 01", .read, 8) == .state(isOn: true))
        #expect(throws: RelayFault.channelMissing(5, of: 4)) { try reply(kmtronic, "00000000", .read, 5) }
        #expect(throws: RelayFault.wrongLength(3)) { try reply(kmtronic, "000000", .read, 1) }
        #expect(throws: RelayFault.wrongLength(9)) { try reply(kmtronic, "000000000000000000", .read, 1) }
        #expect(throws: RelayFault.illegalState(2)) { try reply(kmtronic, "00 02 00 00", .read, 1) }
        #expect(kmtronic.canReadBack && kmtronic.speed == 9600)
    }

    @Test("KMTronic: a board with one or two contacts answers for one of them")
    func kmtronicSingle() throws {
        #expect(request(kmtronic, .readSingle, 2)?.bytes == [0xff, 2, 3])
        #expect(request(kmtronic, .readSingle, 2)?.transport == .stream(replyLength: 3))
        #expect(request(kmtronic, .readSingle, 3) == nil)
        #expect(try reply(kmtronic, "ff 02 01", .readSingle, 2) == .state(isOn: true))
        #expect(try reply(kmtronic, "ff 02 00", .readSingle, 2) == .state(isOn: false))
        #expect(throws: RelayFault.wrongChannel(1)) { try reply(kmtronic, "ff 01 00", .readSingle, 2) }
        #expect(throws: RelayFault.illegalState(3)) { try reply(kmtronic, "ff 02 03", .readSingle, 2) }
        #expect(throws: RelayFault.wrongLength(2)) { try reply(kmtronic, "ff 02", .readSingle, 2) }
        #expect(throws: RelayFault.replyUnexpected) { try reply(kmtronic, "fe 02 00", .readSingle, 2) }
    }

    // MARK: HID boards

    @Test("USBRelay: an output report of 8 bytes after its number, and a feature report")
    func usbRelayBytes() throws {
        #expect(request(usbRelay, .on, 1)?.bytes == [0, 0xff, 1, 0, 0, 0, 0, 0, 0])
        #expect(request(usbRelay, .off, 4)?.bytes == [0, 0xfd, 4, 0, 0, 0, 0, 0, 0])
        #expect(request(usbRelay, .on, 1)?.transport == .hidReport)
        #expect(try reply(usbRelay, "", .on, 1) == .accepted)
        let read = try #require(request(usbRelay, .read, 2))
        #expect(read.bytes == [1] && read.transport == .hidFeature(length: 9))
        #expect(request(usbRelay, .readSingle, 1) == nil)
        #expect(usbRelay.speed == nil && usbRelay.canReadBack)
    }

    @Test(
        "USBRelay: the state is read with the report's number in front, and without it",
        arguments: ["48 55 52 54 4d 00 00 05", "00 48 55 52 54 4d 00 00 05", "01 48 55 52 54 4d 00 00 05"])
    func usbRelayState(hex: String) throws {
        for channel in 1...8 {
            let isOn = channel == 1 || channel == 3
            #expect(try reply(usbRelay, hex, .read, channel) == .state(isOn: isOn))
        }
        let report = try USBRelayReport(OutputSamples.bytes(hex))
        #expect(report.serial == "HURTM" && report.isOn(channel: 3) && !report.isOn(channel: 2))
        #expect(!report.isOn(channel: 0) && !report.isOn(channel: 9) && !report.isOn(channel: Int.max))
    }

    @Test("USBRelay: another board and a report of another form are refused")
    func usbRelayRefusals() {
        #expect(throws: RelayFault.wrongSerial) { try reply(usbRelay, "48555254 4e 000005", .read, 1) }
        for (hex, fault) in [
            ("", RelayFault.wrongLength(0)), ("48555254 4d 0000", .wrongLength(7)),
            ("00 48555254 4d 0000", .wrongLength(8)), ("01 48555254 4d 000005 00", .wrongLength(10)),
            ("48 55 00 54 4d 00 00 05", .replyUnexpected), ("00 00 00 00 00 00 00 00 00", .replyUnexpected),
            ("48 55 52 54 20 00 00 05", .replyUnexpected), ("48 55 52 54 80 00 00 05", .replyUnexpected),
        ] {
            #expect(throws: fault) { try reply(usbRelay, hex, .read, 1) }
        }
    }

    @Test("HIDRelay: F0 and the contact, or the contact alone")
    func hidRelayBytes() throws {
        #expect(request(hidRelay, .on, 1)?.bytes == [0, 0xf1])
        #expect(request(hidRelay, .off, 1)?.bytes == [0, 0x01])
        #expect(request(hidRelay, .on, 8)?.bytes == [0, 0xf8])
        #expect(request(hidRelay, .off, 8)?.bytes == [0, 0x08])
        #expect(request(hidRelay, .on, 1)?.transport == .hidReport)
        #expect(request(hidRelay, .read, 1) == nil && !hidRelay.canReadBack)
        #expect(try reply(hidRelay, "", .off, 1) == .accepted)
    }

    // MARK: All boards

    @Test("A GPIO line has no bytes, and is read back")
    func gpioLine() {
        #expect(!gpio.hasProtocol && gpio.canReadBack && gpio.speed == nil)
        #expect(RelayCommand.allCases.allSatisfy { request(gpio, $0, 1) == nil })
        #expect(throws: RelayFault.replyUnexpected) { try reply(gpio, "", .on, 1) }
        #expect([lcus, kmtronic, usbRelay, hidRelay].allSatisfy { $0.hasProtocol })
    }

    @Test(
        "A contact that no board has is never commanded", arguments: [Int.min, -1, 0, 9, 256, 257, Int.max])
    func channels(channel: Int) {
        for board in [gpio, lcus, kmtronic, usbRelay, hidRelay] {
            #expect(RelayCommand.allCases.allSatisfy { request(board, $0, channel) == nil })
            #expect(throws: RelayFault.channelMissing(channel, of: 8)) { try reply(board, "", .on, channel) }
        }
    }

    @Test("The product text names the number of contacts")
    func products() {
        #expect(RelayBoard.channels(product: "USBRelay4") == 4)
        #expect(RelayBoard.channels(product: "www.dcttech.com USBRelay2") == 2)
        for text in [
            "", "USBRelay", "USBRelay0", "USBRelay9", "USBRelay12", "USBRelayX", "USBRelay-1", "USBRelay4 x",
            "HIDRelay2", "usbrelay4", "USBRelay٤",
        ] {
            #expect(RelayBoard.channels(product: text) == nil, "\(text)")
        }
    }

    @Test("A contact that the product lacks, and a product of the other protocol, are refused")
    func productFaults() {
        #expect(usbRelay.fault(product: "USBRelay2", channel: 2) == nil)
        #expect(usbRelay.fault(product: "USBRelay2", channel: 3) == .channelMissing(3, of: 2))
        #expect(usbRelay.fault(product: "USBRelay2", channel: 0) == .channelMissing(0, of: 2))
        #expect(usbRelay.fault(product: "HIDRelay", channel: 1) == .productUnknown)
        #expect(hidRelay.fault(product: "ucreatefun.com HIDRelay", channel: 2) == nil)
        #expect(hidRelay.fault(product: "USBRelay2", channel: 1) == .productUnknown)
        #expect(hidRelay.fault(product: "HIDRelay", channel: 9) == .channelMissing(9, of: 8))
        #expect(lcus.fault(product: "", channel: 1) == nil)
    }

    @Test("Any bytes give an answer or a fault")
    func randomBytes() {
        var random = SplitMix64(seed: 43)
        let boards = [
            kmtronic, usbRelay, .modbusRTU(device: "", speed: 9600, unit: 1, coil: 0),
            .modbusTCP(host: "", port: 502, unit: 1, coil: 0),
        ]
        for _ in 0..<4000 {
            let bytes = (0..<Int.random(in: 0...16, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            for board in boards {
                let answer = try? board.reply(bytes, to: .read, channel: 1, transaction: 1)
                #expect(answer != .accepted)
                _ = try? USBRelayReport(bytes)
            }
        }
    }
}
