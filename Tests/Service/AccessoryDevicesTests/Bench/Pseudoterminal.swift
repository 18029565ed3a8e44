import AccessoryDevices
import Deadlines
import Glibc
import Testing

/// A serial cable of software: what the test sends from its side arrives at the other side, which has a path.
final class Pseudoterminal {
    private var controller: Int32
    private var terminal: Int32
    let path: String

    init() throws {
        var (controller, terminal): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        try #require(unsafe openpty(&controller, &terminal, &name, nil, nil) == 0)
        (self.controller, self.terminal) = (controller, terminal)
        path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { hangUp() }

    /// Ends the test's side, as when a device is unplugged.
    func hangUp() {
        for descriptor in [controller, terminal] where descriptor >= 0 { close(descriptor) }
        (controller, terminal) = (-1, -1)
    }

    func send(_ bytes: [UInt8]) throws {
        try #require(unsafe write(controller, bytes, bytes.count) == bytes.count)
    }

    /// Waits until a line that was sent can be read at the other side.
    func waitForArrival() throws {
        var entry = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
        try #require(unsafe poll(&entry, 1, 60_000) == 1)
    }

    /// The next bytes from the other side.
    func received(_ count: Int) throws -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count {
            var entry = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
            try #require(unsafe poll(&entry, 1, 60_000) == 1)
            var buffer = [UInt8](repeating: 0, count: count - all.count)
            let length = unsafe read(controller, &buffer, buffer.count)
            try #require(length > 0)
            all += buffer[..<length]
        }
        return all
    }
}

/// Reads until `count` bytes have come.
///
/// - Parameter read: one read that does not wait.
func collected(
    _ count: Int, from descriptor: Int32, _ read: () throws(DeviceFault) -> [UInt8]
) throws -> [UInt8] {
    var all: [UInt8] = []
    while all.count < count {
        try waitUntilReadable(descriptor)
        all += try read()
    }
    return all
}

/// Waits until a descriptor has bytes, an error or no other side.
func waitUntilReadable(_ descriptor: Int32) throws {
    var waiting = WaitSet()
    waiting.add(descriptor)
    guard try waiting.wait(atMost: .seconds(60)) == [descriptor] else { throw Overdue("bytes") }
}
