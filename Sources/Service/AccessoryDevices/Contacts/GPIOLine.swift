internal import CAccessoryDevices
internal import Glibc

/// An output line of a GPIO chip, held for as long as this value exists (GPIO character device, version 2,
/// Linux 5.10).
///
/// The line is off when it is requested, and is switched off before it is released. What the chip does with a
/// released line is its own matter: some go back to an input, some keep the level. The wiring has to be shut
/// without a signal.
///
/// The calls are for one thread, and none waits.
package struct GPIOLine: ~Copyable, Sendable {
    /// The name that other programs see as the user of the line.
    private static let consumer = "countersign"

    private let line: OwnedDescriptor

    /// Requests a line as an output that is off.
    ///
    /// - Parameters:
    ///   - chip: the path of the chip, such as `/dev/gpiochip0`.
    ///   - number: the number of the line on its chip, from 0.
    ///   - isActiveLow: whether the line is low when it is on.
    /// - Throws: `busy` if another program or the kernel uses the line; `misconfigured` if the chip has no
    ///   such line, or the path names something else than a chip.
    package init(chip: String, line number: Int, isActiveLow: Bool) throws(DeviceFault) {
        let chip = try OwnedDescriptor.device(chip, O_RDWR)
        var info = gpiochip_info()
        guard unsafe countersign_gpio_chip(chip.raw, &info) >= 0 else {
            throw errno == ENOTTY || errno == EINVAL
                ? .misconfigured("the device is no GPIO chip") : DeviceFault(errno: errno)
        }
        guard number >= 0, number < Int(info.lines) else {
            throw .misconfigured(
                "the GPIO chip has no line \(number); its lines are 0 to \(Int(info.lines) - 1)")
        }
        var request = Self.request(line: UInt32(number), isActiveLow: isActiveLow)
        guard unsafe countersign_gpio_request(chip.raw, &request) >= 0 else {
            throw DeviceFault(errno: errno)
        }
        line = OwnedDescriptor(owning: request.fd)
    }

    deinit {
        var values = Self.values(isOn: false)
        // A chip that was unplugged cannot be switched off, and nobody is left to tell.
        _ = unsafe countersign_gpio_set(line.raw, &values)
    }

    /// Switches the line.
    ///
    /// - Throws: `absent` if the chip was unplugged.
    package func set(_ isOn: Bool) throws(DeviceFault) {
        var values = Self.values(isOn: isOn)
        guard unsafe countersign_gpio_set(line.raw, &values) >= 0 else { throw DeviceFault(errno: errno) }
    }

    /// Reads the line from the chip.
    ///
    /// - Throws: `absent` if the chip was unplugged; `failed` if the chip cannot read an output.
    package func isOn() throws(DeviceFault) -> Bool {
        var values = Self.values(isOn: false)
        guard unsafe countersign_gpio_get(line.raw, &values) >= 0 else { throw DeviceFault(errno: errno) }
        return values.bits & 1 == 1
    }

    /// Returns the value of the only line of a request, which has bit 0.
    private static func values(isOn: Bool) -> gpio_v2_line_values {
        gpio_v2_line_values(bits: isOn ? 1 : 0, mask: 1)
    }

    private static func request(line: UInt32, isActiveLow: Bool) -> gpio_v2_line_request {
        // The kernel refuses a request whose reserved members are not zero, and the initialiser makes all of
        // them zero.
        var request = gpio_v2_line_request()
        request.offsets.0 = line
        request.num_lines = 1
        request.config.flags = UInt64(GPIO_V2_LINE_FLAG_OUTPUT.rawValue)
        if isActiveLow { request.config.flags |= UInt64(GPIO_V2_LINE_FLAG_ACTIVE_LOW.rawValue) }
        // The first level of the output is a part of the request. A line that is requested and then switched
        // off could be on in between.
        request.config.num_attrs = 1
        request.config.attrs.0.attr.id = UInt32(GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES.rawValue)
        request.config.attrs.0.attr.values = 0
        request.config.attrs.0.mask = 1
        // The name is shorter than the kernel's 32 bytes, and the rest of them are NUL.
        unsafe withUnsafeMutableBytes(of: &request.consumer) { unsafe $0.copyBytes(from: consumer.utf8) }
        return request
    }
}
