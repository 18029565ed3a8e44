package import Accessories
internal import CAccessoryDevices
internal import Glibc

/// A scanner that types, taken exclusively (evdev, EVIOCGRAB).
///
/// While the device is grabbed, no other program receives its keys: no code is typed into the till or a
/// terminal. Only the device with the USB numbers of the configuration file is opened, never another
/// keyboard.
///
/// The calls are for one thread. `init` waits up to 2 s for keys that are down; no other call waits.
package struct KeyboardDevice: ~Copyable, Sendable {
    /// The longest wait for the moment at which no key is down.
    private static let keyUpLimit = Duration.seconds(2)
    /// Keys by which a keyboard is told from the other interfaces of a scanner, such as one for volume keys.
    static let keysOfKeyboards = [KEY_ENTER, KEY_A, KEY_C, KEY_D, KEY_M, KEY_O, KEY_Z]

    /// The most reads of events from before the grab, more than the kernel keeps for one program.
    private static let drainCount = 64

    private let node: OwnedDescriptor

    /// Finds the keyboard, and takes it exclusively.
    ///
    /// - Throws: `absent` if no input device has the numbers; `misconfigured` if the device is no keyboard,
    ///   or if two keyboards have the numbers; `busy` if another program has grabbed the keyboard, or a key
    ///   is down for 2 s; `notPermitted` if the node may not be opened.
    package init(usb: USBIdentity) throws(DeviceFault) {
        let node = try Self.open(try Self.path(of: usb))
        // Another device may have got the name of the node since it was found.
        guard try Self.isKeyboard(node, usb) else { throw .absent }
        try Self.grab(node)
        // Keys from before the grab went to other programs also, and could be the end of a code.
        for _ in 0..<Self.drainCount where try node.readEvents().isEmpty { break }
        self.node = node
    }

    /// The descriptor for a `WaitSet`, valid as long as this value exists.
    package var descriptor: Int32 { node.raw }

    /// Reads the events that have arrived, at most 64; none if nothing has arrived yet.
    ///
    /// If the events were read too late, the kernel has dropped some of them, and `SYN_DROPPED` stands in
    /// their place.
    ///
    /// - Throws: `absent` if the device was unplugged.
    package func read() throws(DeviceFault) -> [InputEvent] { try node.readEvents() }

    /// Whether the Caps Lock LED of the device is on. `false` for a device without this LED.
    ///
    /// The kernel ignores changes of LEDs by other programs while the device is grabbed. The value is
    /// therefore the state before the grab, which is also all that a scanner knows that follows Caps Lock.
    package func isCapsLockOn() throws(DeviceFault) -> Bool {
        try unsafe node.inputBits(upTo: LED_MAX) { unsafe countersign_input_leds($0, $1, $2) }.contains(
            LED_CAPSL)
    }

    private static func open(_ path: String) throws(DeviceFault) -> OwnedDescriptor {
        try OwnedDescriptor.device(path, O_RDONLY)
    }

    /// Returns the path of the one keyboard with the USB numbers.
    private static func path(of usb: USBIdentity) throws(DeviceFault) -> String {
        let nodes = InputNodes.names(of: usb)
        guard !nodes.isEmpty else { throw .absent }
        var keyboards: [String] = []
        var fault = DeviceFault.misconfigured(
            "the USB device is no keyboard; set the scanner to its keyboard mode")
        for path in nodes.map({ "/dev/input/\($0)" }) {
            do throws(DeviceFault) {
                if try isKeyboard(try open(path), usb) { keyboards.append(path) }
            } catch {
                // The udev rule gives this program only the node with keys. The other nodes of the scanner
                // stay closed.
                fault = error
            }
        }
        guard let keyboard = keyboards.first else { throw fault }
        guard keyboards.count == 1 else {
            throw .misconfigured("\(keyboards.count) keyboards have this USB number; unplug all but one")
        }
        return keyboard
    }

    private static func isKeyboard(
        _ node: borrowing OwnedDescriptor, _ usb: USBIdentity
    ) throws(DeviceFault) -> Bool {
        var id = input_id()
        guard unsafe countersign_input_id(node.raw, &id) >= 0 else {
            throw errno == ENOTTY ? .misconfigured("the node is no input device") : DeviceFault(errno: errno)
        }
        guard id.vendor == usb.vendor, id.product == usb.product else { return false }
        let keys = try unsafe node.inputBits(upTo: KEY_MAX) {
            unsafe countersign_input_codes($0, UInt32(EV_KEY), $1, $2)
        }
        return keysOfKeyboards.allSatisfy(keys.contains)
    }

    /// Grabs the device at a moment when no key is down. Other programs would never learn that a key went up
    /// after the grab, and would repeat it without end.
    private static func grab(_ node: borrowing OwnedDescriptor) throws(DeviceFault) {
        let end = MonotonicNow.sinceBoot + keyUpLimit
        repeat {
            // Old events are read before the keys are. A key that goes up after the keys were read then ends the
            // wait below.
            _ = try node.readEvents()
            guard try !isAnyKeyDown(node) else { continue }
            guard countersign_input_grab(node.raw, 1) == 0 else { throw DeviceFault(errno: errno) }
            // A key may have gone down between the check and the grab.
            if try !isAnyKeyDown(node) { return }
            _ = countersign_input_grab(node.raw, 0)
        } while try node.wait(for: POLLIN, until: end)
        throw .busy
    }

    private static func isAnyKeyDown(_ node: borrowing OwnedDescriptor) throws(DeviceFault) -> Bool {
        try unsafe !node.inputBits(upTo: KEY_MAX) { unsafe countersign_input_keys_down($0, $1, $2) }.isEmpty
    }
}
