import AccessoryDevices
import Accessories
import Foundation
import Synchronization
import Testing

/// A HID device that is a program (uhid). It sends input reports, answers one feature report and keeps what
/// it is sent.
///
/// The events are those of linux/uhid.h, written as bytes: all structures are packed, in the byte order of
/// the machine.
final class SoftwareHIDDevice: Sendable {
    /// The numbers of the events.
    private enum Event {
        static let destroy: UInt32 = 1
        static let output: UInt32 = 6
        static let getReport: UInt32 = 9
        static let getReportReply: UInt32 = 10
        static let create: UInt32 = 11
        static let input: UInt32 = 12
    }
    /// The longest report or descriptor.
    private static let longest = 4096
    private static let usbBus: UInt16 = 3

    private let descriptor: Int32
    private let feature: [UInt8]
    private let outputs = Mutex<[[UInt8]]>([])
    private let ending: WakeUp

    /// - Parameter feature: the device's answer to every feature report that is read.
    init(name: String, usb: USBIdentity, reportDescriptor: [UInt8], feature: [UInt8] = []) throws {
        descriptor = unsafe open("/dev/uhid", O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        self.feature = feature
        ending = try WakeUp()
        var event = Self.bytes(Event.create) + Self.padded(Array(name.utf8), to: 128)
        event += [UInt8](repeating: 0, count: 64 + 64)
        event += Self.bytes(UInt16(reportDescriptor.count)) + Self.bytes(Self.usbBus)
        event += Self.bytes(UInt32(usb.vendor)) + Self.bytes(UInt32(usb.product))
        event += Self.bytes(UInt32(1)) + Self.bytes(UInt32(0))
        event += Self.padded(reportDescriptor, to: Self.longest)
        try send(event)
        Thread.detachNewThread { self.answer() }
    }

    /// The reports that were written to the device.
    var written: [[UInt8]] { outputs.withLock { $0 } }

    func sendInput(_ report: [UInt8]) throws {
        try send(
            Self.bytes(Event.input) + Self.bytes(UInt16(report.count)) + Self.padded(report, to: Self.longest)
        )
    }

    /// Unplugs the device.
    func unplug() throws { try send(Self.bytes(Event.destroy)) }

    /// Ends the thread that answers, which closes the device.
    func end() { ending.wake() }

    private func send(_ event: [UInt8]) throws {
        try #require(unsafe write(descriptor, event, event.count) == event.count)
    }

    private func answer() {
        var waiting = WaitSet()
        waiting.add(descriptor)
        waiting.add(ending.descriptor)
        while let ready = try? waiting.wait(atMost: nil), !ready.contains(ending.descriptor) {
            var event = [UInt8](repeating: 0, count: 8192)
            let count = unsafe read(descriptor, &event, event.count)
            guard count > 0 else { continue }
            receive(Array(event.prefix(count)))
        }
        close(descriptor)
    }

    private func receive(_ event: [UInt8]) {
        let body = event.dropFirst(4)
        switch Self.number(event.prefix(4)) {
        case Event.getReport:
            // The number of the request, no error, the length and the bytes.
            let reply =
                Self.bytes(Event.getReportReply) + Array(body.prefix(4)) + Self.bytes(UInt16(0))
                + Self.bytes(UInt16(feature.count)) + Self.padded(feature, to: Self.longest)
            _ = unsafe write(descriptor, reply, reply.count)
        case Event.output:
            let size = Int(Self.number(body.dropFirst(Self.longest).prefix(2)))
            outputs.withLock { $0.append(Array(body.prefix(size))) }
        default: break
        }
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.enumerated().reduce(0) { sum, byte in sum | UInt32(byte.element) << UInt32(8 * byte.offset) }
    }

    private static func padded(_ bytes: [UInt8], to count: Int) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: count - bytes.count)
    }
}
