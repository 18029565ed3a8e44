import AccessoryDevices
import Glibc
import Testing

@Suite("TCP connections to devices")
struct StreamLineTests {
    private let listener: Listener

    init() throws {
        listener = try Listener(backlog: 4)
    }

    @Test("Bytes pass both ways, by address and by name", arguments: ["127.0.0.1", "localhost"])
    func exchange(_ host: String) throws {
        let line = try StreamLine(host: host, port: listener.port)
        let other = try listener.accept()
        defer { close(other) }
        #expect(try line.read().isEmpty)
        try line.write([1, 0, 0, 0, 0, 6])
        var buffer = [UInt8](repeating: 0, count: 6)
        try #require(unsafe recv(other, &buffer, 6, Int32(MSG_WAITALL)) == 6)
        #expect(buffer == [1, 0, 0, 0, 0, 6])
        try #require(unsafe send(other, [7, 8] as [UInt8], 2, 0) == 2)
        let found = try collected(2, from: line.descriptor) { () throws(DeviceFault) in try line.read() }
        #expect(found == [7, 8])
    }

    @Test("A connection that the other side has closed is absent, for reading and for writing")
    func closed() throws {
        let line = try StreamLine(host: "127.0.0.1", port: listener.port)
        let other = try listener.accept()
        // With a linger time of 0 the system resets the connection.
        var reset = linger(l_onoff: 1, l_linger: 0)
        try #require(
            unsafe setsockopt(other, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size)) == 0
        )
        close(other)
        try waitUntilReadable(line.descriptor)
        #expect(throws: DeviceFault.absent) { try line.read() }
        #expect(throws: DeviceFault.absent) { try line.write([1]) }
    }

    @Test("A connection whose other side sends no more is absent")
    func ended() throws {
        let line = try StreamLine(host: "127.0.0.1", port: listener.port)
        close(try listener.accept())
        try waitUntilReadable(line.descriptor)
        #expect(throws: DeviceFault.absent) { try line.read() }
    }

    @Test("An address where nobody listens is absent")
    func refused() throws {
        let port = listener.port
        listener.close()
        #expect(throws: DeviceFault.absent) { _ = try StreamLine(host: "127.0.0.1", port: port) }
    }

    @Test("An address that does not answer ends within the limit")
    func silent() throws {
        // A listener whose queue is full does not answer a new connection.
        let full = try Listener(backlog: 0)
        let first = try StreamLine(host: "127.0.0.1", port: full.port)
        let start = MonotonicNow.sinceBoot
        #expect(throws: DeviceFault.notAnswering) {
            _ = try StreamLine(host: "127.0.0.1", port: full.port, within: .milliseconds(300))
        }
        #expect(MonotonicNow.sinceBoot - start >= .milliseconds(300))
        #expect(try first.read().isEmpty)
    }
}

/// A listener on the loopback interface.
private final class Listener {
    private var descriptor: Int32
    let port: UInt16

    init(backlog: Int32) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, size) == 0 && listen(descriptor, backlog) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        try #require(isBound)
    }

    deinit { close() }

    func accept() throws -> Int32 {
        try waitUntilReadable(descriptor)
        let accepted = Glibc.accept(descriptor, nil, nil)
        try #require(accepted >= 0)
        return accepted
    }

    func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }
}
