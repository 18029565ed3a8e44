package import Accessories
internal import CAccessoryDevices
internal import Glibc

/// A HID device, read and written as reports (hidraw): a scanner of the usage page 8Ch, or a relay board.
///
/// hidraw has no exclusive opening. Every program that may open the device receives all of its input reports,
/// and several values of this type can be open for the contacts of one board.
///
/// The calls are for one thread. A report goes to the device while the call waits: up to 5 s (the kernel's
/// limit) if the device does not answer.
package struct HIDRawDevice: ~Copyable, Sendable {
    /// The folder of the kernel with the hidraw devices.
    static let folder = "/sys/class/hidraw"
    /// The bus number of USB (linux/input.h).
    private static let usbBus = UInt16(BUS_USB)

    private let device: OwnedDescriptor
    /// The maker's and the product's name, such as `www.dcttech.com USBRelay2`.
    package let name: String
    /// The USB device; `nil` for a HID device that is not at USB.
    private let place: USBPlace?

    /// Returns the paths of the USB devices with these numbers, in the order of their nodes. A device with
    /// several HID interfaces has several paths. No device is opened.
    package static func paths(of usb: USBIdentity) -> [String] {
        names(of: usb, in: folder).map { "/dev/\($0)" }
    }

    /// Returns the names of the nodes, such as `hidraw0`.
    static func names(of usb: USBIdentity, in folder: String) -> [String] {
        SystemFiles.names(in: folder, beginningWith: "hidraw").filter { name in
            guard let text = SystemFiles.text(of: "\(folder)/\(name)/device/uevent"),
                let identity = HIDIdentity(uevent: text)
            else { return false }
            return identity.bus == usbBus && identity.usb == usb
        }
    }

    /// Opens a device.
    ///
    /// - Parameter path: the path of the node, such as `/dev/hidraw0`, or of a link to it.
    /// - Throws: `misconfigured` if the path names something else than a hidraw device.
    package init(path: String) throws(DeviceFault) {
        let device = try OwnedDescriptor.device(path, O_RDWR)
        var info = hidraw_devinfo()
        guard unsafe countersign_hid_info(device.raw, &info) >= 0 else {
            throw errno == ENOTTY || errno == EINVAL
                ? .misconfigured("the device is no HID device (hidraw)") : DeviceFault(errno: errno)
        }
        name = Self.name(of: device.raw)
        place = Self.place(of: device.raw)
        self.device = device
    }

    /// The descriptor for a `WaitSet`, valid as long as this value exists.
    package var descriptor: Int32 { device.raw }

    /// The device's path in `/sys/bus/usb/devices`, such as `1-1.2`; `nil` if the device is not at USB.
    package var usbPath: String? { place?.name }

    /// The USB product text, such as `USBRelay2`; `name` if the device is not at USB.
    package var product: String { place.flatMap { SystemFiles.text(of: "\($0.folder)/product") } ?? name }

    /// Returns the report descriptor (USB HID 1.11, 6.2.2), at most 4096 bytes.
    package func reportDescriptor() throws(DeviceFault) -> [UInt8] {
        var size: Int32 = 0
        guard unsafe countersign_hid_descriptor_size(device.raw, &size) >= 0 else {
            throw DeviceFault(errno: errno)
        }
        guard (0...HID_MAX_DESCRIPTOR_SIZE).contains(size) else { throw .failed(errno: EMSGSIZE) }
        // struct hidraw_report_descriptor: the length that is wanted, then the bytes.
        let head = unsafe withUnsafeBytes(of: UInt32(size)) { unsafe Array($0) }
        var memory = head + [UInt8](repeating: 0, count: Int(HID_MAX_DESCRIPTOR_SIZE))
        let result = unsafe memory.withUnsafeMutableBytes {
            unsafe countersign_hid_descriptor(device.raw, $0.baseAddress)
        }
        guard result >= 0 else { throw DeviceFault(errno: errno) }
        return Array(memory.dropFirst(head.count).prefix(Int(size)))
    }

    /// Reads one input report; empty if none has arrived yet. The report begins with its number if the device
    /// numbers its reports.
    ///
    /// - Parameter count: the longest report in bytes. The rest of a longer report is lost.
    /// - Throws: `absent` if the device was unplugged.
    package func read(upTo count: Int = 4096) throws(DeviceFault) -> [UInt8] {
        switch try device.read(upTo: count) {
        case .bytes(let bytes): bytes
        case .nothing: []
        case .end: throw .absent
        }
    }

    /// Writes one output report.
    ///
    /// - Parameter report: the number of the report, which is 0 if the device does not number its reports,
    ///   and its bytes.
    /// - Throws: `notAnswering` if the device refuses the report or does not answer; `absent` if it was
    ///   unplugged.
    package func write(_ report: [UInt8]) throws(DeviceFault) {
        let count = unsafe report.withUnsafeBytes { unsafe Glibc.write(device.raw, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw Self.fault(errno) }
        guard count == report.count else { throw .notAnswering }
    }

    /// Reads a feature report.
    ///
    /// - Parameters:
    ///   - report: the number of the report. With 0, the kernel puts a byte 0 before the device's bytes. With
    ///     another number it returns the device's bytes alone, which begin with the number only if the device
    ///     sends it.
    ///   - length: the longest report in bytes, with the byte of the number.
    /// - Returns: the bytes as the kernel gives them.
    /// - Throws: `notAnswering` if the device refuses the request or does not answer; `absent` if it was
    ///   unplugged.
    package func feature(report: UInt8, length: Int) throws(DeviceFault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(1, length))
        bytes[0] = report
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe countersign_hid_feature(device.raw, $0.baseAddress, $0.count)
        }
        guard count >= 0 else { throw Self.fault(errno) }
        return Array(bytes.prefix(Int(count)))
    }

    /// The fault of a transfer. A device that refuses a request gives EPIPE (a stall), a device that breaks
    /// off gives EPROTO or EILSEQ.
    private static func fault(_ code: Int32) -> DeviceFault {
        code == EPIPE || code == EPROTO || code == EILSEQ ? .notAnswering : DeviceFault(errno: code)
    }

    private static func name(of device: Int32) -> String {
        var text = [UInt8](repeating: 0, count: 256)
        let length = unsafe text.withUnsafeMutableBytes {
            unsafe countersign_hid_name(device, $0.baseAddress, $0.count)
        }
        return String(decoding: text.prefix(Int(max(0, length))).prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Finds the USB device of an open node by the node's numbers, because the path may be a link with
    /// another name.
    private static func place(of device: Int32) -> USBPlace? {
        var facts = stat()
        guard unsafe fstat(device, &facts) == 0 else { return nil }
        let numbers = "\(countersign_device_major(facts.st_rdev)):\(countersign_device_minor(facts.st_rdev))"
        return SystemFiles.realPath("/sys/dev/char/\(numbers)").flatMap(USBPlace.init(devicePath:))
    }
}
