package import Transport

/// Readers with known quirks, by USB identity. A reader that is not here is used as its driver describes it.
package struct ReaderModel: Sendable {
    package let usb: USBIdentity
    package let name: String
    package let quirks: Set<ReaderQuirk>

    private init(_ vendor: UInt16, _ product: UInt16, _ name: String, _ quirks: Set<ReaderQuirk>) {
        usb = USBIdentity(vendor: vendor, product: product)
        self.name = name
        self.quirks = quirks
    }

    /// The model with that identity, if it is one with quirks.
    package static func known(as usb: USBIdentity) -> ReaderModel? {
        byIdentity[usb]
    }

    package static let all: [ReaderModel] = [
        ReaderModel(
            0x072f, 0x2200, "ACS ACR122U",
            [.shortAPDUOnly, .takenByKernelNFC, .slowSlotStatus, .oldFirmwareRefused, .configureBeforeCard]),
        ReaderModel(0x072f, 0x221a, "ACS ACR1251", [.unstableEscape]),
        ReaderModel(0x072f, 0x223b, "ACS ACR1252 dual", [.longAPDUsFail]),
        ReaderModel(0x072f, 0x223e, "ACS ACR1252", [.longAPDUsFail]),
        ReaderModel(0x072f, 0x223f, "ACS ACR1255U-J1", [.usbSideOnly]),
        ReaderModel(0x072f, 0x2303, "ACS ACR1552U", [.storedSettings]),
        ReaderModel(0x072f, 0x2308, "ACS ACR1552", [.storedSettings]),
        ReaderModel(0x076b, 0x5340, "HID OMNIKEY 5021 CL", [.tpduLevel]),
        ReaderModel(0x04e6, 0x5612, "Identiv uTrust 3720", [.shortAPDUOnly]),
        ReaderModel(0x04e6, 0x5790, "Identiv uTrust 3700F", [.powerUpNeedsLift]),
        ReaderModel(0x09d8, 0x0427, "Elatec TWN4 SmartCard NFC", [.tpduLevel, .slotsShareInterface]),
        ReaderModel(0x1c34, 0x6132, "SpringCard Puck", [.slotsShareInterface]),
        ReaderModel(0x1c34, 0x6212, "SpringCard M519", [.slotsShareInterface]),
        ReaderModel(0x1c34, 0xa1a1, "SpringCard H512", [.shortAPDUOnly, .slotsShareInterface]),
        ReaderModel(0x1c34, 0x7141, "SpringCard Prox'N'Roll", [.shortAPDUOnly]),
        ReaderModel(0x1fc9, 0x0117, "NXP PN7462AU", [.shortAPDUOnly]),
        ReaderModel(0x2f7c, 0x6007, "Diebold PN7362au", [.shortAPDUOnly]),
    ]

    private static let byIdentity = Dictionary(
        all.map { ($0.usb, $0) }, uniquingKeysWith: { first, _ in first })
}
