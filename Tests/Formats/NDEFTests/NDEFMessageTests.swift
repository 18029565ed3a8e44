import NDEF
import Testing
import VectorFiles

@Suite("NDEF messages")
struct NDEFMessageTests {
    @Test("Records are slices of the message, in its order")
    func recordsAreSlices() throws {
        let bytes = [UInt8](hex: "eeee 9101024101aa 5c010301427a010203")
        let message = try NDEFMessage.parse(bytes[2...])
        #expect(message.records.count == 2)
        #expect(message.records[0].type == [0x41])
        #expect(message.records[0].id == nil)
        #expect(message.records[0].payload == [0x01, 0xaa])
        #expect(message.records[0].payload.startIndex == 6)
        #expect(message.records[1].typeNameFormat == .external)
        #expect(message.records[1].id == [0x7a])
        #expect(message.record(id: [0x7a]) == message.records[1])
        #expect(message.record(id: [0x7b]) == nil)
    }

    @Test("A message with every kind of field is written and read back", arguments: [0, 255, 256, 70_000])
    func messageIsWrittenAndReadBack(count: Int) throws {
        let payload = [UInt8](repeating: 0x5a, count: count)
        let message = NDEFMessage([
            NDEFRecord(.wellKnown, type: [0x55], payload: payload[...]),
            NDEFRecord(.empty, type: [], payload: []),
            NDEFRecord(.external, type: [0x61, 0x62], id: [1, 2, 3], payload: payload[...]),
            NDEFRecord(.unknown, type: [], id: [], payload: [9]),
        ])
        let limits = NDEFLimits(maximumBytes: 1 << 20)
        #expect(try NDEFMessage.parse(message.encode()[...], limits: limits) == message)
    }

    @Test(
        "A message that breaks a rule of framing is refused by name",
        arguments: [
            ("", NDEFError.emptyMessage),
            ("51015400", .misplacedMessageBegin(at: 0)),
            ("91010041d1010042", .misplacedMessageBegin(at: 4)),
            ("d101004100", .trailingBytes(at: 4)),
            ("d1010041d1010042", .trailingBytes(at: 4)),
            ("9101004151010042ff", .trailingBytes(at: 8)),
            ("91010041", .truncated(at: 4)),
            ("d1", .truncated(at: 0)),
            ("d10100", .truncated(at: 0)),
            ("d1010141", .truncated(at: 0)),
            ("c101ffffffff41", .truncated(at: 0)),
            ("c1010000", .truncated(at: 0)),
            ("d901004100", .truncated(at: 0)),
            ("b1010041", .chunkedRecord(at: 0)),
            ("9101004156000042", .chunkedRecord(at: 4)),
            ("d0010041", .fieldsContradictTypeNameFormat(at: 0)),
            ("d0000141", .fieldsContradictTypeNameFormat(at: 0)),
            ("d5010041", .fieldsContradictTypeNameFormat(at: 0)),
            ("d10000", .fieldsContradictTypeNameFormat(at: 0)),
        ])
    func framingRules(hex: String, error: NDEFError) {
        #expect(throws: error) { try NDEFMessage.parse([UInt8](hex: hex)[...]) }
    }

    @Test("Size and number of records have limits")
    func limits() throws {
        let bytes = NDEFMessage([NDEFRecord](repeating: NDEFRecord(.empty, type: [], payload: []), count: 5))
            .encode()
        #expect(try NDEFMessage.parse(bytes[...], limits: NDEFLimits(maximumRecords: 5)).records.count == 5)
        #expect(throws: NDEFError.tooManyRecords) {
            try NDEFMessage.parse(bytes[...], limits: NDEFLimits(maximumRecords: 4))
        }
        #expect(throws: NDEFError.messageTooLong(count: 15)) {
            try NDEFMessage.parse(bytes[...], limits: NDEFLimits(maximumBytes: 14))
        }
    }

    @Test("Q28 External and media types compare without regard to case, well-known ones exactly")
    func typeComparison() {
        func record(_ format: NDEFRecord.TypeNameFormat, _ name: String) -> NDEFRecord {
            NDEFRecord(format, type: Array(name.utf8)[...], payload: [])
        }
        #expect(record(.external, "ISO.org:18013:DeviceEngagement").isOf(.deviceEngagement))
        #expect(record(.media, "Application/vnd.bluetooth.LE.oob").isOf(.bluetoothLE))
        #expect(record(.wellKnown, "Hs").isOf(.handoverSelect))
        #expect(!record(.wellKnown, "HS").isOf(.handoverSelect))
        #expect(!record(.wellKnown, "hs").isOf(.handoverSelect))
        #expect(!record(.external, "Hs").isOf(.handoverSelect))
        #expect(!record(.external, "iso.org:18013:deviceengagemen").isOf(.deviceEngagement))
        #expect(!record(.external, "iso.org:18013:deviceengagement@").isOf(.deviceEngagement))
    }

    @Test("A record looked up by type is unique or refused")
    func recordOfType() throws {
        let select = NDEFRecord(.handoverSelect, payload: [0x15])
        let other = NDEFRecord(.status, payload: [0])
        #expect(try NDEFMessage([other, select]).record(of: .handoverSelect) == select)
        #expect(try NDEFMessage([other]).record(of: .handoverSelect) == nil)
        #expect(throws: NDEFError.recordRepeated) {
            try NDEFMessage([select, other, select]).record(of: .handoverSelect)
        }
    }
}
