/// A scanner that reads the QR code on a phone's screen.
package enum Scanner: Equatable, Sendable {
    /// A scanner that sends text over a serial line: USB CDC, or a serial chip.
    case serial(SerialScanner)
    /// A scanner that types, as a keyboard does. The program takes the keyboard exclusively.
    case keyboard(KeyboardScanner)
    /// A scanner of the HID usage page 8Ch ("HID POS").
    case hidPOS(HIDPOSScanner)
    /// A camera that reads the code. It is on only while the lane takes a code or an operator tries it.
    case camera(CameraScanner)
}

package struct SerialScanner: Equatable, Sendable {
    /// The path of the device, preferably below `/dev/serial/by-id`.
    package var device = ""
    /// The speed in bits per second. A USB CDC device ignores it.
    package var speed = 115_200
    /// A text of at most 8 characters that the scanner sends before each code, and that is removed.
    package var prefix: String?
    /// The maker whose commands switch the scanner on and off; `nil` for a scanner that is always on.
    package var commands: ScannerMaker?

    package init() {}
}

/// A maker of scanners, for the commands that switch a scanner on and off.
package enum ScannerMaker: String, CaseIterable, Sendable {
    case honeywell, datalogic, newland, zebra, opticon
}

package struct KeyboardScanner: Equatable, Sendable {
    package var usb = USBIdentity(vendor: 0, product: 0)
    /// The layout to which the scanner is set; `nil` to find it from the keys of `mdoc:`.
    package var layout: KeyboardLayout?

    package init() {}
}

/// A keyboard layout: which character a key gives.
package enum KeyboardLayout: String, CaseIterable, Sendable {
    case us, de, fr
}

package struct HIDPOSScanner: Equatable, Sendable {
    package var usb = USBIdentity(vendor: 0, product: 0)

    package init() {}
}

package struct CameraScanner: Equatable, Sendable {
    /// The path of the V4L2 device, preferably below `/dev/v4l/by-id`.
    package var device = ""

    package init() {}
}
