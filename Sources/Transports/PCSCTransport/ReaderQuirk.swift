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
    /// Slots share one interface and one name; they cannot be used at the same time (Q127).
    case slotsShareInterface
    /// Also speaks Bluetooth; only its USB side is a PC/SC reader (Q138).
    case usbSideOnly
}
