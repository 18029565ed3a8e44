import HTTPServing
import Testing

@Suite("The origin of the pages")
struct PageOriginTests {
    @Test("Pages are on this computer, or under the first further name of the listener")
    func origin() {
        #expect(HostRules(port: 8411).origin == "http://127.0.0.1:8411")
        #expect(HostRules(port: 8411, address: "::1").origin == "http://[::1]:8411")
        #expect(HostRules(port: 8411, isSecure: true).origin == "https://127.0.0.1:8411")
        // A proxy has the certificate, at the port of HTTPS or at the port that its name says.
        #expect(HostRules(port: 8411, names: ["Shop.example", "b"]).origin == "https://shop.example")
        #expect(HostRules(port: 8411, names: ["a.example:8443"]).origin == "https://a.example:8443")
        // The listener has the certificate itself.
        #expect(
            HostRules(port: 8411, names: ["a.example"], isSecure: true).origin == "https://a.example:8411")
        #expect(HostRules(port: 443, names: ["a.example"], isSecure: true).origin == "https://a.example")
        #expect(HostRules(port: 0).origin == nil)
    }
}
