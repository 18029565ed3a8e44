import Testing
import VectorFiles

@testable import MdocSession

@Suite("Capability containers")
struct NFCCapabilityContainerTests {
    @Test("The containers of the field are read and written byte for byte")
    func knownContainers() throws {
        for hex in [
            "000f207fff7fff0406e1047fff00ff", "000f207fff7fff0406e1047fff0000",
            "000f20040004000406e104080200 00",
        ] {
            let container = try NFCCapabilityContainer.parse([UInt8](hex: hex))
            #expect(container.encode() == [UInt8](hex: hex))
            #expect(container.fileIdentifier == 0xe104)
        }
        let apple = try NFCCapabilityContainer.parse([UInt8](hex: "000f20040004000406e10408020000"))
        #expect(apple.maximumResponseData == 0x0400)
        #expect(apple.maximumCommandData == 0x0400)
        #expect(apple.maximumFileSize == 0x0802)
        #expect(apple.writeAccess == 0)
    }

    @Test("Mapping version 3.0 and a longer container are read")
    func otherVersions() throws {
        #expect(
            try NFCCapabilityContainer.parse([UInt8](hex: "001730000f000d0406e10500ff00ff")).fileIdentifier
                == 0xe105)
    }

    @Test(
        "A container that is not one is refused",
        arguments: [
            "", "000f207fff7fff0406e1047fff00", "000e207fff7fff0406e1047fff00ff",
            "000f407fff7fff0406e1047fff00ff",
            "000f007fff7fff0406e1047fff00ff", "000f207fff7fff0506e1047fff00ff",
            "000f207fff7fff0408e1047fff00ff",
            "000f207fff7fff0406e1037fff00ff", "000f207fff7fff0406e1027fff00ff",
            "000f207fff7fff04063f007fff00ff",
            "000f207fff7fff0406ffff7fff00ff", "000f207fff7fff040600007fff00ff",
        ])
    func refused(hex: String) {
        #expect(throws: NFCFault.capabilityContainerInvalid) {
            try NFCCapabilityContainer.parse([UInt8](hex: hex))
        }
    }
}
