import Foundation

/// A folder in place of `/`, or of one below `/sys`.
final class MadeUpTree {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "countersign-\(UUID().uuidString)")

    var path: String { folder.path }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ text: String, to path: String) throws { try write(Array(text.utf8), to: path) }

    func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: try made(path))
    }

    /// Makes a link to another path of the tree.
    func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            at: try made(path), withDestinationURL: folder.appending(path: target))
    }

    /// The place of a file whose folder exists.
    private func made(_ path: String) throws -> URL {
        let file = folder.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        return file
    }
}

extension MadeUpTree {
    /// The folder of a USB device, as the kernel writes it.
    private func usb(_ place: String, _ id: String, _ maker: String, _ product: String) throws -> String {
        let device = "sys/devices/pci0000:00/usb\(place.prefix { $0 != "-" })/\(place)"
        let parts = id.split(separator: ":")
        try write("\(parts[0])\n", to: "\(device)/idVendor")
        try write("\(parts[1])\n", to: "\(device)/idProduct")
        if !maker.isEmpty { try write("\(maker)\n", to: "\(device)/manufacturer") }
        if !product.isEmpty { try write("\(product)\n", to: "\(device)/product") }
        return device
    }

    /// Plugs in a device with a serial line. `link` is its name below `/dev/serial/by-id`.
    func plugInLine(
        _ node: String, at place: String, _ id: String, maker: String = "", product: String = "",
        link: String,
        number: String = "166:0", record: String? = nil
    ) throws {
        let interface = try usb(place, id, maker, product) + "/\(place):1.0"
        try write("\(number)\n", to: "\(interface)/tty/\(node)/dev")
        try self.link("\(interface)/tty/\(node)/device", to: interface)
        try self.link("sys/class/tty/\(node)", to: "\(interface)/tty/\(node)")
        try write("", to: "dev/\(node)")
        try self.link("dev/serial/by-id/\(link)", to: "dev/\(node)")
        if let record { try write(record, to: "run/udev/data/c\(number)") }
    }

    /// Plugs in a HID device.
    func plugInHID(
        _ node: String, at place: String, _ id: String, maker: String = "", product: String = "",
        descriptor: [UInt8] = []
    ) throws {
        let device = try usb(place, id, maker, product) + "/\(place):1.0/0003:\(node)"
        let numbers = id.uppercased().split(separator: ":").map { "0000\($0)" }.joined(separator: ":")
        try write("HID_ID=0003:\(numbers)\n", to: "\(device)/uevent")
        try write(descriptor, to: "\(device)/report_descriptor")
        try self.link("\(device)/hidraw/\(node)/device", to: device)
        try self.link("sys/class/hidraw/\(node)", to: "\(device)/hidraw/\(node)")
    }

    /// Plugs in an input device. `keys` is the file with the bits of its keys.
    func plugInKeys(
        _ node: String, at place: String, _ id: String, maker: String = "", product: String = "",
        keys: String = "1000000000007 ff9f207ac14057ff febeffdfffefffff fffffffffffffffe"
    ) throws {
        let device = try usb(place, id, maker, product) + "/\(place):1.0/input/input7"
        let numbers = id.split(separator: ":")
        try write("\(keys)\n", to: "\(device)/capabilities/key")
        try write("\(numbers[0])\n", to: "\(device)/id/vendor")
        try write("\(numbers[1])\n", to: "\(device)/id/product")
        try self.link("\(device)/\(node)/device", to: device)
        try self.link("sys/class/input/\(node)", to: "\(device)/\(node)")
    }
}
