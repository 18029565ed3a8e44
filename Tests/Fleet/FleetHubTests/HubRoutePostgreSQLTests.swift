import Deadlines
import Foundation
import JSON
import MdocModel
import OpenSSLCrypto
import PKIX
import ReaderIdentityStore
import ReaderStore
import RecordBench
import Testing

@testable import Fleet
@testable import FleetHub

@Suite("A hub over HTTPS, with a real PostgreSQL")
struct HubRoutePostgreSQLTests {
    @Test("After a kiosk is revoked, each of its requests is refused by name")
    func revoked() async throws {
        try await RunningHub.run { hub in
            let kiosk = try await hub.enrolled()
            #expect(try await !HubState(kiosk.client.get("/fleet/v1/state")).isStopped)
            try #require(try await hub.database.kiosks.revoke(kiosk.name))
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
                _ = try await KioskEnrolment(
                    hub.settings(kiosk.name, now: { later }), in: folder, log: RunningHub.log
                )
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
                kiosk.settings, in: folder, from: try folder.load(kiosk.settings.membership, []), by: actions,
                log: RunningHub.log)
            let running = Task { await agent.run() }
            defer { running.cancel() }
            // The question at its start was answered; the next one would come after minutes.
            try await until("a report") {
                try await hub.database.kiosks.named(kiosk.name)?.report.isEmpty == false
            }
            try #require(try await hub.database.kiosks.revoke(kiosk.name))
            let timer = Task {
                try await Task.sleep(for: .seconds(40))
                stopped.finish()
            }
            defer { timer.cancel() }
            #expect(await stops.first { _ in true } == true)
        }
    }

    @Test(
        "A report that is malformed or too large is refused, and the previous report stays",
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
            #expect(try await hub.database.kiosks.named(kiosk.name)?.report == report.json.utf8)
            let long = await kiosk.refusal {
                try await $0.post(
                    path, [UInt8](repeating: 0x20, count: KioskReport.maximumSize + 1),
                    type: "application/json")
            }
            #expect(long == "413 bodyTooLong")
        }
    }

    @Test(
        "A kiosk that has sent all reports allowed in an hour waits for the next hour, and other kiosks do not wait"
    )
    func manyReports() async throws {
        try await RunningHub.run { hub in
            let (one, two) = (try await hub.enrolled(), try await hub.enrolled())
            func report(_ kiosk: EnrolledKiosk, _ finding: String) async -> String {
                let report = KioskReport(
                    software: "1.0", documents: [], receipts: "", health: KioskHealth(findings: [finding]))
                return await kiosk.refusal {
                    try await $0.post("/fleet/v1/report", report.json.utf8, type: "application/json")
                }
            }
            try await leaveOne(.reports, of: one, at: hub)
            #expect(await report(one, "trustMissing") == "0 bytes")
            let kept = try #require(try await hub.database.kiosks.named(one.name)).report
            expectWait(await report(one, "storeFull"))
            #expect(try await hub.database.kiosks.named(one.name)?.report == kept)
            #expect(await report(two, "storeFull") == "0 bytes")
            try await endHour(.reports, of: one, at: hub)
            #expect(await report(one, "storeFull") == "0 bytes")
            #expect(try await hub.database.kiosks.named(one.name)?.report != kept)
        }
    }

    /// Has a kiosk do something once more within this hour, which does not end meanwhile.
    private func leaveOne(
        _ limit: HourlyLimit, of kiosk: EnrolledKiosk, at hub: RunningHub
    ) async throws {
        while hub.now().secondsSince1970 % 3600 > 3570 { try await Task.sleep(for: .seconds(1)) }
        try #require(try await hub.database.kiosks.count(limit, of: kiosk.name) == nil)
        _ = try await hub.pool.rows(
            "UPDATE countersign_fleet_kiosk SET \(limit.rawValue) = $2::bigint WHERE kiosk = $1::text",
            [kiosk.name.text.bytes, (limit.most - 1).postgreSQL])
    }

    private func endHour(_ limit: HourlyLimit, of kiosk: EnrolledKiosk, at hub: RunningHub) async throws {
        let hour = "\(limit.rawValue)_hour"
        _ = try await hub.pool.rows(
            "UPDATE countersign_fleet_kiosk SET \(hour) = \(hour) - 1 WHERE kiosk = $1::text",
            [kiosk.name.text.bytes])
    }

    /// That a hub says when it takes something again, within the hour.
    private func expectWait(_ refusal: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let prefix = "tooMany(retryAfter: "
        #expect(refusal.hasPrefix(prefix), "\(refusal)", sourceLocation: sourceLocation)
        let seconds = Int(refusal.dropFirst(prefix.count).dropLast())
        let isWithin = seconds.map { (1...3600).contains($0) } == true
        #expect(isWithin, "\(refusal)", sourceLocation: sourceLocation)
    }

    @Test(
        "A kiosk that has requested all broker passwords it may have waits at every hub, and other kiosks do not wait"
    )
    func manyPasswords() async throws {
        try await RunningHub.run { hub in
            let (one, two) = (try await hub.enrolled(), try await hub.enrolled())
            func ask(_ client: HubClient) async -> String {
                await refusal(client) {
                    try await $0.post("/fleet/v1/broker-password", [], type: "application/json")
                }
            }
            try await leaveOne(.passwords, of: one, at: hub)
            // This hub has no broker, and counts what is asked all the same.
            #expect(await ask(one.client) == "503 brokerUnavailable")
            expectWait(await ask(one.client))
            #expect(await ask(two.client) == "503 brokerUnavailable")
            try await hub.runAnother(tokens: { _, _ in nil }) { another in
                let settings = another.settings(one.name, now: another.now)
                let client = try HubClient(
                    settings.hubs, authority: settings.authority, as: FleetFolder(store: settings.store))
                expectWait(await ask(client))
                await client.end()
            }
            try await endHour(.passwords, of: one, at: hub)
            #expect(await ask(one.client) == "503 brokerUnavailable")
        }
    }

    /// What a kiosk sends to have its certificate renewed.
    private func request(of kiosk: EnrolledKiosk) throws -> [UInt8] {
        try CertificationRequest(
            subject: DistinguishedName([(.organizationName, "utopia"), (.commonName, kiosk.name.text)])
        ).sign(with: FleetFolder(store: kiosk.settings.store).key())
    }

    @Test("A kiosk at its hourly limit of renewals keeps its certificate; codes and other kiosks do not wait")
    func manyRenewals() async throws {
        try await RunningHub.run { hub in
            let (one, two) = (try await hub.enrolled(), try await hub.enrolled())
            func renew(_ kiosk: EnrolledKiosk) async throws -> String {
                let request = try request(of: kiosk)
                return await kiosk.refusal {
                    try await $0.post("/fleet/v1/certificates", request, type: "application/pkcs10")
                }
            }
            try await leaveOne(.renewals, of: one, at: hub)
            #expect(try await renew(one).hasSuffix(" bytes"))
            expectWait(try await renew(one))
            _ = try await one.client.get("/fleet/v1/state")
            #expect(try await renew(two).hasSuffix(" bytes"))
            try #require(try await hub.database.kiosks.revoke(one.name))
            try FileManager.default.removeItem(atPath: one.settings.store)
            let again = try await hub.enrolled(one.name.text)
            expectWait(try await renew(again))
            try await endHour(.renewals, of: one, at: hub)
            #expect(try await renew(again).hasSuffix(" bytes"))
        }
    }

    @Test("A key that has signed another kiosk's receipts is refused by name, and an operator sees it")
    func receiptKeys() async throws {
        try await RunningHub.run { hub in
            let store = try ReceiptStore(receipts: 1)
            let pem = try store.store.receiptKeys().reduce(into: [UInt8]()) { $0 += try $1.pem() }
            let (one, two) = (try await hub.enrolled(), try await hub.enrolled())
            let path = "/fleet/v1/receipt-keys"
            // Nobody's yet: any number of kiosks may send it.
            for kiosk in [two, one, one] {
                _ = try await kiosk.client.post(path, pem, type: "application/x-pem-file")
            }
            _ = try await one.client.post(
                "/fleet/v1/receipts", ReceiptChain(store.links).encoded(), type: "application/cbor")
            let found = await two.refusal { try await $0.post(path, pem, type: "application/x-pem-file") }
            #expect(found == "409 receiptKeyTaken")
            #expect(try await hub.database.kiosks.named(two.name)?.alert == "receiptKeyTaken")
            #expect(try await hub.database.kiosks.named(one.name)?.alert == "")
        }
    }

    @Test(
        "If two computers are copies with one key, the hub lets one in, and the other only with a key of its own"
    )
    func copies() async throws {
        try await RunningHub.run { hub in
            let one = try await hub.enrolled()
            let name = try #require(FleetName("copy-of-\(one.name)"))
            let folder = try FleetFolder(store: hub.settings(name, now: hub.now).store)
            try FileManager.default.copyItem(
                atPath: FleetFolder(store: one.settings.store).keyPath, toPath: folder.keyPath)
            let error = await #expect(throws: HubError.self) { _ = try await hub.enrolled(name.text) }
            #expect(error?.explanation.contains("409 kioskKeyTaken: another kiosk has the same key") == true)
            #expect(try await hub.database.kiosks.named(name)?.state == .invited)
            try FileManager.default.removeItem(atPath: folder.keyPath)
            let two = try await hub.enrolled(name.text)
            for kiosk in [one, two] { _ = try await kiosk.client.get("/fleet/v1/state") }
        }
    }

    @Test(
        "A kiosk's certificate cannot renew another kiosk's; without a certificate, a key renews only its own"
    )
    func otherName() async throws {
        try await RunningHub.run { hub in
            let (one, two) = (try await hub.enrolled(), try await hub.enrolled())
            let request = try request(of: two)
            func ask(_ client: HubClient) async -> String {
                await refusal(client) {
                    try await $0.post("/fleet/v1/certificates", request, type: "application/pkcs10")
                }
            }
            #expect(await ask(one.client) == "403 kioskUnknown")
            let none = try HubClient(two.settings.hubs, authority: two.settings.authority, as: nil)
            for client in [two.client, none] { #expect(await ask(client).hasSuffix(" bytes")) }
            await none.end()
        }
    }

    @Test("A key that was revoked is refused under every name")
    func revokedKey() async throws {
        try await RunningHub.run { hub in
            let kiosk = try await hub.enrolled()
            let record = try #require(try await hub.database.kiosks.named(kiosk.name))
            _ = try await hub.pool.rows(
                "INSERT INTO countersign_fleet_revoked_key VALUES ($1::bytea, 'another', 0)",
                [record.keyDigest])
            #expect(await kiosk.refusal { try await $0.get("/fleet/v1/state") } == "403 kioskRevoked")
        }
    }

    @Test(
        "A code for a key that was revoked is refused with what to do, and is good for another key; another code is refused as a code"
    )
    func codeForRevokedKey() async throws {
        try await RunningHub.run { hub in
            let kiosk = try await hub.enrolled()
            try #require(try await hub.database.kiosks.revoke(kiosk.name))
            let folder = try FleetFolder(store: kiosk.settings.store)
            try FileManager.default.removeItem(atPath: folder.certificatePath)
            let revoked = await #expect(throws: HubError.self) { _ = try await hub.enrolled(kiosk.name.text) }
            #expect(revoked?.isRevocation == true)
            #expect(revoked?.explanation.contains("delete key.pem, certificate.pem and broker.json") == true)
            try FileManager.default.removeItem(atPath: folder.keyPath)
            #expect(try await KioskEnrolment(kiosk.settings, in: folder, log: RunningHub.log).renew())
            let other = try #require(FleetName("other-\(kiosk.name)"))
            _ = try await hub.database.kiosks.invite(other, site: nil, group: nil, at: hub.now())
            let settings = hub.settings(other, now: hub.now)
            try PrivateFile.replace(try #require(settings.codeFile), with: Array("00".utf8)[...])
            let refused = await #expect(throws: HubError.self) {
                _ = try await KioskEnrolment(
                    settings, in: FleetFolder(store: settings.store), log: RunningHub.log
                )
                .renew()
            }
            #expect(refused?.isRevocation == false)
            #expect(refused?.explanation.contains("403 codeRefused: the code is not") == true)
        }
    }

    @Test("A new computer with the name of another delivers its receipts, and raises no alert")
    func newComputer() async throws {
        try await RunningHub.run { hub in
            let old = try await hub.enrolled()
            for _ in 0..<3 { try old.appendReceipt() }
            try await old.running {
                try await until("three receipts") {
                    try await hub.database.kiosks.named(old.name)?.expected.sequence == 3
                }
            }
            try #require(try await hub.database.kiosks.revoke(old.name))
            try FileManager.default.removeItem(atPath: old.settings.store)
            let new = try await hub.enrolled(old.name.text)
            try await new.running {
                // It has no receipts yet, and says that it has no fault.
                try await until("a report") {
                    try await hub.database.kiosks.named(new.name)?.report.isEmpty == false
                }
                try await Task.sleep(for: .seconds(1))
                for _ in 0..<2 { try new.appendReceipt() }
                try await until("two receipts") {
                    try await hub.database.receipts.count(of: new.name) == 5
                }
            }
            let record = try #require(try await hub.database.kiosks.named(new.name))
            #expect(record.alert.isEmpty && record.expected.sequence == 2)
        }
    }

    @Test(
        "A hub announces the version of receipts that it knows, and refuses a later one by name, without an alert"
    )
    func receiptVersion() async throws {
        try await RunningHub.run { hub in
            let kiosk = try await hub.enrolled()
            #expect(try await kiosk.client.state().receiptVersion == ReceiptContent.latestVersion)
            let later = ReceiptContent.latestVersion + 1
            let content = statement(ofVersion: later)
            let link = try signedLink(1, saying: content, with: PrivateKey.generate(.p256))
            let found = await kiosk.refusal {
                try await $0.post(
                    "/fleet/v1/receipts", ReceiptChain([link]).encoded(), type: "application/cbor")
            }
            #expect(found == "409 receiptVersionUnknown")
            #expect(try await hub.database.kiosks.named(kiosk.name)?.alert == "")
        }
    }

    @Test("A kiosk sends receipts of both versions and outputs to a hub that knows them")
    func bothVersions() async throws {
        try await RunningHub.run { hub in
            let kiosk = try await hub.enrolled()
            try kiosk.appendReceipt()
            let lock = NewOutput(accessory: try #require(ReceiptLabel("lock")), isRefused: true)
            _ = try ReaderStore(at: kiosk.settings.store, for: .changing).end(
                .sample("a"), first: .sample(engagement: .qr), further: nil, outputs: [lock])
            try await kiosk.running {
                try await until("three receipts") {
                    try await hub.database.receipts.count(of: kiosk.name) == 3
                }
            }
        }
    }

    @Test("A kiosk whose receipt keys are refused says how many receipts wait")
    func waiting() async throws {
        try await RunningHub.run { hub in
            let (one, two) = (try await hub.enrolled(), try await hub.enrolled())
            for _ in 0..<3 { try one.appendReceipt() }
            try await one.running {
                try await until("three receipts") { try await hub.database.receipts.count(of: one.name) == 3 }
            }
            let kept = try FleetFolder(store: two.settings.store).path
            for name in try FileManager.default.contentsOfDirectory(atPath: one.settings.store)
            where name != "fleet" {
                try FileManager.default.copyItem(
                    atPath: "\(one.settings.store)/\(name)", toPath: "\(kept)/../\(name)")
            }
            try await two.running {
                try await until("its report") {
                    let report = try #require(try await hub.database.kiosks.named(two.name)).report
                    return String(decoding: report, as: UTF8.self).contains(#""receiptsWaiting":3"#)
                }
            }
            #expect(try await hub.database.kiosks.named(two.name)?.alert == "receiptKeyTaken")
            #expect(try await hub.database.receipts.count(of: two.name) == 0)
        }
    }

    @Test(
        "While both roots count a kiosk with a certificate of the old one is let in, and renews it from the new one"
    )
    func twoRoots() async throws {
        try await RunningHub.run { hub in
            let kiosk = try await hub.enrolled()
            let next = "\(hub.folder)/next"
            try HubAuthority.create(in: next, for: hub.database.chain, at: hub.now())
            let authority = "\(hub.folder)/authority.pem"
            let roots = try [next, hub.folder].flatMap { try PrivateFile.read("\($0)/authority.pem") }
            try PrivateFile.replace(authority, with: roots[...])
            let key = try PrivateFile.withSecret("\(next)/authority-key.pem") { Array($0) }
            try PrivateFile.replace("\(hub.folder)/authority-key.pem", with: key[...])
            try await hub.runAnother(tokens: { _, _ in nil }) { another in
                let folder = try FleetFolder(store: kiosk.settings.store)
                let before = try #require(try folder.certificate())
                let later = another.now().advanced(bySeconds: 10 * 86_400)
                let settings = another.settings(kiosk.name, now: { later })
                let client = try HubClient(settings.hubs, authority: authority, as: folder)
                _ = try await client.get("/fleet/v1/state")
                await client.end()
                #expect(try await KioskEnrolment(settings, in: folder, log: RunningHub.log).renew())
                let after = try #require(try folder.certificate())
                #expect(after.authorityKeyIdentifier != before.authorityKeyIdentifier)
                let renewed = try HubClient(settings.hubs, authority: authority, as: folder)
                _ = try await renewed.get("/fleet/v1/state")
                await renewed.end()
            }
        }
    }
}
