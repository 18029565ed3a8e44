import Foundation
import Testing
import Transport

@testable import PCSCTransport

@Suite("Why a reader is not listed")
struct ReaderHindranceTests {
    private let acr122 = USBIdentity(vendor: 0x072f, product: 0x2200)
    private let pn533 = USBIdentity(vendor: 0x04cc, product: 0x2533)
    private let feig = USBIdentity(vendor: 0x0ab1, product: 0x0002)
    private let keyboard = USBIdentity(vendor: 0x046d, product: 0xc31c)

    @Test("Q124 An ACR122U that is not listed while the kernel's NFC modules are loaded was taken by them")
    func kernel() {
        #expect(
            ReaderHindrance.all(
                devices: [acr122, keyboard], modules: ["nfc", "pn533", "usbhid"], listed: [])
                == [.takenByKernelNFC(acr122, model: "ACS ACR122U", modules: ["pn533", "nfc"])])
        #expect(ReaderHindrance.all(devices: [acr122], modules: ["nfc", "pn533"], listed: [acr122]).isEmpty)
    }

    @Test("Q125 Q135 A known reader that is not listed for no visible reason is reported")
    func notListed() {
        #expect(
            ReaderHindrance.all(devices: [acr122], modules: ["usbhid"], listed: [])
                == [.notListed(acr122, model: "ACS ACR122U")])
        #expect(ReaderHindrance.all(devices: [keyboard], modules: ["nfc"], listed: []).isEmpty)
    }

    @Test("Q211 A reader that no driver of pcscd's lists is newer than the driver; one that it lists is not")
    func unknownToDrivers() {
        let acr1552 = USBIdentity(vendor: 0x072f, product: 0x2303)
        let other = USBIdentity(vendor: 0x1234, product: 0x5678)
        func all(_ device: USBIdentity, smartCard: Bool, driven: Set<USBIdentity>) -> [ReaderHindrance] {
            ReaderHindrance.all(
                devices: [device], modules: [], listed: [], smartCard: smartCard ? [device] : [],
                driven: driven)
        }
        #expect(
            all(acr1552, smartCard: true, driven: [acr122])
                == [.unknownToDrivers(acr1552, model: "ACS ACR1552U")])
        #expect(
            all(other, smartCard: true, driven: [acr122])
                == [.unknownToDrivers(other, model: "smart-card reader")])
        #expect(
            all(acr1552, smartCard: true, driven: [acr1552]) == [.notListed(acr1552, model: "ACS ACR1552U")])
        #expect(all(other, smartCard: false, driven: [acr122]).isEmpty)
        // Without a list of the drivers' nothing is known of their age.
        #expect(all(acr1552, smartCard: true, driven: []) == [.notListed(acr1552, model: "ACS ACR1552U")])
    }

    @Test("Q138 Readers that are not of the CCID class are told apart")
    func notCCID() {
        #expect(
            ReaderHindrance.all(devices: [feig, pn533], modules: [], listed: [])
                == [.notCCID(pn533, model: "NXP PN533"), .notCCID(feig, model: "FEIG")])
    }

    @Test("The kernel's files are read, and one that is missing or odd counts as nothing")
    func files() throws {
        let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "usb-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, vendor, product) in [
            ("1-1", "072f\n", "2200\n"), ("1-2", "072f\n", nil), ("usb1", "zzzz", "0002"),
        ] {
            let device = folder.appending(path: "devices/\(name)")
            try FileManager.default.createDirectory(at: device, withIntermediateDirectories: true)
            try Data(vendor.utf8).write(to: device.appending(path: "idVendor"))
            if let product { try Data(product.utf8).write(to: device.appending(path: "idProduct")) }
        }
        let modules = folder.appending(path: "modules")
        try Data("pn533_usb 20480 0 - Live 0x0\nnfc 131072 1 pn533, Live 0x0\n".utf8).write(to: modules)
        let devices = folder.appending(path: "devices").path()
        #expect(
            ReaderHindrance.onThisComputer(listed: [], usbDevices: devices, modules: modules.path())
                == [.takenByKernelNFC(acr122, model: "ACS ACR122U", modules: ["pn533_usb", "nfc"])])
        #expect(
            ReaderHindrance.onThisComputer(listed: [], usbDevices: "/nowhere", modules: "/nowhere").isEmpty)
    }
}
