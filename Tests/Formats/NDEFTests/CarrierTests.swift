import NDEF
import Testing
import VectorFiles

@Suite("Carrier records")
struct CarrierTests {
    static let uuidBytes = [UInt8](0x00...0x0f)

    private func parse(_ hex: String) throws -> BluetoothLEOutOfBand {
        try BluetoothLEOutOfBand.parse([UInt8](hex: hex)[...])
    }

    @Test(
        "Q33 What a role means depends on who sends it",
        arguments: [
            (0, BluetoothLEModes.peripheralServer, BluetoothLEModes.centralClient),
            (1, .centralClient, .peripheralServer),
            (2, [.peripheralServer, .centralClient], [.peripheralServer, .centralClient]),
            (3, [.peripheralServer, .centralClient], [.peripheralServer, .centralClient]),
        ] as [(UInt8, BluetoothLEModes, BluetoothLEModes)])
    func roleDependsOnSender(byte: UInt8, select: BluetoothLEModes, request: BluetoothLEModes) throws {
        let role = try parse("021c" + [byte].hex).role
        #expect(role.rawValue == byte)
        #expect(role.modesInHandoverSelect == select)
        #expect(role.modesInHandoverRequest == request)
    }

    @Test("A UUID is little-endian on the air and big-endian in text")
    func uuidOrder() throws {
        let record = try parse("021c01 1107 0f0e0d0c0b0a09080706050403020100")
        #expect(record.serviceUUID == BluetoothUUID(Self.uuidBytes))
        #expect(record.serviceUUID?.description == "00010203-0405-0607-0809-0a0b0c0d0e0f")
        #expect(record.encode().hex == "021c0111070f0e0d0c0b0a09080706050403020100")
        #expect(BluetoothUUID(Self.uuidBytes.dropLast()) == nil)
    }

    @Test("Q30 Of several UUIDs, also within one structure and of both types, the last complete one counts")
    func lastUUIDCounts() throws {
        let (first, second) = ([UInt8](repeating: 0xaa, count: 16), Self.uuidBytes)
        let structures = [
            "1107" + first.hex + "1106" + second.reversed().hex,
            "2107" + first.hex + second.reversed().hex,
            "1106" + first.hex + "1107" + second.reversed().hex + "0507aabbccdd",
            "2807" + first.hex + second.reversed().hex + "aabbccddeeff00",
        ]
        for structure in structures {
            let record = try parse("021c01" + structure)
            #expect(record.serviceUUID == BluetoothUUID(second))
            #expect(record.serviceUUIDCount == 2)
        }
    }

    @Test("Q31 Foreign structures are skipped by their length")
    func foreignStructures() throws {
        let record = try parse("0319c103 0b094465766963654e616d65 021c01 020106 05ff01020304")
        #expect(record == BluetoothLEOutOfBand(role: .centralOnly))
    }

    @Test(
        "Q31 A zero length or an overrun ends the list",
        arguments: ["021c01 00 021c00", "021c01 ff07 0102", "021c01 11", "021c01 00", "021c01 0507aabb"])
    func endOfList(hex: String) throws {
        #expect(try parse(hex) == BluetoothLEOutOfBand(role: .centralOnly))
    }

    @Test(
        "Q32 Without a readable role, or with a leading length, the record is malformed",
        arguments: [
            "", "00", "0319c103", "021c04", "011c", "031c0101", "0500 021c01", "0400021c01", "1700021c01",
            "0100021c01",
            "0200aa021c01",
        ])
    func unreadable(hex: String) {
        #expect(throws: NDEFError.malformedPayload) { try parse(hex) }
    }

    @Test("Q32 An unreadable carrier is reported with its size, and the others go on")
    func unreadableCarrier() throws {
        let message = HandoverSelect.encode(
            deviceEngagement: [0xa0],
            carriers: [.bluetoothLE(BluetoothLEOutOfBand(role: .centralOnly)), .nfc(NFCCarrier())])
        let records = try NDEFMessage.parse(message[...]).records.map { record in
            guard record.isOf(.bluetoothLE) else { return record }
            return NDEFRecord(.bluetoothLE, id: record.id, payload: [5, 0, 2, 0x1c, 1])
        }
        let select = try HandoverSelect.parse(NDEFMessage(records))
        #expect(select.carriers == [.unreadable(.bluetoothLE, count: 5), .nfc(NFCCarrier())])
    }

    @Test("Q32 What we write never has a leading length")
    func neverALeadingLength() {
        let record = BluetoothLEOutOfBand(role: .bothPeripheralPreferred)
        #expect(record.encode().hex == "021c02")
    }

    @Test("An address has six bytes and possibly its type")
    func address() throws {
        let random = try parse("021c01 081b28128b3728280 1".filter { $0 != " " })
        #expect(random.address == BluetoothLEAddress([UInt8](hex: "2828378b1228"), isRandom: true))
        #expect(random.encode().hex == "081b28128b37282801021c01")
        #expect(try parse("021c01 081b28128b37282800").address?.isRandom == false)
        #expect(try parse("021c01 071b28128b372828").address?.isRandom == nil)
        #expect(try parse("021c01 061b28128b3728").address == nil)
    }

    @Test(
        "Q39 The PSM is read from both provisional places",
        arguments: [
            ("0577000000c0", 0xc0), ("0516 01ff a1 00 05".filter { $0 != " " } + "", nil),
            ("0616 01ff a100 05", 5), ("0716 01ff a100 18c0", 0xc0), ("0816 01ff a100 191234", 0x1234),
            ("0a16 01ff a100 1a00012345", 0x12345), ("0616 02ff a100 05", nil), ("0616 01ff a101 05", nil),
            ("0716 01ff a100 05ff", nil), ("0377 00c0", nil),
        ] as [(String, UInt32?)])
    func provisionalPSM(hex: String, psm: UInt32?) throws {
        #expect(try parse("021c01" + hex).protocolServiceMultiplexer == psm)
    }

    @Test("Q39 A PSM is never written")
    func psmIsNeverWritten() throws {
        #expect(try parse("021c01 0577000000c0").encode().hex == "021c01")
    }

    @Test(
        "The NFC carrier is read in its three forms",
        arguments: [
            ("010301ffff0402010000", 0xffff, 0x10000), ("0102 01ff 03020100", 255, 256), ("01", 255, 256),
            ("01 01ff 02ffff", 255, 65_535), ("0103010105 03020105", 261, 261),
            ("01 020164 020264", 100, 100), ("01 0401ffffff 0402ffffff", 65_535, 65_536),
            ("01 0309aaaa 0201ff 03020100", 255, 256),
        ])
    func nfcCarrier(hex: String, command: Int, response: Int) throws {
        let carrier = try NFCCarrier.parse([UInt8](hex: hex)[...])
        #expect(carrier.maximumCommandData == command)
        #expect(carrier.maximumResponseData == response)
    }

    @Test("Q36 The NFC carrier is always written with both lengths")
    func nfcCarrierIsWritten() {
        #expect(
            NFCCarrier(maximumCommandData: 0xffff, maximumResponseData: 0x10000).encode().hex
                == "010301ffff0402010000")
        #expect(NFCCarrier().encode().hex == "010201ff03020100")
    }

    @Test(
        "A malformed NFC carrier is refused",
        arguments: [
            "", "0103", "010301ff", "0100", "0103010000 03020100", "010201ff", "01 0501ffffffff 0202ff",
        ])
    func malformedNFCCarrier(hex: String) {
        #expect(throws: NDEFError.malformedPayload) { try NFCCarrier.parse([UInt8](hex: hex)[...]) }
    }

    @Test("An NFC carrier of another version is refused")
    func nfcCarrierVersion() {
        #expect(throws: NDEFError.unsupportedVersion(2)) { try NFCCarrier.parse([2, 2, 1, 255]) }
    }

    @Test("Changed and cut carrier records are read or refused, never trapped on")
    func mutatedCarriers() throws {
        var random = SplitMix64(seed: 0xb1e)
        let records = [
            "081b28128b37282801021c011107" + Self.uuidBytes.hex + "0616 01ffa10005", "010301ffff0402010000",
        ]
        for record in records {
            for _ in 0..<20_000 {
                let bytes = random.mutate([UInt8](hex: record))
                if let read = try? NFCCarrier.parse(bytes[...]) {
                    #expect(try NFCCarrier.parse(read.encode()[...]) == read)
                }
                _ = try? BluetoothLEOutOfBand.parse(bytes[...])
            }
        }
    }
}
