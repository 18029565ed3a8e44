internal import CAccessoryDevices
internal import Glibc

/// An event of an input device (linux/input-event-codes.h).
package struct InputEvent: Equatable, Sendable {
    /// The type, such as `EV_KEY` (1) or `EV_SYN` (0).
    package let type: UInt16
    /// The code within the type, such as `KEY_A` (30), or `SYN_DROPPED` (3) of `EV_SYN`.
    package let code: UInt16
    /// The value; of a key 1 for down, 0 for up and 2 for a repetition.
    package let value: Int32

    package init(type: UInt16, code: UInt16, value: Int32) {
        self.type = type
        self.code = code
        self.value = value
    }

    /// The event that ends a group of events of the same moment.
    static var report: InputEvent { InputEvent(type: UInt16(EV_SYN), code: UInt16(SYN_REPORT), value: 0) }

    /// A key that goes down or up.
    static func key(_ code: UInt16, isDown: Bool) -> InputEvent {
        InputEvent(type: UInt16(EV_KEY), code: code, value: isDown ? 1 : 0)
    }
}

/// A bit field of the kernel, in which each bit stands for a code: a key, an LED or a type of event.
struct InputBits {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The size in bytes of a bit field for the codes from 0 to `code`.
    static func size(upTo code: Int32) -> Int { Int(code) / 8 + 1 }

    /// Whether no bit is set.
    var isEmpty: Bool { bytes.allSatisfy { $0 == 0 } }

    func contains(_ code: Int32) -> Bool {
        let index = Int(code) / 8
        return bytes.indices.contains(index) && bytes[index] >> UInt8(code % 8) & 1 == 1
    }
}

extension OwnedDescriptor {
    /// The number of events in one read or write.
    private static let eventCount = 64

    /// Reads the events that have arrived, at most 64; none if nothing has arrived yet.
    ///
    /// - Throws: `absent` if the device was unplugged.
    func readEvents() throws(DeviceFault) -> [InputEvent] {
        var count = 0
        var code: Int32 = 0
        let events = unsafe [input_event](unsafeUninitializedCapacity: Self.eventCount) { buffer, filled in
            let size = MemoryLayout<input_event>.stride
            unsafe count = Glibc.read(raw, buffer.baseAddress, Self.eventCount * size)
            code = errno
            // The kernel gives whole events only.
            filled = max(count, 0) / size
        }
        if count < 0 {
            guard code == EAGAIN || code == EINTR else { throw DeviceFault(errno: code) }
            return []
        }
        guard count > 0 else { throw .absent }
        return events.map { InputEvent(type: $0.type, code: $0.code, value: $0.value) }
    }

    /// Writes events, all in one call, so that another program sees all of them or none.
    func writeEvents(_ events: [InputEvent]) throws(DeviceFault) {
        let raw = events.map { input_event(time: timeval(), type: $0.type, code: $0.code, value: $0.value) }
        let count = unsafe raw.withUnsafeBytes { unsafe Glibc.write(self.raw, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw DeviceFault(errno: errno) }
        guard count == raw.count * MemoryLayout<input_event>.stride else { throw .notAnswering }
    }

    /// Reads a bit field of the kernel for the codes from 0 to `code`.
    ///
    /// - Parameter call: an ioctl of the shim that fills memory of a size, and returns -1 on failure.
    func inputBits(
        upTo code: Int32, _ call: (_ device: Int32, _ bits: UnsafeMutableRawPointer?, _ size: Int) -> Int32
    ) throws(DeviceFault) -> InputBits {
        var bytes = [UInt8](repeating: 0, count: InputBits.size(upTo: code))
        let result = unsafe bytes.withUnsafeMutableBytes { unsafe call(raw, $0.baseAddress, $0.count) }
        guard result >= 0 else { throw DeviceFault(errno: errno) }
        return InputBits(bytes)
    }
}
