import MdocModel
import Testing
import VectorFiles

@Suite("DeviceRetrievalMethod")
struct DeviceRetrievalMethodTests {
    private static let one = "000102030405060708090a0b0c0d0e0f"
    private static let two = "101112131415161718191a1b1c1d1e1f"

    private func methods(_ hex: String) throws -> [DeviceRetrievalMethod] {
        try EngagementParts.with((2, hex)).retrievalMethods
    }

    private func ble(_ hex: String) throws -> DeviceRetrievalMethod.BLEOptions? {
        let found = try methods(hex).compactMap { method -> DeviceRetrievalMethod.BLEOptions? in
            if case .ble(let options) = method { options } else { nil }
        }
        #expect(found.count <= 1)
        return found.first
    }

    @Test("Q46 Absent, an empty array, an empty map and null all mean none")
    func none() throws {
        #expect(try EngagementParts().parse().retrievalMethods.isEmpty)
        for hex in ["80", "a0", "f6", "f7", "9fff", "bfff"] {
            #expect(try methods(hex).isEmpty)
            #expect(try EngagementParts.with((2, hex)).malformedMembers.isEmpty)
        }
    }

    @Test("NFC is read with its two lengths")
    func nfc() throws {
        #expect(
            try methods("81830101a20019ffff011a00010000")
                == [.nfc(maximumCommandData: 65_535, maximumResponseData: 65_536)])
        #expect(
            try methods("81830101a20018ff01190100") == [
                .nfc(maximumCommandData: 255, maximumResponseData: 256)
            ])
    }

    @Test("Q11 Small limits are kept as they are")
    func directAccess() throws {
        #expect(
            try methods("81830101a200190105011901 05")
                == [.nfc(maximumCommandData: 261, maximumResponseData: 261)])
    }

    @Test(
        "NFC lengths outside 255…65535 and 256…65536 are skipped and noted",
        arguments: [
            "81830101a20018fe01190100", "81830101a2001a0001000001190100", "81830101a20018ff0118ff",
            "81830101a20018ff011a00010001", "81830101a2002001190100", "81830101a200 6161 01190100",
        ])
    func nfcLimits(_ hex: String) throws {
        let engagement = try EngagementParts.with((2, hex))
        #expect(engagement.retrievalMethods.isEmpty)
        #expect(engagement.malformedMembers == [2])
    }

    @Test("BLE with one mode, the other, and both")
    func modes() throws {
        let peripheral = try ble("81830201a300f501f40a50\(Self.one)")
        #expect(peripheral?.peripheralServerUUID?.hex == Self.one)
        #expect(peripheral?.centralClientUUID == nil)
        let central = try ble("81830201a300f401f50b50\(Self.two)")
        #expect(central?.peripheralServerUUID == nil)
        #expect(central?.centralClientUUID?.hex == Self.two)
        let both = try ble("81830201a400f501f50a50\(Self.one)0b50\(Self.two)")
        #expect(both?.peripheralServerUUID?.hex == Self.one)
        #expect(both?.centralClientUUID?.hex == Self.two)
    }

    @Test("A UUID of a mode that is not offered does not count")
    func notOffered() throws {
        let options = try ble("81830201a400f401f50a50\(Self.one)0b50\(Self.two)")
        #expect(options?.peripheralServerUUID == nil)
        #expect(options?.centralClientUUID?.hex == Self.two)
    }

    @Test("Q46 Two BLE entries with one mode each are merged into one")
    func merged() throws {
        let options = try ble("82830201a300f501f40a50\(Self.one)830201a300f401f50b50\(Self.two)")
        #expect(options?.peripheralServerUUID?.hex == Self.one)
        #expect(options?.centralClientUUID?.hex == Self.two)
    }

    @Test("Address and PSM of the peripheral server are read, and skipped when they cannot be")
    func addressAndPSM() throws {
        let options = try ble("81830201a500f501f40a50\(Self.one)1446aabbccddeeff151880")
        #expect(options?.peripheralServerAddress?.hex == "aabbccddeeff")
        #expect(options?.peripheralServerPSM == 128)
        let others = try ble("81830201a500f501f40a50\(Self.one)1445aabbccddee151a00010000")
        #expect(others?.peripheralServerUUID?.hex == Self.one)
        #expect(others?.peripheralServerAddress == nil)
        #expect(others?.peripheralServerPSM == nil)
    }

    @Test(
        "Q46 Entries of other types, versions or shapes are skipped, the others kept",
        arguments: [
            "830301a0", "830501a0", "83186301a0", "830202a0", "830100a0", "80", "8102", "820201", "00",
            "83f601a0", "830201 80",
            "830201a300f501f40a4f000102030405060708090a0b0c0d0e",
        ])
    func skipped(_ entry: String) throws {
        let good = "830201a300f401f50b50\(Self.two)"
        for hex in ["82\(entry)\(good)", "82\(good)\(entry)"] {
            #expect(try ble(hex)?.centralClientUUID?.hex == Self.two)
            #expect(try methods(hex).count == 1)
        }
    }

    @Test("Q228 An option that cannot be read leaves the other mode and the address of its entry")
    func unreadableOption() throws {
        let options = try ble("81830201a500f501f50a41010b50\(Self.two)1446aabbccddeeff")
        #expect(options?.peripheralServerUUID == nil)
        #expect(options?.centralClientUUID?.hex == Self.two)
        #expect(options?.peripheralServerAddress?.hex == "aabbccddeeff")
    }

    @Test("NFC and BLE in one engagement are both there")
    func both() throws {
        #expect(try methods("82830101a20018ff01190100830201a300f401f50b50\(Self.two)").count == 2)
    }
}
