import Foundation
import JSON
import MdocModel
import ReaderStore
import Testing

@testable import Fleet
@testable import FleetHub

@Suite("A hub over HTTPS, with a real PostgreSQL")
struct HubRoutePostgreSQLTests {
    @Test("A kiosk that is revoked is refused by name from then on, whatever it asks")
    func revoked() async throws {
        try await RunningHub.run { hub in
            let kiosk = try await hub.enrolled()
            #expect(try await !HubState(kiosk.client.get("/fleet/v1/state")).isStopped)
            try #require(try await hub.database.revoke(kiosk.name))
            for path in ["/fleet/v1/state", "/fleet/v1/documents/\(String(repeating: "0", count: 64))"] {
                #expect(await kiosk.refusal { try await $0.get(path) } == "403 kioskRevoked", "\(path)")
            }
            for path in ["report", "broker-password", "receipt-keys", "receipts"] {
                let found = await kiosk.refusal { try await $0.post("/fleet/v1/\(path)", [], type: "x/y") }
                #expect(found == "403 kioskRevoked", "\(path)")
            }
            // Its certificate is not renewed ten days later.
            let renewal = await kiosk.refusal { _ in
                let folder = try FleetFolder(store: kiosk.settings.store)
                let later = kiosk.settings.now().advanced(bySeconds: 10 * 86_400)
                _ = try await KioskEnrolment(hub.settings(kiosk.name, now: { later }), folder, RunningHub.log)
                    .renew()
                return []
            }
            #expect(renewal == "403 kioskRevoked")
        }
    }

    @Test("A stranger, and who shows no certificate, are refused by name")
    func strangers() async throws {
        try await RunningHub.run { hub in
            let kiosk = try await hub.enrolled()
            let none = try HubClient(kiosk.settings.hubs, authority: kiosk.settings.authority, as: nil)
            let stranger = try FleetFolder(store: "\(hub.folder)/stranger")
            for (from, to) in [("hub.pem", stranger.certificatePath), ("hub-key.pem", stranger.keyPath)] {
                try FileManager.default.copyItem(atPath: "\(hub.folder)/\(from)", toPath: to)
            }
            let other = try HubClient(kiosk.settings.hubs, authority: kiosk.settings.authority, as: stranger)
            #expect(await refusal(none) { try await $0.get("/fleet/v1/state") } == "401 certificateRequired")
            #expect(await refusal(other) { try await $0.get("/fleet/v1/state") } == "403 kioskUnknown")
            #expect(await refusal(none) { try await $0.get("/fleet/v1/other") } == "404 notFound")
            let code = await refusal(none) {
                try await $0.post("/fleet/v1/certificates", [0x30, 0], type: "application/pkcs10")
            }
            #expect(code == "400 requestRefused")
            await none.end()
            await other.end()
        }
    }

    @Test("Without a broker a kiosk gets no password, and says so by name")
    func brokerless() async throws {
        try await RunningHub.run { hub in
            let kiosk = try await hub.enrolled()
            let found = await kiosk.refusal {
                try await $0.post("/fleet/v1/broker-password", [], type: "application/json")
            }
            #expect(found == "503 brokerUnavailable")
        }
    }

    @Test(
        "A kiosk that the broker does not let in stops once it is revoked, before its next regular question")
    func revokedWithoutBroker() async throws {
        try await RunningHub.run { hub in
            let kiosk = try await hub.enrolled()
            let (stops, stopped) = AsyncStream.makeStream(of: Bool.self)
            let folder = try FleetFolder(store: kiosk.settings.store)
            let actions = FleetActions(
                file: { Array("{}".utf8) }, check: { _ in nil }, apply: { _ in .ready },
                setStopped: { stopped.yield($0) })
            let agent = FleetAgent(
                kiosk.settings, folder, try folder.load(kiosk.settings.membership, []), actions,
                RunningHub.log)
            let running = Task { await agent.run() }
            defer { running.cancel() }
            // The question at its start was answered; the next one would come after minutes.
            while try await hub.database.kiosk(kiosk.name)?.report.isEmpty != false {
                try await Task.sleep(for: .milliseconds(50))
            }
            try #require(try await hub.database.revoke(kiosk.name))
            let timer = Task {
                try await Task.sleep(for: .seconds(40))
                stopped.finish()
            }
            defer { timer.cancel() }
            #expect(await stops.first { _ in true } == true)
        }
    }

    @Test(
        "A report that is malformed, or has more than it may, is refused, and the one before stays",
        arguments: [
            "", "{}", #"{"name": "Jane"}"#, #"{"software": "1", "documents": [], "health": {"lanes": []}}"#,
            #"{"software": "1", "documents": [], "health": {"lanes": [], "findings": [], "name": "Jane"}}"#,
            #"{"software": "1", "documents": [], "health": {"lanes": [], "findings": ["#
                + Array(repeating: #""x""#, count: 33).joined(separator: ",") + "]}}",
        ])
    func reports(_ text: String) async throws {
        try await RunningHub.run { hub in
            let kiosk = try await hub.enrolled()
            let report = KioskReport(
                software: "1.0", documents: [], receipts: "", health: KioskHealth(findings: ["trustMissing"]))
            let path = "/fleet/v1/report"
            _ = try await kiosk.client.post(path, report.json.utf8, type: "application/json")
            let found = await kiosk.refusal {
                try await $0.post(path, Array(text.utf8), type: "application/json")
            }
            #expect(found == "400 bodyRefused")
            #expect(try await hub.database.kiosk(kiosk.name)?.report == report.json.utf8)
            let long = await kiosk.refusal {
                try await $0.post(
                    path, [UInt8](repeating: 0x20, count: KioskReport.maximumSize + 1),
                    type: "application/json")
            }
            #expect(long == "413 bodyTooLong")
        }
    }

    @Test("Another kiosk's receipt key is refused by name, and an operator sees it")
    func receiptKeys() async throws {
        try await RunningHub.run { hub in
            let store = try ReceiptStore(receipts: 1)
            let pem = try store.store.receiptKeys().reduce(into: [UInt8]()) { $0 += try $1.pem() }
            let (one, two) = (try await hub.enrolled(), try await hub.enrolled())
            let path = "/fleet/v1/receipt-keys"
            for _ in 0..<2 { _ = try await one.client.post(path, pem, type: "application/x-pem-file") }
            let found = await two.refusal { try await $0.post(path, pem, type: "application/x-pem-file") }
            #expect(found == "409 receiptKeyTaken")
            #expect(try await hub.database.kiosk(two.name)?.alert == "receiptKeyTaken")
            #expect(try await hub.database.kiosk(one.name)?.alert == "")
        }
    }
}
