import Testing
import Transport

@testable import PCSCTransport

@Suite("What drivers tell of readers")
struct ReaderPropertiesTests {
    @Test("Q120 The TLV properties of a reader are read, numbers little-endian")
    func complete() {
        let properties = ReaderProperties(parsing: [
            1, 2, 0, 0,  // wLcdLayout
            8, 3, 0x32, 0x2E, 0x31,  // sFirmwareID "2.1"
            10, 4, 0x00, 0x00, 0x01, 0x00,  // dwMaxAPDUDataSize 0x10000
            11, 2, 0x2F, 0x07,  // wIdVendor 072f
            12, 2, 0x3E, 0x22,  // wIdProduct 223e
        ])
        #expect(properties.maximumAPDUData == 0x10000)
        #expect(properties.usb == USBIdentity(vendor: 0x072f, product: 0x223e))
        #expect(properties.firmware == "2.1")
    }

    @Test("A list cut off at any place gives what came before and no more")
    func truncated() {
        let list: [UInt8] = [10, 4, 0, 0, 1, 0, 11, 2, 0x2F, 0x07, 12, 2, 0x3E, 0x22]
        for length in list.indices {
            let properties = ReaderProperties(parsing: Array(list.prefix(length)))
            #expect(properties.maximumAPDUData == (length >= 6 ? 0x10000 : nil))
            #expect(properties.usb == nil)
        }
    }

    @Test("A number of the wrong length is not a number")
    func wrongLength() {
        #expect(ReaderProperties(parsing: [10, 3, 0, 0, 1]).maximumAPDUData == nil)
        #expect(ReaderProperties(parsing: [11, 1, 0x2F, 12, 2, 0x3E, 0x22]).usb == nil)
    }

    @Test("Q136 The channel identifier gives bus and address of a USB reader only")
    func channel() {
        #expect(USBLocation(channelIdentifier: [5, 3, 0x20, 0]) == .address(bus: 3, device: 5))
        #expect(USBLocation(channelIdentifier: [5, 3, 0x01, 0]) == nil)
        #expect(USBLocation(channelIdentifier: [5, 3, 0x20]) == nil)
    }

    @Test("Models with quirks are found by their USB identity, each once")
    func models() {
        #expect(Set(ReaderModel.all.map(\.usb)).count == ReaderModel.all.count)
        let acr122 = ReaderModel.known(as: USBIdentity(vendor: 0x072f, product: 0x2200))
        #expect(acr122?.quirks.isSuperset(of: [.shortAPDUOnly, .takenByKernelNFC]) == true)
        #expect(ReaderModel.known(as: USBIdentity(vendor: 0x072f, product: 0x2201)) == nil)
        #expect(ReaderModel.all.allSatisfy { !$0.quirks.isEmpty })
    }
}
