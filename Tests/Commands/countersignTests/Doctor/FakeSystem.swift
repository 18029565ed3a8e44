import CommandBench
import Foundation

@testable import Doctor
@testable import countersign

/// A folder that stands for `/`, with what a test puts into it.
final class FakeSystem {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    var path: String { folder.url.path }
    var system: SystemFolder { SystemFolder(root: path) }

    func write(_ path: String, _ text: String) throws {
        let file = folder.url.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func text(_ path: String) -> String? {
        try? String(contentsOf: folder.url.appending(path: path), encoding: .utf8)
    }

    /// A USB device with one interface, of the smart-card class unless another is said.
    func plugIn(
        _ name: String, _ vendor: String, _ product: String, interface: String = "0b", power: String = "on"
    ) throws {
        let devices = "/sys/bus/usb/devices"
        try write("\(devices)/\(name)/idVendor", "\(vendor)\n")
        try write("\(devices)/\(name)/idProduct", "\(product)\n")
        try write("\(devices)/\(name)/serial", "SERIAL-OF-READER\n")
        try write("\(devices)/\(name)/power/control", "\(power)\n")
        try write("\(devices)/\(name):1.0/bInterfaceClass", "\(interface)\n")
    }
}
