package import Transport

/// A reader model with known quirks. A reader whose model is not in `all` is assumed to have no quirks.
package struct ReaderModel: Sendable {
    package let usb: USBIdentity
    package let name: String
    package let quirks: Set<ReaderQuirk>

    private init(_ vendor: UInt16, _ product: UInt16, _ name: String, _ quirks: Set<ReaderQuirk>) {
        usb = USBIdentity(vendor: vendor, product: product)
        self.name = name
        self.quirks = quirks
    }

    /// Returns the model with a USB identity; `nil` if it has no known quirks.
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

/// A property of a reader model that its driver does not report.
package enum ReaderQuirk: String, Sendable, CaseIterable {
    /// The reader cannot exchange extended APDUs: a command has at most 255 data bytes and an answer 256
    /// (Q120).
    case shortAPDUOnly
    /// The reader exchanges TPDUs, so the driver has to divide APDUs. The reader works, but is not
    /// recommended (Q123).
    case tpduLevel
    /// The reader is taken from pcscd by the kernel's NFC modules, unless they are blacklisted (Q124).
    case takenByKernelNFC
    /// The reader needs up to 1 s to report whether a card is present, and may have to be plugged in again
    /// (Q125).
    case slowSlotStatus
    /// The reader is refused by the driver if its firmware is below 2.06 (Q125).
    case oldFirmwareRefused
    /// The reader refuses commands to itself while a phone is in the field, so it must be configured before
    /// the phone comes (Q129).
    case configureBeforeCard
    /// The reader sometimes fails to power a phone up until the phone is lifted, and notices late that the
    /// phone left (Q131).
    case powerUpNeedsLift
    /// The reader becomes unstable if it is configured with escape commands (Q137).
    case unstableEscape
    /// The reader was seen to fail with very long APDUs. The limit of 4 KiB must not be raised (Q137).
    case longAPDUsFail
    /// The reader stores settings for speed and polling, which somebody may have changed (Q137).
    case storedSettings
    /// The reader polls by itself, and announces a card again 250 ms after the card was powered off. The card
    /// is therefore left powered, and is reset before the next attempt (Q208).
    case announcesAgain
    /// The reader has slots that share one interface and one name and cannot be used at the same time (Q127).
    case slotsShareInterface
    /// The reader has Bluetooth too. Only its USB side is a PC/SC reader (Q138).
    case usbSideOnly
}
