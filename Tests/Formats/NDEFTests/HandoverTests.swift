import NDEF
import Testing
import VectorFiles

@Suite("Handover messages")
struct HandoverTests {
    static let uuid = "b3d52ac4-a1b6-4b51-a22e-78ee55ef6eb6"
    static let serviceUUID = BluetoothUUID([UInt8](hex: uuid.filter { $0 != "-" }))
    static let bluetooth = BluetoothLEOutOfBand(role: .bothCentralPreferred, serviceUUID: serviceUUID)
    static let nfc = NFCCarrier(maximumCommandData: 0xffff, maximumResponseData: 0x10000)

    @Test("The published static Handover Select is read")
    func staticSelect() throws {
        let vector = try NDEFVectors.engagement("testStaticHandover")
        let bytes = [UInt8](hex: try #require(vector.handoverSelect))
        let select = try HandoverSelect.parse(try NDEFMessage.parse(bytes[...]))
        #expect(select.deviceEngagement?.hex == vector.deviceEngagement)
        #expect(select.carriers == [.bluetoothLE(Self.bluetooth), .nfc(Self.nfc)])
        #expect(Self.serviceUUID?.description == Self.uuid)
    }

    @Test("The published static Handover Select is written byte for byte")
    func staticSelectIsWritten() throws {
        let vector = try NDEFVectors.engagement("testStaticHandover")
        let engagement = [UInt8](hex: try #require(vector.deviceEngagement))
        let bytes = HandoverSelect.encode(
            deviceEngagement: engagement[...], carriers: [.bluetoothLE(Self.bluetooth), .nfc(Self.nfc)])
        #expect(bytes.hex == vector.handoverSelect)
    }

    @Test("The published negotiated Handover Select is read and written byte for byte")
    func negotiatedSelect() throws {
        let vector = try NDEFVectors.engagement("testNegotiatedHandover")
        let bytes = [UInt8](hex: try #require(vector.handoverSelect))
        let select = try HandoverSelect.parse(try NDEFMessage.parse(bytes[...]))
        let carrier = HandoverCarrier.bluetoothLE(BluetoothLEOutOfBand(role: .centralOnly))
        #expect(select.carriers == [carrier])
        let engagement = try #require(select.deviceEngagement)
        #expect(HandoverSelect.encode(deviceEngagement: engagement, carriers: [carrier]) == bytes)
    }

    @Test("The published Handover Request is read and written byte for byte")
    func request() throws {
        let vector = try NDEFVectors.engagement("testNegotiatedHandover")
        let bytes = [UInt8](hex: try #require(vector.handoverRequest))
        let request = try HandoverRequest.parse(try NDEFMessage.parse(bytes[...]))
        #expect(request.readerEngagement?.hex == "a10063312e30")
        #expect(request.carriers == [.bluetoothLE(Self.bluetooth), .nfc(Self.nfc)])
        let engagement = try #require(request.readerEngagement)
        #expect(HandoverRequest.encode(readerEngagement: engagement, carriers: request.carriers) == bytes)
    }

    @Test("Q27 Annex D's Handover Select has the Bluetooth record first and an address")
    func annexDSelect() throws {
        let bytes = try NDEFVectors.annexD("nfcHandoverSelect")
        let select = try HandoverSelect.parse(try NDEFMessage.parse(bytes[...]))
        let address = BluetoothLEAddress([UInt8](hex: "2828378b1228"), isRandom: true)
        let carrier = HandoverCarrier.bluetoothLE(BluetoothLEOutOfBand(role: .centralOnly, address: address))
        #expect(select.carriers == [carrier])
        #expect(select.deviceEngagement?.count == 88)
        let engagement = try #require(select.deviceEngagement)
        let written = HandoverSelect.encode(
            deviceEngagement: engagement, carriers: [carrier], order: .carriersFirst)
        #expect(written == bytes)
    }

    @Test("Annex D's Handover Request offers Bluetooth, bare NFC and one carrier foreign to us")
    func annexDRequest() throws {
        let bytes = try NDEFVectors.annexD("nfcHandoverRequest")
        let request = try HandoverRequest.parse(try NDEFMessage.parse(bytes[...]))
        #expect(request.readerEngagement == nil)
        #expect(request.carriers.count == 3)
        #expect(request.carriers[1] == .nfc(NFCCarrier()))
        #expect(request.carriers[2] == .foreign)
        guard case .bluetoothLE(let record) = request.carriers[0] else {
            Issue.record("no Bluetooth carrier")
            return
        }
        #expect(record.serviceUUID?.description == "3a82d455-d5fc-4db3-bea0-6fd2f6ff32c8")
        #expect(record.role == .bothPeripheralPreferred)
    }

    @Test("The Bluetooth SIG's samples: LE carriers are read, BR/EDR ones are foreign")
    func bluetoothSamples() throws {
        let samples = try NDEFVectors.bluetooth()
        #expect(samples.count == 6)
        let roles: [Int: BluetoothLERole] = [
            8: .bothCentralPreferred, 9: .peripheralOnly, 11: .peripheralOnly,
        ]
        for (table, bytes) in samples {
            let message = try NDEFMessage.parse(bytes[...])
            let isRequest = message.records.contains { $0.isOf(.handoverRequest) }
            let carriers =
                isRequest
                ? try HandoverRequest.parse(message).carriers : try HandoverSelect.parse(message).carriers
            #expect(carriers.count == 1)
            guard let role = roles[table] else {
                #expect(carriers == [.foreign], "table \(table)")
                continue
            }
            guard case .bluetoothLE(let record) = carriers[0] else {
                Issue.record("table \(table) has no LE carrier")
                continue
            }
            #expect(record.role == role, "table \(table)")
            #expect(record.address != nil, "table \(table)")
        }
    }

    /// A Handover Select with these embedded `ac` payloads and further records.
    private func select(_ references: [[UInt8]], _ records: [NDEFRecord]) throws -> HandoverSelect {
        let entries = references.map { NDEFRecord(.alternativeCarrier, payload: $0[...]) }
        let payload = [0x15] + NDEFMessage(entries).encode()
        let message = NDEFMessage([NDEFRecord(.handoverSelect, payload: payload[...])] + records)
        return try HandoverSelect.parse(try NDEFMessage.parse(message.encode()[...]))
    }

    @Test("Q28 Carriers are found through their references, whatever these are called")
    func referencesAreFree() throws {
        let records = [
            NDEFRecord(.nfcCarrier, id: Array("0".utf8)[...], payload: Self.nfc.encode()[...]),
            NDEFRecord(.bluetoothLE, id: Array("anything".utf8)[...], payload: Self.bluetooth.encode()[...]),
            NDEFRecord(.bluetoothLE, id: Array("unnamed".utf8)[...], payload: [2, 0x1c, 0]),
        ]
        let named = try select(
            [[1, 8] + Array("anything".utf8) + [0], [1, 1, 0x30, 1, 4] + Array("mdoc".utf8)], records)
        #expect(named.carriers == [.bluetoothLE(Self.bluetooth), .nfc(Self.nfc)])
    }

    @Test("Q28 A dangling reference skips that carrier alone")
    func danglingReference() throws {
        let records = [NDEFRecord(.nfcCarrier, id: [0x6e], payload: Self.nfc.encode()[...])]
        let found = try select([[1, 1, 0x30, 0], [1, 1, 0x6e, 0]], records)
        #expect(found.carriers == [.nfc(Self.nfc)])
    }

    @Test(
        "A malformed alternative carrier is refused",
        arguments: ["", "01", "0100", "010130", "01023000", "0101300104", "010130010461"])
    func malformedAlternativeCarrier(hex: String) {
        #expect(throws: NDEFError.malformedPayload) { try select([[UInt8](hex: hex)], []) }
    }

    @Test("Reserved bytes behind an alternative carrier are skipped")
    func reservedBytes() throws {
        let records = [NDEFRecord(.nfcCarrier, id: [0x6e], payload: [1])]
        #expect(try select([[1, 1, 0x6e, 0, 0xff, 0xff]], records).carriers == [.nfc(NFCCarrier())])
    }

    @Test("A handover of another major version, or none, is refused")
    func versions() throws {
        func parse(_ payload: ArraySlice<UInt8>) throws -> HandoverSelect {
            try HandoverSelect.parse(NDEFMessage([NDEFRecord(.handoverSelect, payload: payload)]))
        }
        #expect(try parse([0x15]).carriers.isEmpty)
        #expect(try parse([0x12]).carriers.isEmpty)
        #expect(throws: NDEFError.unsupportedVersion(0x20)) { try parse([0x20]) }
        #expect(throws: NDEFError.malformedPayload) { try parse([]) }
        #expect(throws: NDEFError.recordMissing) { try HandoverRequest.parse(NDEFMessage([])) }
    }

    @Test("Two device engagements are refused")
    func repeatedEngagement() {
        let engagement = NDEFRecord(.deviceEngagement, payload: [0xa0])
        #expect(throws: NDEFError.recordRepeated) { try select([], [engagement, engagement]) }
    }

    @Test("Q37 The NFC carrier counts under TNF 02 and 04, and is written with 04")
    func nfcCarrierUnderBothFormats() throws {
        let type = Array("iso.org:18013:nfc".utf8)[...]
        for format in [NDEFRecord.TypeNameFormat.media, .external] {
            let record = NDEFRecord(format, type: type, id: [0x6e], payload: Self.nfc.encode()[...])
            #expect(try select([[1, 1, 0x6e, 0]], [record]).carriers == [.nfc(Self.nfc)])
        }
        let other = NDEFRecord(.wellKnown, type: type, id: [0x6e], payload: Self.nfc.encode()[...])
        #expect(try select([[1, 1, 0x6e, 0]], [other]).carriers == [.foreign])
        let written = HandoverRequest.encode(readerEngagement: [], carriers: [.nfc(Self.nfc)])
        let records = try NDEFMessage.parse(written[...]).records
        #expect(records.last?.typeNameFormat == .external)
    }

    @Test("Changed and cut handover messages are read or refused, never trapped on")
    func mutatedMessages() throws {
        var random = SplitMix64(seed: 0x18013)
        for original in try NDEFVectors.all() {
            for _ in 0..<3000 {
                let bytes = random.mutate(original)
                guard let message = try? NDEFMessage.parse(bytes[...]) else { continue }
                #expect(try NDEFMessage.parse(message.encode()[...]) == message)
                _ = try? HandoverSelect.parse(message)
                _ = try? HandoverRequest.parse(message)
            }
        }
    }
}
