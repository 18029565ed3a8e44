internal import ConfigurationForms

extension AccessoryForms {
    /// The form of a scanner.
    static let scanner = ConfigurationForm<Scanner?>.object(
        nil,
        ConfigurationTable<Scanner?>(
            [
                "serial": .optional(
                    "a scanner that sends text over a serial line or USB CDC. Recommended: the text arrives whole, and no other program receives it",
                    as: serial, at: \.self),
                "keyboard": .optional(
                    "a scanner that types as a keyboard. `countersign-accessories` takes the keyboard exclusively; before and after, it types into whatever has the focus",
                    as: keyboard, at: \.self),
                "hidPos": .optional(
                    "a scanner in HID POS mode. It types nothing", as: hidPOS, at: \.self),
                "camera": .optional(
                    "a camera that reads the code. It is on only while the lane takes a code and during a try (at most 30 s), and no picture is kept",
                    as: camera, at: \.self),
            ], oneOf: ["serial", "keyboard", "hidPos", "camera"]))

    private static let serial = ConfigurationForm<SerialScanner>.object(
        SerialScanner(),
        ConfigurationTable<SerialScanner>([
            "device": .required(
                "the device, preferably below `/dev/serial/by-id`, because the numbers of `/dev/ttyACM0` change",
                as: .path, at: \.device, faults: sameDevice),
            "speed": .value(
                "the speed in bits per second. USB CDC ignores it", as: speed, at: \.speed),
            "prefix": .optional(
                "text that the scanner sends before each code. It is removed. AIM identifiers such as `]Q1` are removed without this member",
                as: .text(upTo: 8), at: \.prefix),
            "commands": .optional(
                "the maker whose commands switch the scanner on while the lane waits for a phone, and off when a phone is connected",
                as: .word(of: ScannerMaker.self), at: \.commands,
                without: "none: the scanner is always on"),
        ])
    ).map { scanner, _, _ in Scanner.serial(scanner) }

    private static let keyboard = ConfigurationForm<KeyboardScanner>.object(
        KeyboardScanner(),
        ConfigurationTable<KeyboardScanner>([
            "usb": .required(
                "the scanner's USB id, as `lsusb` shows it", as: .text(upTo: 9, TextFormat.usbIdentity),
                at: \.usb, faults: sameDevice),
            "layout": .value(
                "the keyboard layout to which the scanner is set. `auto` finds it from the first keys of a code",
                as: .words([("auto", nil)] + KeyboardLayout.allCases.map { ($0.rawValue, $0) }),
                at: \.layout),
        ])
    ).map { scanner, _, _ in Scanner.keyboard(scanner) }

    private static let hidPOS = ConfigurationForm<HIDPOSScanner>.object(
        HIDPOSScanner(),
        ConfigurationTable<HIDPOSScanner>([
            "usb": .required(
                "the scanner's USB id, as `lsusb` shows it", as: .text(upTo: 9, TextFormat.usbIdentity),
                at: \.usb, faults: sameDevice)
        ])
    ).map { scanner, _, _ in Scanner.hidPOS(scanner) }

    private static let camera = ConfigurationForm<CameraScanner>.object(
        CameraScanner(),
        ConfigurationTable<CameraScanner>([
            "device": .required(
                "the V4L2 device, preferably below `/dev/v4l/by-id`, because the numbers of `/dev/video0` change",
                as: .path, at: \.device, faults: sameDevice)
        ])
    ).map { scanner, _, _ in Scanner.camera(scanner) }

    /// The reference's text of the fault that `Accessory.conflict(with:)` returns for a device.
    static let sameDevice = "`accessory NAME \(Accessory.sameDevice)` (at `accessories[N]`)"
}
