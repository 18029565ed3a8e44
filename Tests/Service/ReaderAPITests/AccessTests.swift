import OpenSSLCrypto
import OtherPrograms
import Testing

@testable import PresentationService
@testable import ReaderAPI

@Suite("Access and origins")
struct AccessTests {
    @Test("A token is known by its digest, and nearly the same is not")
    func tokens() {
        var rules = AccessRules()
        let digest = Digest(.sha256, of: Array("secret".utf8)[...]).bytes
        rules.tokens = [.init(name: "till", sha256: digest, scopes: [.app])]
        #expect(rules.known(byToken: "secret")?.scopes == [.app])
        for other in ["", "Secret", "secret ", "secre", "secrett"] {
            #expect(rules.known(byToken: other) == nil)
        }
    }

    @Test(
        "At a kiosk that its chain stopped every caller hears so by name; elsewhere a stranger is not known",
        arguments: [true, false])
    func stopped(_ isStopped: Bool) async throws {
        let shop = try await OnlineShop(isStopped: isStopped)
        defer { shop.close() }
        let stranger = PlainHTTP(shop.asApp.address, token: "another")
        let refused = try await stranger.call("GET", "/v1/lanes")
        #expect(refused.status == (isStopped ? 503 : 401))
        #expect(refused.problem == (isStopped ? "kioskStopped" : "unauthorized"))
        let known = try await shop.asApp.call("GET", "/v1/lanes")
        #expect(known.status == (isStopped ? 503 : 200))
        #expect(known.problem == (isStopped ? "kioskStopped" : nil))
        #expect(known.headers["www-authenticate"] == nil)
        #expect(try await shop.orderApp().problem == (isStopped ? "kioskStopped" : nil))
        #expect(try await PlainHTTP(shop.asApp.address).call("GET", "/healthz").status == 200)
    }

    @Test(
        "A text that is no origin, or that would send plain text over a network, is refused as a webhook origin",
        arguments: [
            "https://", "https://a/b", "http://till.example", "ftp://a", "https://a@b", "https://a?b",
            "till.example",
            "http://127.0.0.1.evil.example",
        ])
    func origins(_ text: String) {
        #expect(WebhookOrigin(text) == nil)
        #expect(WebhookOrigin("http://127.0.0.1:8080") != nil)
    }

    @Test("Figures stand as Prometheus reads them")
    func figures() {
        var text = MetricsText()
        text.begin("a_seconds", type: "histogram", about: "Help.")
        var histogram = Histogram()
        histogram.add(0.02)
        histogram.add(400)
        text.add(histogram, [("lane", "a\"b\\c\nd")])
        #expect(text.text.hasPrefix("# HELP a_seconds Help.\n# TYPE a_seconds histogram\n"))
        #expect(text.text.contains(#"a_seconds_bucket{lane="a\"b\\c\nd",le="0.025"} 1"#))
        #expect(text.text.contains(#"a_seconds_bucket{lane="a\"b\\c\nd",le="300"} 1"#))
        #expect(text.text.contains(#"a_seconds_bucket{lane="a\"b\\c\nd",le="+Inf"} 2"#))
        #expect(text.text.contains(#"a_seconds_sum{lane="a\"b\\c\nd"} 400.02"#))
    }
}
