import OpenSSLCrypto
import Testing
import VectorFiles

@testable import Accessories

@Suite("OSDP cards")
struct OSDPCardTests {
    /// Calculated apart: even parity, facility, number, odd parity, and zeros up to whole bytes.
    @Test(
        "The bits of H10301 and H10306 have their parities",
        arguments: [
            (26, 77, 21, "26800a80"), (26, 0, 0, "00000040"), (26, 255, 65_535, "7fffffc0"),
            (26, 1, 1, "80800080"),
            (34, 4660, 22_136, "891a2b3c40"), (34, 0, 0, "0000000040"), (34, 65_535, 65_535, "7fffffffc0"),
        ])
    func bits(count: Int, facility: Int, number: Int, expected: String) {
        let card = OSDPCard(bits: count, facility: facility, number: number)
        // Reader 0, format 0, the number of bits.
        #expect(card.rawData?.hex == "0000" + [UInt8(count), 0].hex + expected)
    }

    @Test("Every bit of the card changes a parity, so that the panel finds it")
    func parity() throws {
        let first = try #require(OSDPCard(bits: 26, facility: 77, number: 21).rawData)
        let other = try #require(OSDPCard(bits: 26, facility: 77, number: 20).rawData)
        let difference = zip(first, other).map { ($0 ^ $1).nonzeroBitCount }.reduce(0, +)
        #expect(difference == 2)
    }

    @Test(
        "Another number of bits, and a facility or number that does not fit, is no card",
        arguments: [
            (25, 1, 1), (27, 1, 1), (37, 1, 1), (0, 0, 0), (26, 256, 1), (26, -1, 1), (26, 1, 65_536),
            (26, 1, -1),
            (34, 65_536, 1), (34, 1, 65_536),
        ])
    func refused(count: Int, facility: Int, number: Int) {
        let card = OSDPCard(bits: count, facility: facility, number: number)
        #expect(card.rawData == nil)
        var output = OSDPOutput()
        output.card = card
        #expect(throws: OSDPFault.cardOutOfRange) {
            _ = try OSDPPeripheral(output, valid: .seconds(5), isTrial: false, key: nil)
        }
    }

    @Test("The addresses 0 to 126 are a peripheral's", arguments: [-1, 127, 256])
    func address(address: Int) throws {
        var output = OSDPOutput()
        output.card = OSDPCard(bits: 26, facility: 1, number: 1)
        output.address = 126
        _ = try OSDPPeripheral(output, valid: .seconds(5), isTrial: false, key: nil)
        output.address = address
        #expect(throws: OSDPFault.addressOutOfRange) {
            _ = try OSDPPeripheral(output, valid: .seconds(5), isTrial: false, key: nil)
        }
    }
}

@Suite("OSDP keys")
struct OSDPKeyTests {
    private static func key(_ contents: String) throws -> OSDPKey {
        try OSDPKey(fileContents: [UInt8](contents.utf8)[...])
    }

    @Test(
        "A key of 32 digits is read, with one end of line or none",
        arguments: [
            "6f1c2a93d47be05588a1c3e9f0127d46", "6F1C2A93D47BE05588A1C3E9F0127D46\n",
            "6f1c2a93d47be05588a1c3e9f0127d46\r\n",
        ])
    func read(contents: String) throws {
        var key = try Self.key(contents)
        let isDefault = key.isDefault
        #expect(!isDefault)
        // Calculated apart, for the random bytes b0 to b7.
        var keys = try key.sessionKeys(panelRandom: OSDPPanel.random[...])
        let zero = [UInt8](repeating: 0, count: 16)[...]
        var expected = try AES128(key: SecretBytes(copying: "854bc1a28dfe8e00802e82094bbefdb9".bytes[...]))
        #expect(try keys.encryption.encryptBlock(zero) == expected.encryptBlock(zero))
        expected = try AES128(key: SecretBytes(copying: "be73d0a8fa69d343b1990fac84fc69c8".bytes[...]))
        #expect(try keys.firstMAC.encryptBlock(zero) == expected.encryptBlock(zero))
        expected = try AES128(key: SecretBytes(copying: "39681d70f2b4743545954793ce90a453".bytes[...]))
        #expect(try keys.lastMAC.encryptBlock(zero) == expected.encryptBlock(zero))
    }

    @Test(
        "Anything else is no key",
        arguments: [
            "", "\n", "6f1c2a93d47be05588a1c3e9f0127d4", "6f1c2a93d47be05588a1c3e9f0127d460",
            "6f1c2a93d47be05588a1c3e9f0127d4g", " 6f1c2a93d47be05588a1c3e9f0127d4",
            "6f1c2a93d47be05588a1c3e9f0127d46\n\n",
            "6f 1c 2a 93 d4 7b e0 55 88 a1 c3 e9 f0 12 7d 46",
        ])
    func malformed(contents: String) {
        #expect(throws: OSDPFault.keyMalformed) { _ = try Self.key(contents) }
    }

    @Test("The default key is refused in a file, and exists for installing only")
    func defaultKey() throws {
        #expect(throws: OSDPFault.keyIsDefault) { _ = try Self.key("303132333435363738393a3b3c3d3e3f") }
        #expect(throws: OSDPFault.keyIsDefault) { _ = try Self.key("303132333435363738393A3B3C3D3E3F\n") }
        _ = try Self.key("303132333435363738393a3b3c3d3e3e")
        let key = try OSDPKey.installing()
        let isDefault = key.isDefault
        #expect(isDefault)
    }

    @Test("The texts of the faults have no digit of the key")
    func texts() {
        for fault in [
            OSDPFault.keyMalformed, .keyIsDefault, .addressOutOfRange, .cardOutOfRange, .cryptographyFailed,
        ] {
            #expect(!fault.explanation.isEmpty && !fault.explanation.contains("6f1c"))
        }
    }
}
