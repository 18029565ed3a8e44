import Fleet
import MdocModel
import OpenSSLCrypto
import ReaderStore
import Testing

@testable import FleetHub

@Suite("Roll-outs at the hub, in a real PostgreSQL")
struct RollOutPostgreSQLTests {
    private let level = FleetLevel.site

    private func document(_ name: FleetName, version: Int64) throws -> VerifiedFleetDocument {
        let document = FleetDocument(
            chain: try #require(FleetName("utopia")), level: level, name: name, version: version,
            created: HubBench.now)
        let key = try PrivateKey.generate(.p256)
        return try VerifiedFleetDocument(
            document.sign(with: key), by: FleetKeyring([FleetKey(key.publicKey())]))
    }

    /// Kiosks of one site.
    private func kiosks(_ bench: HubBench, _ count: Int, at site: FleetName) async throws -> [KioskRecord] {
        var kiosks: [KioskRecord] = []
        for number in 0..<count {
            let name = try #require(FleetName("\(bench.kiosk)-\(number)"))
            _ = try await bench.database.kiosks.invite(name, site: site, group: nil, at: HubBench.now)
            kiosks.append(try #require(try await bench.database.kiosks.named(name)))
        }
        return kiosks
    }

    private func versions(_ bench: HubBench, _ kiosks: [KioskRecord]) async throws -> [Int64] {
        var versions: [Int64] = []
        for kiosk in kiosks {
            versions.append(
                try await bench.database.documents.newest(for: kiosk).first { $0.level == level }?.version
                    ?? 0)
        }
        return versions
    }

    @Test("A wave reaches its share, the next one more, and the others keep the document before")
    func waves() async throws {
        let bench = try await HubBench()
        let site = bench.kiosk
        let kiosks = try await kiosks(bench, 40, at: site)
        #expect(try await bench.database.documents.put(document(site, version: 1), at: HubBench.now) == .put)
        #expect(try await versions(bench, kiosks) == Array(repeating: 1, count: 40))
        #expect(
            try await bench.database.documents.put(document(site, version: 2), percent: 30, at: HubBench.now)
                == .put)
        let first = try await versions(bench, kiosks)
        #expect((1...25).contains(first.count { $0 == 2 }) && first.allSatisfy { $0 > 0 })
        #expect(try await bench.database.documents.widen(level, site, percent: 100))
        #expect(try await versions(bench, kiosks) == Array(repeating: 2, count: 40))
        // Whoever had it keeps it: no wave takes it back from a kiosk of an earlier one.
        #expect(zip(first, try await versions(bench, kiosks)).allSatisfy { $0 <= $1 })
        #expect(
            try await bench.database.documents.put(document(site, version: 2), at: HubBench.now)
                == .older(than: 2))
        #expect(
            try await bench.database.documents.put(document(site, version: 1), at: HubBench.now)
                == .older(than: 2))
    }

    @Test("Three failures pause a roll-out until somebody widens it")
    func paused() async throws {
        let bench = try await HubBench()
        let site = bench.kiosk
        let kiosks = try await kiosks(bench, 3, at: site)
        let failures = Int(HubDocuments.mostFailures)
        for version in 1...2 {
            #expect(
                try await bench.database.documents.put(
                    document(site, version: Int64(version)), at: HubBench.now)
                    == .put)
        }
        for kiosk in kiosks.prefix(failures - 1) { try await fail(kiosk, 2, bench) }
        #expect(try await versions(bench, kiosks) == [2, 2, 2])
        try await fail(kiosks[failures - 1], 2, bench)
        #expect(try await versions(bench, kiosks) == [1, 1, 1])
        #expect(try await bench.database.documents.widen(level, site, percent: 100))
        #expect(try await versions(bench, kiosks) == [2, 2, 2])
        #expect(
            try await !bench.database.documents.widen(level, try #require(FleetName("nowhere")), percent: 100)
        )
    }

    private func fail(_ kiosk: KioskRecord, _ version: Int64, _ bench: HubBench) async throws {
        let entry = KioskReport.Entry(level: level, version: version, result: "document.failed_before")
        let report = KioskReport(software: "test", documents: [entry], receipts: "")
        try await bench.database.kiosks.record(report, of: kiosk, at: HubBench.now)
    }

    @Test(
        "One kiosk counts once, however often it reports, and a kiosk that the wave has not reached counts not at all"
    )
    func counted() async throws {
        let bench = try await HubBench()
        let site = bench.kiosk
        let kiosks = try await kiosks(bench, 40, at: site)
        for version in 1...2 {
            let percent: Int64 = version == 1 ? 100 : 30
            #expect(
                try await bench.database.documents.put(
                    document(site, version: Int64(version)), percent: percent, at: HubBench.now) == .put)
        }
        let before = try await versions(bench, kiosks)
        let reached = try #require(kiosks.indices.first { before[$0] == 2 })
        for _ in 0..<5 { try await fail(kiosks[reached], 2, bench) }
        for place in kiosks.indices where before[place] == 1 { try await fail(kiosks[place], 2, bench) }
        try await fail(kiosks[0], 3, bench)
        #expect(try await versions(bench, kiosks) == before)
    }

    @Test(
        "An earlier key's document takes the place of a later key's higher versions, and not the other way round"
    )
    func superseded() async throws {
        let bench = try await HubBench()
        let site = bench.kiosk
        let kiosks = try await kiosks(bench, 1, at: site)
        let safe = try PrivateKey.generate(.p256)
        let daily = try PrivateKey.generate(.p256)
        let keys = [try FleetKey(safe.publicKey()), try FleetKey(daily.publicKey())]
        func signed(_ version: Int64, by key: borrowing PrivateKey) throws -> VerifiedFleetDocument {
            let document = FleetDocument(
                chain: try #require(FleetName("utopia")), level: level, name: site, version: version,
                created: HubBench.now)
            return try VerifiedFleetDocument(document.sign(with: key), by: FleetKeyring(keys))
        }
        let highest = FleetDocument.highestVersion
        let stolen = try signed(highest, by: daily)
        #expect(try await bench.database.documents.put(stolen, among: keys, at: HubBench.now) == .put)
        let rescue = try signed(5, by: safe)
        #expect(try await bench.database.documents.put(rescue, at: HubBench.now) == .older(than: highest))
        #expect(try await bench.database.documents.put(rescue, among: keys, at: HubBench.now) == .put)
        #expect(try await versions(bench, kiosks) == [5])
        let again = try signed(5, by: daily)
        #expect(
            try await bench.database.documents.put(again, among: keys, at: HubBench.now) == .older(than: 5))
    }

    @Test("A document is for its own kiosks, whoever knows its digest")
    func others() async throws {
        let bench = try await HubBench()
        let kiosk = try await kiosks(bench, 1, at: bench.kiosk)[0]
        let own = try document(bench.kiosk, version: 1)
        let other = try document(try #require(FleetName("x-\(bench.kiosk)")), version: 1)
        for document in [own, other] {
            #expect(try await bench.database.documents.put(document, at: HubBench.now) == .put)
        }
        #expect(try await bench.database.documents.document(own.digest, for: kiosk) == own.encoded)
        #expect(try await bench.database.documents.document(other.digest, for: kiosk) == nil)
    }
}
