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
            [
                .shortAPDUOnly, .takenByKernelNFC, .slowSlotStatus, .oldFirmwareRefused, .configureBeforeCard,
                .announcesAgain,
            ]),
        ReaderModel(0x072f, 0x221a, "ACS ACR1251", [.unstableEscape, .announcesAgain]),
        ReaderModel(0x072f, 0x223b, "ACS ACR1252 dual", [.longAPDUsFail, .announcesAgain]),
        ReaderModel(0x072f, 0x223e, "ACS ACR1252", [.longAPDUsFail, .announcesAgain]),
        ReaderModel(0x072f, 0x223f, "ACS ACR1255U-J1", [.usbSideOnly, .announcesAgain]),
        ReaderModel(0x072f, 0x2303, "ACS ACR1552U", [.storedSettings, .announcesAgain]),
        ReaderModel(0x072f, 0x2308, "ACS ACR1552", [.storedSettings, .announcesAgain]),
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

/// What is known of a reader model beyond its driver's answers.
package enum ReaderQuirk: String, Sendable, CaseIterable {
    /// No extended APDUs: at most 255 bytes out and 256 in (Q120).
    case shortAPDUOnly
    /// Exchanges TPDUs; the driver cuts APDUs itself. Works, not recommended (Q123).
    case tpduLevel
    /// The kernel's NFC modules take the device from pcscd unless blacklisted (Q124).
    case takenByKernelNFC
    /// Slow to report whether a card is present, up to 1 s, and may need to be plugged in again (Q125).
    case slowSlotStatus
    /// The driver refuses firmware below 2.06 (Q125).
    case oldFirmwareRefused
    /// Answers its own commands with errors while a phone is in the field: configure it before (Q129).
    case configureBeforeCard
    /// Sometimes fails to power up until the phone is lifted; removal is seen late (Q131).
    case powerUpNeedsLift
    /// Becomes unstable when configured through escape commands (Q137).
    case unstableEscape
    /// Was seen to fail with very long APDUs; the cap of 4 KiB is not to be raised (Q137).
    case longAPDUsFail
    /// Keeps settings for speed and polling that someone may have changed (Q137).
    case storedSettings
    /// Polls by itself and announces a card anew 250 ms after it was powered off: the card is left powered, and reset
    /// before it is tried again (Q208).
    case announcesAgain
    /// Slots share one interface and one name; they cannot be used at the same time (Q127).
    case slotsShareInterface
    /// Also speaks Bluetooth; only its USB side is a PC/SC reader (Q138).
    case usbSideOnly
}
