import Deadlines
import Glibc
import Synchronization
import Testing

/// A serial cable of software. What is tested opens `path`, and the test has the other side.
package final class SerialCable: Sendable {
    private let controller: Int32
    private let terminal: Int32
    private let isHungUp = Mutex(false)
    package let path: String

    package init() throws {
        var (controller, terminal): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        try #require(unsafe openpty(&controller, &terminal, &name, nil, nil) == 0)
        (self.controller, self.terminal) = (controller, terminal)
        path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        _ = fcntl(controller, F_SETFL, O_NONBLOCK)
        // A program that a test starts would keep the cable after `hangUp`.
        for descriptor in [controller, terminal] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }

    deinit { hangUp() }

    /// Ends the test's side, as when a device is unplugged.
    package func hangUp() {
        isHungUp.withLock { isHungUp in
            guard !isHungUp else { return }
            close(controller)
            close(terminal)
            isHungUp = true
        }
    }

    /// Sends bytes, also more than the cable's buffer has room for.
    package func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(controller, $0.baseAddress, $0.count) }
            try #require(count > 0 || errno == EAGAIN)
            rest = rest.dropFirst(max(0, count))
            if count < 0 { usleep(1000) }
        }
    }

    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Waits until a line that was sent can be read at the other side.
    package func waitForArrival() throws {
        var entry = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
        try #require(unsafe poll(&entry, 1, 60_000) == 1)
    }

    /// Returns what the other side has sent since the last call.
    package func received() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(controller, &buffer, buffer.count)
        return Array(buffer.prefix(max(0, count)))
    }

    /// Waits until the other side has sent these bytes, and nothing else before them.
    package func expect(_ bytes: [UInt8], _ what: String) async throws {
        var all: [UInt8] = []
        while all.count < bytes.count {
            all += try await awaited(what, within: .seconds(60)) {
                let more = self.received()
                return more.isEmpty ? nil : more
            }
        }
        #expect(all == bytes, "\(what)")
    }
}
