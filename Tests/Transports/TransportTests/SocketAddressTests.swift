import Testing
import Transport

@Suite("Where a channel may go")
struct SocketAddressTests {
    @Test(
        "This computer's own addresses are taken", arguments: ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
    func loopback(_ host: String) throws {
        #expect(throws: Never.self) { try SocketAddress(host: host, port: 1) }
    }

    @Test(
        "Another computer's address is refused unless it is allowed by name",
        arguments: [
            "0.0.0.0", "192.0.2.1", "128.0.0.1", "126.255.255.255", "::", "::2", "2001:db8::1", "100::1",
        ])
    func elsewhere(_ host: String) throws {
        #expect(throws: TransportError.addressNotLoopback) { try SocketAddress(host: host, port: 1) }
        #expect(throws: Never.self) { try SocketAddress(host: host, port: 1, allowingNonLoopback: true) }
    }

    @Test(
        "Names and half addresses are not looked up",
        arguments: ["example.org", "127.1", "", "127.0.0.1 ", "[::1]"])
    func names(_ host: String) {
        #expect(throws: TransportError.addressNotNumeric) {
            try SocketAddress(host: host, port: 1, allowingNonLoopback: true)
        }
    }
}
