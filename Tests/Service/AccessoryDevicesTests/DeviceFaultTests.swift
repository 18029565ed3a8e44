import Accessories
import AccessoryDevices
import Foundation
import Testing

@Suite("Faults of devices")
struct DeviceFaultTests {
    static let faults: [(code: Int32, fault: DeviceFault, state: AccessoryState)] = [
        (ENOENT, .absent, .absent), (ENXIO, .absent, .absent), (ENODEV, .absent, .absent),
        (EIO, .absent, .absent),
        (ESHUTDOWN, .absent, .absent), (ECONNREFUSED, .absent, .absent), (EHOSTUNREACH, .absent, .absent),
        (EBUSY, .busy, .busy), (EACCES, .notPermitted, .notPermitted), (EPERM, .notPermitted, .notPermitted),
        (ETIMEDOUT, .notAnswering, .notAnswering), (EINVAL, .failed(errno: EINVAL), .notAnswering),
        (EMFILE, .failed(errno: EMFILE), .notAnswering), (0, .failed(errno: 0), .notAnswering),
    ]

    @Test("Each error number is one fault, and each fault one state", arguments: faults)
    func mapping(_ row: (code: Int32, fault: DeviceFault, state: AccessoryState)) {
        #expect(DeviceFault(errno: row.code) == row.fault)
        #expect(row.fault.state == row.state)
    }

    @Test("A device with a fault is never usable")
    func usable() {
        for row in Self.faults { #expect(!row.fault.state.isUsable) }
        #expect(DeviceFault.misconfigured("no such line").state == .misconfigured)
    }

    @Test("A path without a device is absent, for each kind of device")
    func noDevice() {
        let path = "/dev/countersign-no-such-device"
        #expect(throws: DeviceFault.absent) { _ = try SerialLine(path: path, speed: 9600) }
        #expect(throws: DeviceFault.absent) { _ = try HIDRawDevice(path: path) }
        #expect(throws: DeviceFault.absent) { _ = try GPIOLine(chip: path, line: 0, isActiveLow: false) }
    }

    @Test(
        "A device of another kind and a folder are misconfigured",
        arguments: ["/dev/null", "/dev", "/dev/null/x", "/dev/null\0x"])
    func otherDevice(_ path: String) {
        expectMisconfigured(path)
    }

    @Test("A file and a pipe are misconfigured")
    func file() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "countersign-\(UUID().uuidString)")
            .path
        defer { unsafe unlink(path) }
        try Data("text".utf8).write(to: URL(filePath: path))
        expectMisconfigured(path)
        unsafe unlink(path)
        try #require(unsafe mkfifo(path, 0o600) == 0)
        expectMisconfigured(path)
    }

    private func expectMisconfigured(_ path: String) {
        #expect(
            Self.fault { () throws(DeviceFault) in _ = try SerialLine(path: path, speed: 9600) }
                == .misconfigured)
        #expect(Self.fault { () throws(DeviceFault) in _ = try HIDRawDevice(path: path) } == .misconfigured)
        #expect(
            Self.fault { () throws(DeviceFault) in _ = try GPIOLine(chip: path, line: 0, isActiveLow: false) }
                == .misconfigured)
    }

    /// The state of the fault that `body` throws.
    private static func fault(_ body: () throws(DeviceFault) -> Void) -> AccessoryState? {
        do throws(DeviceFault) {
            try body()
            return nil
        } catch {
            return error.state
        }
    }
}
