import Foundation
import OtherPrograms
import PortraitDecoding
import RecordBench
import TestCredentials
import Testing
import VectorFiles

@testable import ReaderAPI

@Suite("The outcome of apps and pages, over HTTP")
struct OnlineOutcomeTests {
    /// A date of the document, and what follows from it where it was asked for.
    private static let dates: [(expiry: String?, outcome: String, reasons: [String])] = [
        ("2030-01-01", "allow", []), ("2025-01-01", "deny", ["answer.no"]),
        (nil, "unclear", ["answer.unknown", "element.not_returned"]),
    ]

    private func licence(_ expiry: String?, _ more: [TestDocument.Item] = []) throws -> [TestDocument] {
        [try OnlineShop.licence(more + (expiry.map { [.init("expiry_date", Encoded.day($0))] } ?? []))]
    }

    private func check(_ reply: PlainHTTP.Reply, _ outcome: String, _ reasons: [String]) throws {
        let json = try reply.json()
        #expect(reply.status == 200 && json["verdict"] as? String == "verified", "\(reply.text)")
        #expect(json["outcome"] as? String == outcome && json["reasons"] as? [String] == reasons)
        let missing = try #require(json["missing"] as? [[String: String]])
        #expect(missing.isEmpty == (outcome != "unclear"))
        for entry in missing {
            #expect(entry["element"] == "org.iso.18013.5.1/expiry_date")
            #expect(
                entry["text"]
                    == "The expiry date was not shared. Ask again, and ask the holder to share it.")
        }
    }

    @Test("Q221 A page reads allow only where the date that it asked for came and is not past")
    func page() async throws {
        let shop = try await OnlineShop()
        defer { shop.close() }
        let privileges = TestDocument.Item(
            "driving_privileges",
            Encoded.array([
                Encoded.map([
                    ("vehicle_category_code", Encoded.text("B")), ("expiry_date", Encoded.day("2035-01-01")),
                ])
            ]))
        for intent in ["age over 21, in date", "rental: age over 21, categories B"] {
            let more = intent.contains("B") ? [privileges] : []
            for row in Self.dates {
                let info = try await shop.askPage(intent: intent)
                let response = try shop.webResponse(licence(row.expiry, more), to: info)
                try check(await shop.present(response, info: info), row.outcome, row.reasons)
            }
        }
    }

    @Test("Q221 An app reads allow only where the date that it asked for came and is not past")
    func app() async throws {
        let shop = try await OnlineShop()
        defer { shop.close() }
        for row in Self.dates {
            let nonce = try await shop.askApp(elements: ["age(atLeast:21)", "documentExpirationDate"])
            let envelope = try shop.envelope(licence(row.expiry), in: shop.transcript(nonce))
            try check(await shop.present(envelope, nonce: nonce), row.outcome, row.reasons)
        }
    }

    @Test("Q244 Q245 A page reads unclear for a blank, and for an age or portrait in another namespace")
    func nothingInIt() async throws {
        let shop = try await OnlineShop()
        defer { shop.close() }
        let other = "com.example.x"
        let rows: [(intent: String, item: TestDocument.Item, reason: String)] = [
            (
                "identity: document number", .init("document_number", Encoded.text(" \t")), "element.unusable"
            ),
            (
                "elements: com.example.x/age_over_21",
                .init("age_over_21", Encoded.boolean(true), in: other), "answer.unknown"
            ),
            (
                "identity: portrait, expiry", .init("portrait", Encoded.bytes([1]), in: other),
                "answer.unknown"
            ),
        ]
        for row in rows {
            let info = try await shop.askPage(intent: row.intent)
            let response = try shop.webResponse([try TestDocument([row.item])], to: info)
            let json = try await shop.present(response, info: info).json()
            #expect(json["verdict"] as? String == "verified" && json["outcome"] as? String == "unclear")
            let reasons = try #require(json["reasons"] as? [String])
            #expect(reasons.contains(row.reason), "\(row.intent): \(reasons)")
        }
    }

    @Test("Q222 A page for which the phone returns nothing of what was asked reads unclear")
    func nothing() async throws {
        let shop = try await OnlineShop()
        defer { shop.close() }
        let info = try await shop.askPage(intent: "elements: org.iso.18013.5.1/sex")
        let response = try shop.webResponse([try TestDocument([])], to: info)
        let json = try await shop.present(response, info: info).json()
        #expect(json["verdict"] as? String == "verified" && json["outcome"] as? String == "unclear")
        #expect(json["reasons"] as? [String] == ["element.not_returned"])
        let missing = try #require(json["missing"] as? [[String: String]])
        #expect(missing.map { $0["element"] } == ["org.iso.18013.5.1/sex"])
    }

    @Test(
        "Q247 A page or an app reads allow only where the portrait that it asked for decodes to its last block"
    )
    func portrait() async throws {
        let portrait = try #require(try BrokenPortrait.all.first)
        for isInstalled in [true, false] {
            let decoder = isInstalled ? PortraitDecoder.installed : PortraitDecoder(executable: "/nowhere")
            let shop = try await OnlineShop(decoder: decoder)
            defer { shop.close() }
            for bytes in [portrait.bytes, portrait.whole] {
                let isGood = bytes == portrait.whole && isInstalled
                let licence = try licence(nil, [.init("portrait", Encoded.bytes(bytes))])
                let info = try await shop.askPage(intent: "age over 21 with portrait for a human to compare")
                let page = try await shop.present(shop.webResponse(licence, to: info), info: info).json()
                #expect(page["outcome"] as? String == (isGood ? "allow" : "unclear"))
                #expect(page["reasons"] as? [String] == (isGood ? [] : ["answer.unknown"]))
                let nonce = try await shop.askApp(elements: ["age(atLeast:21)", "portrait"])
                let envelope = try shop.envelope(licence, in: shop.transcript(nonce))
                let app = try await shop.present(envelope, nonce: nonce).json()
                #expect(app["outcome"] as? String == (isGood ? "allow" : "unclear"))
                #expect(app["reasons"] as? [String] == (isGood ? [] : ["element.unusable"]))
            }
            // The page and the app, for each portrait that is not shown.
            let lines = shop.lines.lines.filter { $0.contains("a portrait cannot be shown") }
            #expect(lines.count == (isInstalled ? 2 : 4), "\(lines)")
            #expect(lines.allSatisfy { $0.contains(isInstalled ? "reason=malformed" : "reason=notStarted") })
        }
    }
}
