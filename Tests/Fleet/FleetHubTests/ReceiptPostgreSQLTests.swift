import CBOR
import Fleet
import JSON
import MdocModel
import OpenSSLCrypto
import ReaderStore
import RecordBench
import Testing

@testable import FleetHub

@Suite("Receipts at the hub, in a real PostgreSQL")
struct ReceiptPostgreSQLTests {
    @Test("Receipts are taken in their order, once, whoever sends them again")
    func taken() async throws {
        let (bench, _, links) = try await HubBench.enrolled(receipts: 6)
        #expect(try await bench.push(Array(links[0..<3])) == .committed(try head(links, 3)))
        #expect(try await bench.push(Array(links[0..<3])) == .committed(try head(links, 3)))
        #expect(try await bench.push(Array(links[1..<5])) == .committed(try head(links, 5)))
        #expect(try await bench.push(Array(links[5..<6])) == .committed(try head(links, 6)))
        #expect(try await bench.database.receipts.count(of: bench.kiosk) == 6)
        #expect(try await bench.database.kiosks.named(bench.kiosk)?.head == head(links, 6))
    }

    @Test("Ten who push the same at once have it there once")
    func atOnce() async throws {
        let (bench, _, links) = try await HubBench.enrolled(receipts: 20)
        let expected = try head(links, 20)
        await withTaskGroup(of: ReceiptPush?.self) { group in
            for _ in 0..<10 { group.addTask { try? await bench.push(links) } }
            for await push in group { #expect(push == .committed(expected)) }
        }
        #expect(try await bench.database.receipts.count(of: bench.kiosk) == 20)
    }

    @Test("Receipts with a gap, in a wrong order, of another kiosk or forged are refused, and none is stored")
    func refused() async throws {
        let (bench, _, links) = try await HubBench.enrolled(receipts: 4)
        let other = try ReceiptStore(receipts: 4)
        try #require(try await bench.push([links[0]]) == .committed(try head(links, 1)))
        #expect(try await bench.push(Array(links[2...])) == .gap(try head(links, 1)))
        #expect(try await bench.push([links[2], links[1]]) == .malformed)
        #expect(try await bench.push([]) == .malformed)
        guard case .broken(2, .keyUnknown) = try await bench.push([try other.links[1]]) else {
            Issue.record("another store's receipt is not refused")
            return
        }
        var forged = links[1]
        forged[forged.count - 1] ^= 1
        #expect(try await bench.push([forged]) == .broken(at: 2, .changed))
        #expect(try await bench.push([[1, 2, 3]]) == .broken(at: 1, .malformed))
        #expect(try await bench.push([links[1], forged.dropLast()]) == .broken(at: 3, .malformed))
        #expect(
            try await bench.push(Array(repeating: links[1], count: HubReceipts.mostReceipts + 1))
                == .malformed)
        #expect(try await bench.database.receipts.count(of: bench.kiosk) == 1)
        #expect(try await bench.database.kiosks.named(bench.kiosk)?.head == head(links, 1))
    }

    @Test("Before a kiosk's row is held the signatures of the receipts that follow are checked, no others")
    func checkedBefore() async throws {
        let (bench, store, links) = try await HubBench.enrolled(receipts: 4)
        func checked(_ links: [[UInt8]]) async throws -> CheckedSignatures {
            let receipts = try links.map { try SignedReceipt(parsing: $0) }
            return try await bench.database.receipts.signatures(of: receipts, from: bench.kiosk)
        }
        #expect(try await checked(links).count == 4)
        try #require(try await bench.push(Array(links[0..<2])) == .committed(try head(links, 2)))
        // Neither what is there nor what follows a gap.
        #expect(try await checked(links).count == 2)
        #expect(try await checked(Array(links[3...])).count == 0)
        // None after one that is not signed, or signed by a key that the kiosk has not sent.
        var forged = links[2]
        forged[forged.count - 1] ^= 1
        let signatures = try await checked([forged, links[3]])
        #expect(signatures.count == 1)
        let strange = try signedLink(3, with: PrivateKey.generate(.p256))
        #expect(try await checked([strange, links[3]]).count == 0)
        // What was not checked before is checked later, for each key.
        let key = try store.store.receiptKeys()[0]
        let other = try ReceiptPublicKey(PrivateKey.generate(.p256).publicKey())
        let (genuine, changed) = (try SignedReceipt(parsing: links[3]), try SignedReceipt(parsing: forged))
        #expect(signatures.isSigned(genuine, by: key) && !signatures.isSigned(genuine, by: other))
        #expect(!signatures.isSigned(changed, by: key))
        try await bench.enrolAgain()
        #expect(try await checked(links).count == 0)
    }

    @Test(
        "The hub detects a chain that was rolled back and continued differently at the first receipt that differs"
    )
    func rolledBack() async throws {
        let (bench, _, links) = try await HubBench.enrolled(receipts: 3)
        let other = try ReceiptStore(receipts: 5)
        try #require(
            try await bench.database.receipts.add(
                other.store.receiptKeys(), of: bench.kiosk, at: HubBench.now)
                == .added)
        try #require(try await bench.push(links) == .committed(head(links, 3)))
        #expect(try await bench.push(other.links) == .differs(at: 1))
        // It goes on from another third receipt.
        #expect(try await bench.push(Array(other.links[3...])) == .differs(at: 3))
        #expect(try await bench.database.receipts.count(of: bench.kiosk) == 3)
    }

    @Test("A million receipts at once are refused, and none of them is stored")
    func flood() async throws {
        let (bench, _, links) = try await HubBench.enrolled(receipts: 1)
        let begin = ContinuousClock.now
        #expect(try await bench.push(Array(repeating: links[0], count: 1_000_000)) == .malformed)
        #expect(ContinuousClock.now - begin < .seconds(60))
        #expect(try await bench.database.receipts.count(of: bench.kiosk) == 0)
    }

    @Test("A kiosk cannot push another kiosk's receipts as its own: a receipt key belongs to one kiosk")
    func keys() async throws {
        let bench = try await HubBench()
        let (other, store, links) = try await HubBench.enrolled(receipts: 2)
        try #require(try await other.push(links) == .committed(head(links, 2)))
        try await bench.enrol()
        let keys = try store.store.receiptKeys()
        #expect(
            try await bench.database.receipts.add(keys, of: bench.kiosk, at: HubBench.now)
                == .taken(by: other.kiosk))
        #expect(try await other.database.receipts.add(keys, of: other.kiosk, at: HubBench.now) == .added)
        #expect(try await bench.push(links) == .broken(at: 1, .keyUnknown(keys[0].id)))
        #expect(try await bench.database.receipts.count(of: bench.kiosk) == 0)
        #expect(try await other.push(links) == .committed(head(links, 2)))
    }

    @Test(
        "A kiosk that sends another kiosk's receipt key first can push nothing with it, and does not block the other kiosk"
    )
    func claimed() async throws {
        let owner = try await HubBench()
        let (stranger, store, links) = try await HubBench.enrolled(receipts: 3)
        let keys = try store.store.receiptKeys()
        var forged = links[0]
        forged[forged.count - 1] ^= 1
        #expect(try await stranger.push([forged]) == .broken(at: 1, .changed))
        try await owner.enrol()
        #expect(try await owner.database.receipts.add(keys, of: owner.kiosk, at: HubBench.now) == .added)
        #expect(try await owner.push(Array(links[0..<2])) == .committed(head(links, 2)))
        // From then on it is the owner's, and no further receipts of it are the stranger's.
        #expect(try await stranger.push(links) == .broken(at: 1, .keyUnknown(keys[0].id)))
        #expect(
            try await stranger.database.receipts.add(keys, of: stranger.kiosk, at: HubBench.now)
                == .taken(by: owner.kiosk))
        #expect(try await stranger.database.receipts.count(of: stranger.kiosk) == 0)
        #expect(try await owner.push(links) == .committed(head(links, 3)))
    }

    @Test("Of ten kiosks that push the receipts of one key at once one has them, and the key")
    func claims() async throws {
        let store = try ReceiptStore(receipts: 1)
        let (links, keys) = (try store.links, try store.store.receiptKeys())
        let refusal = ReceiptPush.broken(at: 1, .keyUnknown(keys[0].id))
        let benches = try await withThrowingTaskGroup(of: HubBench.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    let bench = try await HubBench()
                    try await bench.enrol()
                    _ = try await bench.database.receipts.add(keys, of: bench.kiosk, at: HubBench.now)
                    return bench
                }
            }
            return try await group.reduce(into: [HubBench]()) { $0.append($1) }
        }
        let pushes = try await withThrowingTaskGroup(of: ReceiptPush.self) { group in
            for bench in benches { group.addTask { try await bench.push(links) } }
            return try await group.reduce(into: [ReceiptPush]()) { $0.append($1) }
        }
        #expect(pushes.count { $0 == refusal } == 9, "\(pushes)")
        #expect(try pushes.contains(.committed(head(links, 1))), "\(pushes)")
    }

    @Test("A kiosk has 64 receipt keys at most, also without receipts; another has as many")
    func mostKeys() async throws {
        let benches = [try await HubBench(), try await HubBench()]
        let keys = try (0..<65).map { _ in try ReceiptPublicKey(PrivateKey.generate(.p256).publicKey()) }
        for bench in benches {
            try await bench.enrol()
            for part in [keys[0..<40], keys[30..<64]] {
                #expect(
                    try await bench.database.receipts.add(Array(part), of: bench.kiosk, at: HubBench.now)
                        == .added)
            }
            #expect(
                try await bench.database.receipts.add([keys[64]], of: bench.kiosk, at: HubBench.now)
                    == .tooMany)
            #expect(
                try await bench.database.receipts.add([keys[0]], of: bench.kiosk, at: HubBench.now) == .added)
        }
    }

    @Test("Too many keys of a kiosk that joins again change no epoch: keys that fit begin the next one")
    func refusedKeysOfAnotherComputer() async throws {
        let (bench, _, links) = try await HubBench.enrolled(receipts: 1)
        try #require(try await bench.push(links) == .committed(head(links, 1)))
        try await bench.enrolAgain()
        let keys = try (0..<65).map { _ in try ReceiptPublicKey(PrivateKey.generate(.p256).publicKey()) }
        func epoch() async throws -> Int64? {
            try await bench.pool.rows(
                "SELECT epoch FROM countersign_fleet_kiosk WHERE kiosk = $1::text", [bench.kiosk.text.bytes]
            ).first?.first??.bigint
        }
        let before = try #require(try await epoch())
        #expect(try await bench.database.receipts.add(keys, of: bench.kiosk, at: HubBench.now) == .tooMany)
        #expect(try await epoch() == before)
        let fitting = try await bench.database.receipts.add([keys[0]], of: bench.kiosk, at: HubBench.now)
        #expect(fitting == .replaced(epoch: before + 1))
    }

    @Test("With another invitation a kiosk's keys that signed no receipt go, and with a refused one none")
    func forgottenKeys() async throws {
        let (bench, store, links) = try await HubBench.enrolled(receipts: 1)
        let other = try await HubBench()
        try await other.enrol()
        func keys() throws -> [ReceiptPublicKey] {
            try (0..<63).map { _ in try ReceiptPublicKey(PrivateKey.generate(.p256).publicKey()) }
        }
        func count(of bench: HubBench) async throws -> Int64? {
            try await bench.pool.rows(
                "SELECT count(*) FROM countersign_fleet_receipt_key WHERE kiosk = $1::text",
                [bench.kiosk.text.bytes]
            ).first?.first??.bigint
        }
        let unused = try keys()
        for bench in [bench, other] {
            #expect(
                try await bench.database.receipts.add(unused, of: bench.kiosk, at: HubBench.now) == .added)
        }
        try #require(try await bench.push(links) == .committed(head(links, 1)))
        #expect(
            try await bench.database.kiosks.invite(bench.kiosk, site: nil, group: nil, at: HubBench.now)
                == nil)
        #expect(try await count(of: bench) == 64)
        try await bench.enrolAgain()
        #expect(try await count(of: bench) == 1)
        #expect(try await count(of: other) == 63)
        // The key that signed is there, and there is room for as many others.
        let again = try keys() + store.store.receiptKeys()
        #expect(try await bench.database.receipts.add(again, of: bench.kiosk, at: HubBench.now) == .added)
        #expect(try await bench.push(links) == .committed(head(links, 1)))
    }

    @Test("A revoked kiosk's receipts are not taken")
    func revoked() async throws {
        let (bench, _, links) = try await HubBench.enrolled(receipts: 1)
        try #require(try await bench.database.kiosks.revoke(bench.kiosk))
        #expect(try await bench.push(links) == .revoked)
        #expect(try await bench.database.receipts.count(of: bench.kiosk) == 0)
    }

    @Test("An impossible receipt number is refused, even if no receipt could follow it")
    func numbers() async throws {
        let bench = try await HubBench()
        try await bench.enrol()
        let key = try PrivateKey.generate(.p256)
        for sequence in [Int64.max, Int64.max - 1, 1 << 53, 0, -1, Int64.min] {
            let link = try signedLink(sequence, with: key)
            #expect(try await bench.push([link, link]) == .broken(at: 1, .malformed), "\(sequence)")
        }
        let highest: Int64 = 1 << 53 - 1
        #expect(
            try await bench.push([signedLink(highest, with: key), signedLink(highest + 1, with: key)])
                == .broken(at: highest + 1, .malformed))
    }

    @Test("A correctly signed text that is not a receipt is refused, and nothing is stored")
    func otherContent() async throws {
        let bench = try await HubBench()
        let key = try PrivateKey.generate(.p256)
        try await bench.enrol()
        try #require(
            try await bench.database.receipts.add(
                [ReceiptPublicKey(key.publicKey())], of: bench.kiosk, at: HubBench.now) == .added)
        let text = CBOREncoder.encode { $0.text(String(repeating: "x", count: 10_000)) }
        for content in [text, CBOREncoder.encode { $0.map(count: 0) }] {
            let link = try signedLink(1, saying: content, with: key)
            #expect(try await bench.push([link]) == .broken(at: 1, .malformed))
        }
        #expect(try await bench.database.receipts.count(of: bench.kiosk) == 0)
        let link = try signedLink(1, with: key)
        #expect(try await bench.push([link]) == .committed(head([link], 1)))
    }

    @Test("Receipts of version 2 and statements about outputs follow receipts of version 1")
    func versions() async throws {
        let store = try ReceiptStore(receipts: 1)
        let lock = NewOutput(accessory: try #require(ReceiptLabel("lock")), isRefused: true)
        let ended = try store.store.end(
            .sample("a"), first: .sample(engagement: .nfc, proof: .plain), further: nil, outputs: [lock])
        #expect(ended.first == 2)
        _ = try store.store.append(.sample())
        let (bench, links) = (try await HubBench(), try store.links)
        try await bench.enrol(store)
        #expect(links.count == 4)
        #expect(try await bench.push(Array(links[0..<2])) == .committed(head(links, 2)))
        #expect(try await bench.push(links) == .committed(head(links, 4)))
        #expect(try await bench.database.receipts.count(of: bench.kiosk) == 4)
    }

    @Test("A receipt of a later version is refused by its version, and nothing of the push is stored")
    func laterVersion() async throws {
        let bench = try await HubBench()
        let key = try PrivateKey.generate(.p256)
        try await bench.enrol()
        try #require(
            try await bench.database.receipts.add(
                [ReceiptPublicKey(key.publicKey())], of: bench.kiosk, at: HubBench.now) == .added)
        let first = try signedLink(1, with: key)
        let digest = try SignedReceipt(parsing: first).digest
        let later = try signedLink(2, after: digest, saying: statement(ofVersion: 3), with: key)
        #expect(try await bench.push([first, later]) == .versionUnknown(at: 2, version: 3))
        // A known version with other members is malformed.
        let other = try signedLink(2, after: digest, saying: statement(ofVersion: 2), with: key)
        #expect(try await bench.push([first, other]) == .broken(at: 2, .malformed))
        // So are the outputs of a receipt that is not earlier.
        let (lane, lock) = (try #require(ReceiptLabel("gate")), try #require(ReceiptLabel("lock")))
        for receipt in [Int64(2), 3] {
            let outputs = try #require(
                OutputsStatement(
                    time: HubBench.now, lane: lane, software: lane, receipt: receipt,
                    outputs: [OutputsStatement.Entry(accessory: lock, state: .done)]))
            let own = try signedLink(2, after: digest, saying: outputs.encoded(), with: key)
            #expect(try await bench.push([first, own]) == .broken(at: 2, .malformed))
        }
        #expect(try await bench.database.receipts.count(of: bench.kiosk) == 0)
    }

    @Test(
        "A kiosk at its hourly limit of receipts waits for the next hour; receipts that are stored already do not count"
    )
    func limit() async throws {
        let (bench, _, links) = try await HubBench.enrolled(receipts: 3)
        try #require(try await bench.push(Array(links[0..<1])) == .committed(head(links, 1)))
        func set(_ pushed: Int64, hoursAgo: Int64) async throws {
            _ = try await bench.pool.rows(
                """
                UPDATE countersign_fleet_kiosk SET pushed = $2::bigint,
                    pushed_hour = \(HubDatabase.second) / 3600 - $3::bigint WHERE kiosk = $1::text
                """, [bench.kiosk.text.bytes, pushed.postgreSQL, hoursAgo.postgreSQL])
        }
        // The hour does not end meanwhile.
        while RunningHub.now().secondsSince1970 % 3600 > 3590 { try await Task.sleep(for: .seconds(1)) }
        let rest = Int64(links[1].count + links[2].count)
        try await set(HubReceipts.mostPushed - rest + 1, hoursAgo: 0)
        guard case .tooMany(let seconds) = try await bench.push(links) else {
            Issue.record("more is taken than the limit")
            return
        }
        #expect((1...3600).contains(seconds))
        #expect(try await bench.database.receipts.count(of: bench.kiosk) == 1)
        #expect(try await bench.push(Array(links[0..<2])) == .committed(head(links, 2)))
        #expect(try await bench.push(Array(links[0..<2])) == .committed(head(links, 2)))
        try await set(HubReceipts.mostPushed, hoursAgo: 1)
        #expect(try await bench.push(links) == .committed(head(links, 3)))
    }
}

@Suite("Kiosks at the hub, in a real PostgreSQL")
struct KioskPostgreSQLTests {
    @Test("A code is spent once, by its kiosk, within a day")
    func code() async throws {
        let bench = try await HubBench()
        let (database, kiosk, now) = (bench.database, bench.kiosk, HubBench.now)
        let key = [UInt8](repeating: 2, count: 32)
        let code = try #require(try await database.kiosks.invite(kiosk, site: nil, group: nil, at: now))
        let other = try #require(FleetName("other-\(kiosk)"))
        _ = try await database.kiosks.invite(other, site: nil, group: nil, at: now)
        #expect(try await !database.kiosks.enrol(other, code: code, keyDigest: key, at: now))
        #expect(try await !database.kiosks.enrol(kiosk, code: code + "0", keyDigest: key, at: now))
        #expect(try await !database.kiosks.enrol(kiosk, code: "", keyDigest: key, at: now))
        let late = now.advanced(bySeconds: HubKiosks.codeLifetime + 1)
        #expect(try await !database.kiosks.enrol(kiosk, code: code, keyDigest: key, at: late))
        #expect(try await database.kiosks.enrol(kiosk, code: code, keyDigest: key, at: now))
        #expect(try await !database.kiosks.enrol(kiosk, code: code, keyDigest: key, at: now))
        #expect(try await database.kiosks.named(kiosk)?.keyDigest == key)
        // Who is in is not invited again; who was put out is.
        #expect(try await database.kiosks.invite(kiosk, site: nil, group: nil, at: now) == nil)
        #expect(try await database.kiosks.revoke(kiosk))
        #expect(try await !database.kiosks.revoke(kiosk))
        #expect(try await database.kiosks.invite(kiosk, site: nil, group: nil, at: now) != nil)
    }

    @Test("A revoked key stays revoked and cannot enrol, even after another computer gets the name")
    func revokedKey() async throws {
        let bench = try await HubBench()
        let (database, kiosk, now) = (bench.database, bench.kiosk, HubBench.now)
        let stolen = (0..<32).map { _ in UInt8.random(in: 0...255) }
        let next = (0..<32).map { _ in UInt8.random(in: 0...255) }
        let first = try #require(try await database.kiosks.invite(kiosk, site: nil, group: nil, at: now))
        #expect(try await database.kiosks.enrol(kiosk, code: first, keyDigest: stolen, at: now))
        #expect(try await !database.kiosks.isRevoked(stolen))
        #expect(try await database.kiosks.revoke(kiosk))
        let second = try #require(try await database.kiosks.invite(kiosk, site: nil, group: nil, at: now))
        #expect(try await !database.kiosks.enrol(kiosk, code: second, keyDigest: stolen, at: now))
        #expect(try await database.kiosks.enrol(kiosk, code: second, keyDigest: next, at: now))
        #expect(try await database.kiosks.isRevoked(stolen))
        #expect(try await !database.kiosks.isRevoked(next))
    }

    @Test(
        "A kiosk that reports receipts of another chain raises an alert; one whose receipts wait does not",
        arguments: [
            ("receiptsDiffer", "receiptsDiffer"), ("receiptBroken", "receiptBroken"),
            ("receiptKeyTaken", "receiptKeyTaken"), ("receiptGap", ""), ("receiptVersionUnknown", ""),
            ("x", ""),
        ])
    func alert(_ said: String, _ alert: String) async throws {
        let bench = try await HubBench()
        try await bench.enrol()
        let kiosk = try #require(try await bench.database.kiosks.named(bench.kiosk))
        for receipts in [said, ""] {
            let report = KioskReport(software: "test", documents: [], receipts: receipts)
            try await bench.database.kiosks.record(report, of: kiosk, at: HubBench.now)
        }
        #expect(try await bench.database.kiosks.named(bench.kiosk)?.alert == alert)
    }

    @Test("An alert is listed until it is cleared, once, and the kiosk's cause brings it back")
    func alerts() async throws {
        let bench = try await HubBench()
        try await bench.enrol()
        func listed() async throws -> Bool {
            try await bench.database.kiosks.alerts().map(\.line).contains(
                #"{"kiosk":"\#(bench.kiosk)","alert":"receiptsDiffer"}"#)
        }
        #expect(try await !listed())
        #expect(try await !bench.database.kiosks.clearAlert(of: bench.kiosk))
        for _ in 0..<2 {
            try await bench.database.kiosks.alert("receiptsDiffer", at: bench.kiosk)
            #expect(try await listed())
            #expect(try await bench.database.kiosks.clearAlert(of: bench.kiosk))
            #expect(try await !listed())
            #expect(try await bench.database.kiosks.named(bench.kiosk)?.alert == "")
        }
    }
}

@Suite("What kiosks report, in a real PostgreSQL")
struct ReportPostgreSQLTests {
    @Test("The newest report of a kiosk is kept and shown, and changes no other kiosk")
    func newest() async throws {
        let (bench, other) = (try await HubBench(), try await HubBench())
        for one in [bench, other] { try await one.enrol() }
        let kiosk = try #require(try await bench.database.kiosks.named(bench.kiosk))
        let before = try await bench.database.kiosks.named(other.kiosk)
        var report = KioskReport(software: "test", documents: [], receipts: "")
        for state in ["ready", "readerMissing"] {
            report.health = KioskHealth(
                lanes: [KioskHealth.Lane(name: "till", state: state)], findings: ["trustMissing"],
                trustAgeHours: 30, receiptsWaiting: 2)
            try await bench.database.kiosks.record(report, of: kiosk, at: HubBench.now)
        }
        let stored = try #require(try await bench.database.kiosks.named(bench.kiosk))
        #expect(try KioskReport(JSONText(stored.report[...])) == report)
        #expect(
            stored.json.text.filter { !$0.isWhitespace }.contains(
                #""health":{"lanes":[{"name":"till","state":"readerMissing"}],"findings":["trustMissing"],"#
                    + #""trustAgeHours":30,"receiptsWaiting":2}"#))
        #expect(try await bench.database.kiosks.named(other.kiosk) == before)
    }
}

@Suite("Commands to the broker")
struct BrokerCommandTests {
    @Test("A kiosk that is named like the hubs' account has an account of its own")
    func users() throws {
        let kiosk = try #require(FleetName("hub"))
        let topics = FleetTopics(try #require(FleetName("utopia")))
        let commands =
            BrokerCommands.createAccount(of: kiosk, "secret", topics)
            + BrokerCommands.changeAccount(of: kiosk, "secret") + BrokerCommands.removeAccount(of: kiosk)
        for command in commands {
            #expect(!command.text.contains(#""hub""#), "\(command.text)")
        }
        #expect(BrokerCommands.user(of: kiosk) == "kiosk-hub")
    }

    @Test("What the database refuses for its content is not tried again; what it refuses otherwise is")
    func refusals() {
        #expect(PostgreSQLError.failed(code: "22021").isOfData && !PostgreSQLError.rowMalformed.isOfData)
        #expect(PostgreSQLError.rowMalformed.explanation.hasPrefix("a row has other columns"))
        for error in [PostgreSQLError.failed(code: "57P01"), .unreachable, .overdue, .overloaded] {
            #expect(!error.isOfData)
        }
    }
}

@Suite("Months of receipts")
struct ReceiptMonthTests {
    @Test("The partition of a month is named for it, and begins and ends with it")
    func months() throws {
        let month = ReceiptMonth(of: Timestamp(secondsSince1970: 1_798_761_599))
        #expect(month.suffix == "202612")
        #expect(month.end == 1_798_761_600)
        #expect(month.advanced(by: 1).suffix == "202701")
        #expect(month.advanced(by: -12).suffix == "202512")
        #expect(ReceiptMonth(suffix: "202612") == month)
        for text in ["202600", "202613", "20261", "abcdef"] {
            #expect(ReceiptMonth(suffix: text[...]) == nil)
        }
    }
}
