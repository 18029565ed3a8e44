import Accessories
import CAccessoryDevices
import Foundation
import Testing

@testable import AccessoryDevices

@Suite("Cameras of the kernel")
struct CameraDeviceTests {
    private func fault(_ path: String) -> DeviceFault? {
        do throws(DeviceFault) {
            _ = try CameraDevice(path: path)
            return nil
        } catch {
            return error
        }
    }

    @Test("What is no camera is named, and what is not there is absent")
    func notCameras() throws {
        #expect(fault("/nowhere/video0") == .absent)
        let file = FileManager.default.temporaryDirectory.appending(path: "countersign-\(UUID().uuidString)")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        for path in ["/dev/null", "/dev", file.path, "/dev/null\0/dev/video0"] {
            #expect(fault(path)?.state == .misconfigured, "\(path)")
        }
        let text = String(describing: fault("/dev/null"))
        #expect(text.contains("the device is no camera"))
    }

    @Test("A node is present or not, whatever it is")
    func presence() {
        #expect(CameraDevice.isPresent(path: "/dev/null"))
        #expect(!CameraDevice.isPresent(path: "/nowhere/video0"))
    }

    @Test("Only a node with pictures that can be mapped is usable")
    func capabilities() {
        let (capture, output, streaming, metadata): (UInt32, UInt32, UInt32, UInt32) = (
            0x1, 0x2, 0x0400_0000, 0x0080_0000
        )
        #expect(countersign_camera_is_usable(capture | streaming) != 0)
        for other in [capture, streaming, output | streaming, metadata | streaming, 0] {
            #expect(countersign_camera_is_usable(other) == 0)
        }
    }

    @Test("The calls have the kernel's numbers, which contain the sizes of the structs on 64 bits")
    func requests() {
        let numbers = unsafe withUnsafeBytes(of: countersign_camera_requests) {
            unsafe Array($0.bindMemory(to: UInt.self))
        }
        #expect(
            numbers == [
                0x8068_5600, 0xc0d0_5605, 0xc014_5608, 0xc058_5609, 0xc058_560f, 0xc058_5611, 0x4004_5612,
                0x4004_5613,
            ])
        let sizes = unsafe [
            MemoryLayout<v4l2_capability>.size, MemoryLayout<v4l2_format>.size,
            MemoryLayout<v4l2_requestbuffers>.size, MemoryLayout<v4l2_buffer>.size,
        ]
        #expect(sizes == [104, 208, 20, 88])
    }
}
