import NDEF
import Testing
import VectorFiles

@Suite("Bluetooth UUIDs")
struct BluetoothUUIDTests {
    @Test(
        "Q87 A 16-bit UUID stands for one of 128 bits, and comes back from it",
        arguments: [0, 1, 0x180f, 0xffff])
    func expansion(shortForm: UInt16) throws {
        let uuid = BluetoothUUID(expanding: shortForm)
        let number = [UInt8(shortForm >> 8), UInt8(truncatingIfNeeded: shortForm)].hex
        #expect(uuid.description == "0000\(number)-0000-1000-8000-00805f9b34fb")
        #expect(uuid.shortForm == shortForm)
    }

    @Test("Q87 One bit off the base there is no 16-bit form", arguments: 0..<128)
    func noShortForm(bit: Int) throws {
        var bytes = BluetoothUUID(expanding: 0x180f).bytes
        bytes[bit / 8] ^= 0x80 >> UInt8(bit % 8)
        let uuid = try #require(BluetoothUUID(bytes))
        let isInShortForm = (16..<32).contains(bit)
        #expect((uuid.shortForm != nil) == isInShortForm)
    }

    @Test("A UUID of two halves is the one of their bytes")
    func halves() {
        let uuid = BluetoothUUID(high: 0x0001_0203_0405_0607, low: 0x0809_0a0b_0c0d_0e0f)
        #expect(uuid == BluetoothUUID([UInt8](0...15)))
    }
}
