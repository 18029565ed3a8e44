import Accessories
import Testing

/// The frames of RTU are checked by an independent calculation of their CRC; `01 05 00 00 FF 00 8C 3A` is
/// also the example in many modules' manuals.
@Suite("A coil of a Modbus unit")
struct ModbusTests {
    private let rtu = RelayBoard.modbusRTU(device: "/dev/ttyUSB0", speed: 19_200, unit: 1, coil: 0)
    private let tcp = RelayBoard.modbusTCP(host: "192.0.2.7", port: 502, unit: 1, coil: 0)

    private func reply(
        _ board: RelayBoard, _ hex: String, _ command: RelayCommand, transaction: UInt16 = 0x1234
    ) throws(RelayFault) -> RelayAnswer {
        try board.reply(OutputSamples.bytes(hex), to: command, channel: 1, transaction: transaction)
    }

    // MARK: RTU

    @Test("RTU: requests with unit and CRC, low byte first")
    func requests() throws {
        for (command, hex, length) in [
            (RelayCommand.on, "01 05 00 00 ff 00 8c 3a", 8), (.off, "01 05 00 00 00 00 cd ca", 8),
            (.read, "01 01 00 00 00 01 fd ca", 6),
        ] {
            let request = try #require(rtu.request(command, channel: 1, transaction: 9))
            #expect(request.bytes == OutputSamples.bytes(hex))
            #expect(request.transport == .stream(replyLength: length))
        }
        let other = RelayBoard.modbusRTU(device: "", speed: 9600, unit: 17, coil: 2752)
        #expect(
            other.request(.on, channel: 1, transaction: 9)?.bytes
                == OutputSamples.bytes("11 05 0a c0 ff 00 8d 4e"))
        #expect(rtu.request(.readSingle, channel: 1, transaction: 9) == nil)
        #expect(rtu.speed == 19_200 && rtu.canReadBack)
    }

    @Test("RTU: an echo confirms, and a state is read")
    func replies() throws {
        #expect(try reply(rtu, "01 05 00 00 ff 00 8c 3a", .on) == .accepted)
        #expect(try reply(rtu, "01 05 00 00 00 00 cd ca", .off) == .accepted)
        #expect(try reply(rtu, "01 01 01 01 90 48", .read) == .state(isOn: true))
        #expect(try reply(rtu, "01 01 01 00 51 88", .read) == .state(isOn: false))
    }

    @Test("RTU: an answer that is not the request's answer is a fault with a name")
    func faults() {
        for (hex, command, fault) in [
            ("", RelayCommand.on, RelayFault.noReply), ("01 05 00 00", .on, .wrongLength(4)),
            ("01 05 00 00 ff 00 8c 3b", .on, .wrongChecksum),
            ("01 05 00 00 fe 00 8c 3a", .on, .wrongChecksum),
            ("01 05 00 00 ff 00 3a 8c", .on, .wrongChecksum), ("02 05 00 00 ff 00 8c 09", .on, .wrongUnit(2)),
            ("01 05 00 00 ff 00 8c 3a", .off, .wrongEcho), ("01 05 00 00 00 00 cd ca", .on, .wrongEcho),
            ("01 05 00 01 ff 00 dd fa", .on, .wrongEcho), ("01 85 02 c3 51", .on, .refused(.illegalAddress)),
            ("01 81 02 c1 91", .read, .refused(.illegalAddress)),
            ("01 81 02 c1 91", .on, .wrongFunction(0x81)),
            ("01 05 00 00 ff 00 8c 3a", .read, .wrongFunction(5)),
            ("01 01 01 01 90 48", .on, .wrongFunction(1)),
            ("01 01 01 ff 11 c8", .read, .illegalState(0xff)),
        ] {
            #expect(throws: fault, "\(hex)") { try reply(rtu, hex, command) }
        }
        let coil10 = RelayBoard.modbusRTU(device: "", speed: 9600, unit: 1, coil: 10)
        #expect(throws: RelayFault.illegalCoilValue(0x1234)) {
            try reply(coil10, "01 05 00 0a 12 34 e0 bf", .on)
        }
    }

    @Test("RTU: an exception is complete before another answer is")
    func completeness() throws {
        let request = try #require(rtu.request(.on, channel: 1, transaction: 1))
        let echo = OutputSamples.bytes("01 05 00 00 ff 00 8c 3a")
        for count in 0..<8 { #expect(!request.isComplete(Array(echo.prefix(count)))) }
        #expect(request.isComplete(echo))
        let exception = OutputSamples.bytes("01 85 02 c3 51")
        for count in 0..<5 { #expect(!request.isComplete(Array(exception.prefix(count)))) }
        #expect(request.isComplete(exception))
    }

    // MARK: TCP

    @Test("TCP: requests with transaction, protocol, length and unit")
    func tcpRequests() throws {
        for (command, hex, length) in [
            (RelayCommand.on, "12 34 00 00 00 06 01 05 00 00 ff 00", 12),
            (.off, "12 34 00 00 00 06 01 05 00 00 00 00", 12),
            (.read, "12 34 00 00 00 06 01 01 00 00 00 01", 10),
        ] {
            let request = try #require(tcp.request(command, channel: 1, transaction: 0x1234))
            #expect(request.bytes == OutputSamples.bytes(hex))
            #expect(request.transport == .stream(replyLength: length))
            #expect(!request.isComplete(Array(repeating: 0, count: length - 1)))
            #expect(request.isComplete(Array(repeating: 0, count: length)))
        }
        let request = try #require(tcp.request(.on, channel: 1, transaction: 1))
        #expect(request.isComplete(OutputSamples.bytes("00 01 00 00 00 03 01 85 02")))
        #expect(!request.isComplete(OutputSamples.bytes("00 01 00 00 00 03 01 85")))
        #expect(tcp.speed == nil && tcp.canReadBack)
    }

    @Test("TCP: an echo confirms, and a state is read")
    func tcpReplies() throws {
        #expect(try reply(tcp, "12 34 00 00 00 06 01 05 00 00 ff 00", .on) == .accepted)
        #expect(try reply(tcp, "12 34 00 00 00 06 01 05 00 00 00 00", .off) == .accepted)
        #expect(try reply(tcp, "12 34 00 00 00 04 01 01 01 01", .read) == .state(isOn: true))
        #expect(try reply(tcp, "12 34 00 00 00 04 01 01 01 00", .read) == .state(isOn: false))
    }

    @Test("TCP: an answer that is not the request's answer is a fault with a name")
    func tcpFaults() {
        for (hex, command, fault) in [
            ("", RelayCommand.on, RelayFault.noReply), ("12 34 00 00 00 06 01", .on, .wrongLength(7)),
            ("12 35 00 00 00 06 01 05 00 00 ff 00", .on, .wrongTransaction),
            ("12 34 00 01 00 06 01 05 00 00 ff 00", .on, .wrongProtocol),
            ("12 34 00 00 00 07 01 05 00 00 ff 00", .on, .wrongLength(12)),
            ("12 34 00 00 00 06 02 05 00 00 ff 00", .on, .wrongUnit(2)),
            ("12 34 00 00 00 06 01 05 00 00 00 00", .on, .wrongEcho),
            ("12 34 00 00 00 06 01 05 00 01 ff 00", .on, .wrongEcho),
            ("12 34 00 00 00 06 01 05 00 00 12 34", .on, .illegalCoilValue(0x1234)),
            ("12 34 00 00 00 06 01 06 00 00 ff 00", .on, .wrongFunction(6)),
            ("12 34 00 00 00 03 01 85 06", .on, .refused(.busy)),
            ("12 34 00 00 00 03 01 85 0b", .on, .refused(.gatewayTargetSilent)),
            ("12 34 00 00 00 03 01 85 2a", .on, .refused(.other(42))),
            ("12 34 00 00 00 02 01 85", .on, .wrongLength(1)),
            ("12 34 00 00 00 04 01 01 01 02", .read, .illegalState(2)),
            ("12 34 00 00 00 04 01 01 02 01", .read, .wrongLength(3)),
            ("12 34 00 00 00 05 01 01 02 01 00", .read, .wrongLength(4)),
        ] {
            #expect(throws: fault, "\(hex)") { try reply(tcp, hex, command) }
        }
    }

    @Test("An echo with one bit changed confirms nothing")
    func mutations() throws {
        for board in [rtu, tcp] {
            for command in [RelayCommand.on, .off] {
                let request = try #require(board.request(command, channel: 1, transaction: 7))
                #expect(
                    try board.reply(request.bytes, to: command, channel: 1, transaction: 7) == .accepted)
                for index in request.bytes.indices {
                    for bit in 0..<8 {
                        var bytes = request.bytes
                        bytes[index] ^= 1 << UInt8(bit)
                        // The place of the bit decides which fault is found first.
                        let fault = #expect(throws: RelayFault.self) {
                            try board.reply(bytes, to: command, channel: 1, transaction: 7)
                        }
                        #expect(fault?.state != .ready)
                    }
                }
            }
        }
    }

    @Test("A missing coil and a missing unit contradict the file; silence does not")
    func states() {
        #expect(RelayFault.refused(.illegalAddress).state == .misconfigured)
        #expect(RelayFault.channelMissing(5, of: 4).state == .misconfigured)
        #expect(RelayFault.wrongSerial.state == .misconfigured)
        #expect(RelayFault.noReply.state == .notAnswering)
        #expect(RelayFault.wrongChecksum.state == .notAnswering)
        #expect(RelayFault.refused(.busy).state == .notAnswering)
    }
}
