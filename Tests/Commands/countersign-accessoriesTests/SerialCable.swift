import Deadlines
import Foundation
import Glibc
import Testing

/// A serial cable of software. The program under test opens `path`, and the test has the other side.
///
/// The descriptors are set once, and reads and writes are calls of the system.
final class SerialCable: @unchecked Sendable {
    private let controller: Int32
    private let terminal: Int32
    let path: String

    init() throws {
        var (controller, terminal): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        try #require(unsafe openpty(&controller, &terminal, &name, nil, nil) == 0)
        (self.controller, self.terminal) = (controller, terminal)
        path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        _ = fcntl(controller, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(controller)
        close(terminal)
    }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        try #require(unsafe write(controller, bytes, bytes.count) == bytes.count)
    }

    /// What the program has sent since the last call.
    func received() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(controller, &buffer, buffer.count)
        return Array(buffer.prefix(max(0, count)))
    }

    /// Waits until the program has sent these bytes, and nothing else before them.
    func expect(_ bytes: [UInt8], _ what: String) async throws {
        var all: [UInt8] = []
        let text = what
        while all.count < bytes.count {
            all += try await awaited(text, within: .seconds(60)) {
                let more = self.received()
                return more.isEmpty ? nil : more
            }
        }
        #expect(all == bytes, "\(what)")
    }
}
