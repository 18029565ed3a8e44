import Testing

@testable import PCSCTransport

@Suite("How long APDUs may be")
struct APDULimitsTests {
    @Test("Q120 A driver that says 0 gets short APDUs, one that says 0x10000 extended ones")
    func driver() {
        #expect(limits(0).allowsExtended == false)
        #expect(limits(0x10000).allowsExtended)
        #expect(limits(0xFFFF).allowsExtended == false)
    }

    @Test("Q120 A driver that says nothing gets 255 out and 256 in")
    func silent() {
        let limits = limits(nil)
        #expect(!limits.allowsExtended && limits.commandData == 255 && limits.responseData == 256)
    }

    @Test("Q120 A short-only model gets short APDUs whatever its driver says")
    func shortModel() {
        #expect(limits(0x10000, quirks: [.shortAPDUOnly]).allowsExtended == false)
        #expect(limits(0x10000, quirks: [.longAPDUsFail]).allowsExtended)
    }

    @Test("Q137 Extended APDUs carry 4 KiB unless configured, and never more than fits")
    func cap() {
        #expect(limits(0x10000).commandData == 4096)
        #expect(limits(0x10000).responseData == 4096)
        #expect(limits(0x10000, PCSCConfiguration(extendedData: 32_768)).commandData == 32_768)
        #expect(limits(0x10000, PCSCConfiguration(extendedData: 1_000_000)).commandData == 65_526)
        #expect(limits(0x10000, PCSCConfiguration(extendedData: 0)).commandData == 256)
    }

    @Test("Q121 Le can be held to 255 for readers that fail at exactly 256")
    func shortAnswers() {
        #expect(limits(0, PCSCConfiguration(shortResponseData: 255)).responseData == 255)
        #expect(limits(0, PCSCConfiguration(shortResponseData: 300)).responseData == 256)
        #expect(limits(0, PCSCConfiguration(shortResponseData: 0)).responseData == 1)
    }

    @Test("The virtual reader, which has no features, carries extended APDUs up to 65,535 bytes")
    func virtual() {
        let virtual = limits(nil, name: "Virtual PCD 00 00")
        #expect(virtual.allowsExtended && virtual.maximumCommand == 65_535)
        #expect(limits(nil, name: "A Virtual PCD").allowsExtended == false)
        #expect(limits(0, name: "Virtual PCD 00 00").allowsExtended == false)
    }

    private func limits(
        _ maximumAPDUData: UInt32?, _ configuration: PCSCConfiguration = PCSCConfiguration(),
        name: String = "Some Reader 00 00", quirks: Set<ReaderQuirk> = []
    ) -> APDULimits {
        var properties = ReaderProperties()
        properties.maximumAPDUData = maximumAPDUData
        return APDULimits(name: name, properties: properties, quirks: quirks, configuration: configuration)
    }
}
