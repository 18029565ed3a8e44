import OtherPrograms
import TestCredentials
import Testing

@testable import ReaderAPI

@Suite("Apps and pages, over HTTP")
struct OnlineTests {
    @Test
    func `An answer through an app is verified, once`() async throws {
        let shop = try await OnlineShop()
        defer { shop.close() }
        let nonce = try await shop.askApp()
        let envelope = try shop.envelope(in: shop.transcript(nonce))
        let reply = try await shop.present(envelope, nonce: nonce)
        #expect(reply.status == 200 && reply.verdict == "verified", "\(reply.text)")
        #expect(try reply.json()["isReplayChecked"] as? Bool == true)
        #expect(try await shop.present(envelope, nonce: nonce).problem == "nonce.reused")
    }

    @Test
    func `An answer on a page is verified, once`() async throws {
        let shop = try await OnlineShop()
        defer { shop.close() }
        let info = try await shop.askPage()
        let response = try shop.webResponse(to: info)
        let reply = try await shop.present(response, info: info)
        #expect(reply.status == 200 && reply.verdict == "verified", "\(reply.text)")
        #expect(try await shop.present(response, info: info).problem == "nonce.reused")
    }
}

extension PlainHTTP.Reply {
    var verdict: String? { (try? json())?["verdict"] as? String }
}
