import NDEF
import Testing
import VectorFiles

@Suite("TNEP records")
struct TNEPTests {
    @Test("The published service parameter is read and written byte for byte")
    func serviceParameter() throws {
        let bytes = [UInt8](hex: "d1021a5470101375726e3a6e66633a736e3a68616e646f76657200000fffff")
        let message = try NDEFMessage.parse(bytes[...])
        let service = try #require(try ServiceParameter.handover(in: message))
        #expect(service.waitingTimeInteger == 0)
        #expect(service.waitingTimeExtensions == 15)
        #expect(service.maximumMessageSize == 0xffff)
        #expect(NDEFMessage([service.record()]).encode() == bytes)
    }

    @Test(
        "Q16 Q17 The waiting time is real arithmetic with a floor and a ceiling",
        arguments: [
            (0, 1_000_000), (3, 1_000_000), (4, 1_000_000), (5, 1_189_207), (6, 1_414_214), (7, 1_681_793),
            (8, 2_000_000), (16, 8_000_000), (17, 9_513_656), (18, 11_313_712), (19, 13_454_344),
            (20, 16_000_000), (43, 861_078_016), (44, 1_000_000_000), (63, 1_000_000_000),
            (255, 1_000_000_000),
        ] as [(UInt8, Int64)])
    func waitingTime(integer: UInt8, nanoseconds: Int64) {
        let service = ServiceParameter(
            waitingTimeInteger: integer, waitingTimeExtensions: 15, maximumMessageSize: 0xffff)
        #expect(service.waitingTime == .nanoseconds(nanoseconds))
    }

    private func parameter(_ name: String, integer: UInt8 = 16) -> NDEFRecord {
        ServiceParameter(
            serviceName: Array(name.utf8)[...], waitingTimeInteger: integer, waitingTimeExtensions: 1,
            maximumMessageSize: 100
        ).record()
    }

    @Test("Q40 The handover service is chosen by name among several")
    func severalServices() throws {
        let broken = NDEFRecord(.serviceParameter, payload: [0x10])
        let other = parameter("urn:nfc:sn:other", integer: 1)
        let message = NDEFMessage([broken, other, parameter("urn:nfc:sn:handover", integer: 20)])
        #expect(try ServiceParameter.handover(in: message)?.waitingTimeInteger == 20)
        #expect(try ServiceParameter.handover(in: NDEFMessage([other])) == nil)
        #expect(throws: NDEFError.malformedPayload) {
            try ServiceParameter.handover(in: NDEFMessage([other, broken]))
        }
    }

    @Test("A service parameter of another form or version is refused")
    func malformedServiceParameter() {
        for hex in ["", "10", "1000", "100161000f0fffff00", "1002610010 0fffff", "10ff61000f0fffff"] {
            #expect(throws: NDEFError.malformedPayload) { try ServiceParameter.parse([UInt8](hex: hex)[...]) }
        }
        #expect(throws: NDEFError.unsupportedVersion(0x20)) {
            try ServiceParameter.parse([UInt8](hex: "20016100100fffff")[...])
        }
    }

    @Test("The service select is written as published and read back")
    func serviceSelect() throws {
        let bytes = ServiceSelect.encode()
        #expect(bytes.hex == "d1021454731375726e3a6e66633a736e3a68616e646f766572")
        let name = try ServiceSelect.parse(try NDEFMessage.parse(bytes[...]))
        #expect(name.elementsEqual(ServiceParameter.handoverService))
        #expect(throws: NDEFError.malformedPayload) {
            try ServiceSelect.parse(NDEFMessage([NDEFRecord(.serviceSelect, payload: [2, 0x61])]))
        }
        #expect(throws: NDEFError.recordMissing) { try ServiceSelect.parse(NDEFMessage([])) }
    }

    @Test("Q41 A status is read with its value", arguments: [0x00, 0x01, 0x80, 0xfe] as [UInt8])
    func status(value: UInt8) throws {
        let bytes = StatusRecord(rawValue: value).encode()
        #expect(bytes.hex == "d10201" + "5465" + [value].hex)
        #expect(try StatusRecord.parse(try NDEFMessage.parse(bytes[...]))?.rawValue == value)
    }

    @Test("A status of another size is refused, none is nil")
    func malformedStatus() throws {
        for payload: ArraySlice<UInt8> in [[], [0, 0]] {
            #expect(throws: NDEFError.malformedPayload) {
                try StatusRecord.parse(NDEFMessage([NDEFRecord(.status, payload: payload)]))
            }
        }
        #expect(try StatusRecord.parse(NDEFMessage([NDEFRecord(.handoverSelect, payload: [0x15])])) == nil)
    }

    @Test("Changed and cut service parameters are read or refused, never trapped on")
    func mutatedParameters() {
        var random = SplitMix64(seed: 0x7e)
        let original = [UInt8](hex: "101375726e3a6e66633a736e3a68616e646f76657200000fffff")
        for _ in 0..<20_000 {
            guard let service = try? ServiceParameter.parse(random.mutate(original)[...]) else { continue }
            #expect((.milliseconds(1)...(.milliseconds(1000))).contains(service.waitingTime))
        }
    }
}
