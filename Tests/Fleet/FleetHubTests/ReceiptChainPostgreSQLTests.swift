import Deadlines
import Fleet
import MdocModel
import ReaderStore
import RecordBench
import Testing

@testable import FleetHub

@Suite("Months of receipts, in a real PostgreSQL")
struct ReceiptMonthPostgreSQLTests {
    @Test("A month's receipts go when their time is over, and the kiosk's head stays")
    func retention() async throws {
        let (bench, _, links) = try await HubBench.enrolled(receipts: 3)
        try await bench.pushAged(Array(links[0..<2]))
        try await bench.database.months.maintain(months: 1, at: RunningHub.now())
        #expect(try await bench.database.receipts.count(of: bench.kiosk) == 0)
        #expect(try await bench.push(links) == .committed(head(links, 3)))
        #expect(try await bench.database.receipts.count(of: bench.kiosk) == 1)
    }

    @Test(
        "No month is dropped while the clocks of hub and database differ",
        arguments: [-86_400 * 2, 86_400 * 2, 86_400 * 365 * 73])
    func otherClock(_ seconds: Int64) async throws {
        let (bench, _, links) = try await HubBench.enrolled(receipts: 2)
        try await bench.pushAged(links)
        let later = RunningHub.now().advanced(bySeconds: seconds)
        let ahead = try await bench.database.months.maintain(months: 1, at: later)
        #expect(abs(ahead - seconds) < 60)
        #expect(try await bench.database.receipts.count(of: bench.kiosk) == 2)
    }

    @Test(
        "A hub drops no month in the first hour of its computer; one that is started again later drops at once",
        arguments: [(3599, 2), (3600, 0)] as [(Int, Int64)])
    func starting(_ uptime: Int, _ count: Int64) async throws {
        let (bench, _, links) = try await HubBench.enrolled(receipts: 2)
        try await bench.pushAged(links)
        let next = ReceiptMonth(of: RunningHub.now()).advanced(by: 1).suffix
        _ = try await bench.pool.rows("DROP TABLE countersign_fleet_receipt_\(next)")
        let keeper = PartitionKeeper(
            bench.database, months: 1, log: RunningHub.log, uptime: { .seconds(uptime) },
            now: RunningHub.now)
        let running = Task { try await keeper.run() }
        defer { running.cancel() }
        try await until("the next month") {
            try await bench.pool.rows(
                "SELECT to_regclass('countersign_fleet_receipt_\(next)') IS NOT NULL"
            ).first?.first == [1]
        }
        // Nothing more may come meanwhile, which only time can show.
        try await Task.sleep(for: .milliseconds(500))
        #expect(try await bench.database.receipts.count(of: bench.kiosk) == count)
    }

    @Test("A computer's time since its start is counted")
    func uptime() {
        #expect(PartitionKeeper.uptime() > .zero)
    }

    @Test("Receipts come by the clock of the database, also where there is no place for their month yet")
    func placed() async throws {
        let (bench, _, links) = try await HubBench.enrolled(receipts: 2)
        let month = ReceiptMonth(of: RunningHub.now()).suffix
        _ = try await bench.pool.rows("DROP TABLE countersign_fleet_receipt_\(month)")
        #expect(try await bench.push(links) == .committed(head(links, 2)))
        let received = try await bench.received()
        #expect(received.count == 2)
        for second in received { #expect(abs(second - RunningHub.now().secondsSince1970) < 60) }
    }
}

@Suite("Chains of receipts of computers that replace each other, in a real PostgreSQL")
struct ReceiptEpochPostgreSQLTests {
    @Test(
        "A second computer that enrols under a kiosk's name begins its own receipt chain, and the first chain goes on where it ended"
    )
    func replaced() async throws {
        let (bench, old, _) = try await HubBench.enrolled(receipts: 3)
        let new = try ReceiptStore(receipts: 2)
        func add(_ store: ReceiptStore) async throws -> HubReceipts.KeyOutcome {
            try await bench.database.receipts.add(
                store.store.receiptKeys(), of: bench.kiosk, at: HubBench.now)
        }
        try #require(try await bench.push(old.links) == .committed(head(old.links, 3)))
        // Nobody has let another computer in: its store was set back, or replaced.
        #expect(try await add(new) == .added)
        #expect(try await bench.push(new.links) == .differs(at: 1))
        // Once it is let in it says first which keys it has.
        try await bench.enrolAgain()
        guard case .broken(1, .keyUnknown) = try await bench.push(new.links) else {
            Issue.record("receipts are taken before their keys")
            return
        }
        #expect(try await bench.database.kiosks.named(bench.kiosk)?.expected.sequence == 0)
        #expect(try await add(new) == .replaced(epoch: 2))
        #expect(try await bench.push(new.links) == .committed(head(new.links, 2)))
        #expect(try await bench.database.kiosks.named(bench.kiosk)?.expected == head(new.links, 2))
        // That chain is watched as the first one was.
        let third = try ReceiptStore(receipts: 2)
        #expect(try await add(third) == .added)
        #expect(try await bench.push(third.links) == .differs(at: 1))
        // The first computer comes back, and must not have been set back meanwhile.
        try await bench.enrolAgain()
        #expect(try await add(old) == .replaced(epoch: 1))
        #expect(try await bench.database.kiosks.named(bench.kiosk)?.expected == head(old.links, 3))
        _ = try old.store.append(.sample())
        #expect(try await bench.push(Array(old.links[3...])) == .committed(head(old.links, 4)))
        #expect(try await bench.database.receipts.count(of: bench.kiosk) == 6)
    }

    @Test("A computer that is enrolled again goes on where it was, and is found where it was set back")
    func again() async throws {
        let (bench, store, links) = try await HubBench.enrolled(receipts: 4)
        try #require(try await bench.push(links) == .committed(head(links, 4)))
        let copy = try ReceiptStore(receipts: 1)
        for _ in 0..<2 {
            try await bench.enrolAgain()
            #expect(
                try await bench.database.receipts.add(
                    store.store.receiptKeys(), of: bench.kiosk, at: HubBench.now)
                    == .added)
            #expect(try await bench.push(links) == .committed(head(links, 4)))
            // A store that was set back has its key still.
            let other = try copy.store.receiptKeys() + store.store.receiptKeys()
            #expect(try await bench.database.receipts.add(other, of: bench.kiosk, at: HubBench.now) == .added)
            #expect(try await bench.push(copy.links) == .differs(at: 1))
        }
        #expect(try await bench.database.receipts.count(of: bench.kiosk) == 4)
    }
}
