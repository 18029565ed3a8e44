package import Accessories
internal import CAccessoryDevices
internal import Glibc

/// A keyboard that this program plays (uinput). The other programs of the computer receive its keys as from a
/// keyboard.
///
/// The device declares only the keys that it was created with, and the kernel drops all others: a program
/// with this device cannot type anything else. Desktop programs need up to a second to open a new keyboard,
/// so that the device is created when the program starts, not when the first key is due. There is no way to
/// learn which program receives the keys.
///
/// A desktop, or the kernel's console, sets the LEDs of all keyboards when Caps Lock or Num Lock changes. The
/// kernel passes such a change to the program that plays the keyboard, which reads it from uinput. A new
/// device begins with all LEDs off, and gets a change at once if a lock is on. Without a desktop and without
/// a console nobody sets LEDs.
///
/// The calls are for one thread, and none waits.
package struct VirtualKeyboard: ~Copyable, Sendable {
    /// The name that other programs see.
    private static let name = "Countersign keys"
    /// The LEDs whose state tells which character a key gives.
    private static let leds = [LED_CAPSL, LED_NUML]

    private let device: OwnedDescriptor
    private let codes: Set<UInt16>
    private var locks = KeyboardLocks()

    /// Creates the keyboard.
    ///
    /// - Parameters:
    ///   - codes: the keys that can be pressed, with the Shift and AltGr keys (`KEY_LEFTSHIFT` 42,
    ///     `KEY_RIGHTALT` 100) if `press` is called with them.
    ///   - identity: the numbers that other programs see. The bus is `BUS_VIRTUAL`, where nobody assigns
    ///     numbers.
    /// - Throws: `absent` without the kernel's module uinput; `notPermitted` if `/dev/uinput` may not be
    ///   opened; `misconfigured` if there is no key, or a code of something else than a key.
    package init(
        codes: Set<UInt16>, identity: USBIdentity = USBIdentity(vendor: 0, product: 0)
    ) throws(DeviceFault) {
        // From BTN_MISC (100h) on there are buttons of mice and joysticks, and keys of remote controls.
        guard !codes.isEmpty, codes.allSatisfy({ (1..<UInt16(BTN_MISC)).contains($0) }) else {
            throw .misconfigured("a virtual keyboard needs keys, and can have only keys of a keyboard")
        }
        let device = try OwnedDescriptor.device("/dev/uinput", O_RDWR)
        try Self.declare(codes, at: device)
        var setup = Self.setup(identity)
        guard unsafe countersign_uinput_setup(device.raw, &setup) == 0,
            countersign_uinput_create(device.raw) == 0
        else {
            throw DeviceFault(errno: errno)
        }
        self.device = device
        self.codes = codes
    }

    deinit {
        _ = countersign_uinput_destroy(device.raw)
    }

    /// The descriptor for a `WaitSet`, which is ready when an LED has changed. Valid as long as this value
    /// exists.
    package var descriptor: Int32 { device.raw }

    /// The name of the device in `/sys/devices/virtual/input`, such as `input7`; `nil` if the kernel does not
    /// tell.
    package var systemName: String? {
        var name = [UInt8](repeating: 0, count: 64)
        let length = unsafe name.withUnsafeMutableBytes {
            unsafe countersign_uinput_system_name(device.raw, $0.baseAddress, $0.count)
        }
        return length > 0 ? String(decoding: name.prefix { $0 != 0 }, as: UTF8.self) : nil
    }

    /// Presses and releases a key.
    ///
    /// - Parameters:
    ///   - code: the key, one of those of `init`.
    ///   - shift: whether the left Shift key is held meanwhile.
    ///   - altGr: whether the right Alt key is held meanwhile.
    /// - Throws: `misconfigured` for a key that was not declared, because the kernel would drop it without an
    ///   error.
    package func press(code: UInt16, shift: Bool = false, altGr: Bool = false) throws(DeviceFault) {
        var held: [UInt16] = []
        if shift { held.append(UInt16(KEY_LEFTSHIFT)) }
        if altGr { held.append(UInt16(KEY_RIGHTALT)) }
        guard codes.isSuperset(of: held + [code]) else {
            throw .misconfigured("the virtual keyboard was created without a key of the template")
        }
        let down = (held + [code]).map { InputEvent.key($0, isDown: true) }
        let up = ([code] + held.reversed()).map { InputEvent.key($0, isDown: false) }
        // Each event is a moment of its own, as on a keyboard. One call writes all of them: a program that
        // ends between two calls would leave a key down, which the desktop then repeats without end.
        try send((down + up).flatMap { [$0, .report] })
    }

    /// Writes events as they are.
    func send(_ events: [InputEvent]) throws(DeviceFault) { try device.writeEvents(events) }

    /// Reads the LED changes that have arrived, and returns which locks are on.
    package mutating func readLocks() throws(DeviceFault) -> KeyboardLocks {
        while true {
            let events = try device.readEvents()
            guard !events.isEmpty else { return locks }
            for event in events where event.type == UInt16(EV_LED) {
                locks.set(event.code, isOn: event.value != 0)
            }
        }
    }

    private static func declare(_ codes: Set<UInt16>, at device: borrowing OwnedDescriptor)
        throws(DeviceFault)
    {
        var isAccepted =
            countersign_uinput_allow_type(device.raw, EV_KEY) == 0
            && countersign_uinput_allow_type(device.raw, EV_LED) == 0
        for code in codes {
            isAccepted = isAccepted && countersign_uinput_allow_key(device.raw, Int32(code)) == 0
        }
        for led in leds { isAccepted = isAccepted && countersign_uinput_allow_led(device.raw, led) == 0 }
        guard isAccepted else {
            throw errno == ENOTTY
                ? .misconfigured("/dev/uinput is not the kernel's uinput") : DeviceFault(errno: errno)
        }
    }

    private static func setup(_ identity: USBIdentity) -> uinput_setup {
        var setup = uinput_setup()
        setup.id = input_id(
            bustype: UInt16(BUS_VIRTUAL), vendor: identity.vendor, product: identity.product, version: 1)
        // The name is shorter than the kernel's 80 bytes, and the rest of them are NUL.
        unsafe withUnsafeMutableBytes(of: &setup.name) { unsafe $0.copyBytes(from: name.utf8) }
        return setup
    }
}

/// The locks of a computer's keyboards.
package struct KeyboardLocks: Equatable, Sendable {
    package private(set) var isCapsLockOn = false
    package private(set) var isNumLockOn = false

    package init() {}

    /// Records a change of an LED.
    fileprivate mutating func set(_ led: UInt16, isOn: Bool) {
        switch Int32(led) {
        case LED_CAPSL: isCapsLockOn = isOn
        case LED_NUML: isNumLockOn = isOn
        default: break
        }
    }
}
