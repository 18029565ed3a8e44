import Testing

@testable import PresentationService

@Suite("The origins of webhooks")
struct WebhookOriginTests {
    @Test(
        "A webhook goes to its origin and nowhere that only looks like it",
        arguments: [
            ("https://till.example/hook?a=b", true), ("https://till.example", true),
            ("HTTPS://TILL.example/x", true),
            ("https://till.example.evil.example/x", false), ("https://till.example:444/x", false),
            ("https://till.example@evil.example/", false), ("http://till.example/", false),
            ("https://till.example/a b", false), ("https://till.example\n/", false),
            ("https://tïll.example/", false),
        ])
    func webhooks(_ url: String, _ isCovered: Bool) throws {
        #expect(try #require(WebhookOrigin("https://till.example")).covers(url) == isCovered)
    }
}
