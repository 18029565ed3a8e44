import Testing
import Transport

@testable import PCSCTransport

@Suite("Commands that readers carry out themselves")
struct ReaderCommandsTests {
    private static let models = [0x2200, 0x223b, 0x223e, 0x2303, 0x2308].map {
        USBIdentity(vendor: 0x072f, product: UInt16($0))
    }

    @Test("Q213 Each is one APDU whose length is that of its data, and one of a model's has the frame")
    func shapes() throws {
        for model in Self.models {
            let commands = try #require(ReaderCommands.of(model)).pollingFrame
            #expect(commands.allSatisfy { $0[0] == 0xff && Int($0[4]) == $0.count - 5 }, "\(model)")
            #expect(commands.count { $0.contains([0x6a, 0x02, 0x81, 0x03, 0x00, 0x00]) } == 1, "\(model)")
        }
    }

    @Test("Q213 Where the chip adds no checksum the frame has that of ISO/IEC 14443-3, type A")
    func checksum() throws {
        let frame = try #require(ReaderCommands.of(Self.models[0])?.pollingFrame.last?.suffix(8))
        var checksum: UInt16 = 0x6363
        for byte in frame.dropLast(2) {
            var bits = byte ^ UInt8(checksum & 0xff)
            bits ^= bits << 4
            checksum = checksum >> 8 ^ UInt16(bits) << 8 ^ UInt16(bits) << 3 ^ UInt16(bits) >> 4
        }
        #expect(Array(frame.suffix(2)) == [UInt8(checksum & 0xff), UInt8(checksum >> 8)])
    }

    @Test(
        "Q126 Q137 A model whose firmware was seen to suffer from such commands, and one that is unknown, have none"
    )
    func none() {
        #expect(ReaderCommands.of(USBIdentity(vendor: 0x072f, product: 0x221a)) == nil)
        #expect(ReaderCommands.of(USBIdentity(vendor: 0x076b, product: 0x5022)) == nil)
    }
}
