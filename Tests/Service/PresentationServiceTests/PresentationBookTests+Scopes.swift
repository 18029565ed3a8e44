import ReaderStore
import ReaderTokens
import RequestPlanner
import Testing
import Transport

@testable import PresentationService
@testable import Reports

extension PresentationBookTests {
    /// A presentation that a preset of the desk began.
    private static func deskRecord(_ reference: OrderReference? = nil) throws -> PresentationRecord {
        let preset = try Preset(
            name: "Rental", kind: .data, intent: "rental: name", brand: TokenText("utopia"))
        return try record(of: PresentationOrder(preset, lane: "one", reference: reference))
    }

    private static func record(of order: PresentationOrder) throws -> PresentationRecord {
        PresentationRecord(
            id: try PresentationID(), owner: "till", order: order,
            plan: try RequestPlan(order.intent, keeping: .none), further: nil, lane: "one", created: now,
            brand: nil, basis: try record().basis)
    }

    @Test("Each scope sees its own presentations: the caller's, the lane's latest, or all")
    func scopes() throws {
        let record = try Self.record()
        let rental = try Self.deskRecord()
        func seen(
            _ name: String, _ latest: PresentationID?, of record: PresentationRecord = record,
            lanes: Set<String>? = nil, scopes: Set<Scope> = Set(Scope.allCases)
        ) -> Set<Scope> {
            KnownCaller(name: name, scopes: scopes, lanes: lanes, credential: .user(0))
                .scopes(over: record, latest: latest)
        }
        #expect(seen("till", record.id) == [.app, .screen, .clerk, .order, .admin])
        #expect(seen("desk", record.id) == [.screen, .clerk, .admin])
        #expect(seen("desk", record.id, lanes: ["one"]) == [.screen, .clerk, .admin])
        #expect(seen("desk", record.id, lanes: ["two"]) == [.admin])
        #expect(seen("till", nil) == [.app, .order, .admin])
        #expect(seen("till", nil, of: rental) == [.app, .order, .desk, .admin])
        for scope in [Scope.order, .desk] {
            #expect(seen("till", record.id, of: rental, lanes: ["two"], scopes: [scope]).isEmpty)
            #expect(seen("desk", record.id, of: rental, scopes: [scope]).isEmpty)
        }
        #expect(try seen("desk", PresentationID(), scopes: [.app, .screen, .clerk]).isEmpty)
        #expect(seen("till", record.id, scopes: [.online, .readerTokens, .accessory]).isEmpty)
    }

    @Test("A presentation is unfinished until it has its outcome, for its reference and owner alone")
    func unfinished() throws {
        let held = Self.book()
        let record = try Self.deskRecord(OrderReference(name: "b", holder: 2))
        let owner = RetentionOwner("till", atDesk: "one")
        func unfinished(
            _ name: String = "b", of caller: String = "till", _ covered: RetentionOwner = owner
        ) -> PresentationID? {
            held.book.unfinished(retainedUnder: name, by: caller) { $0 == covered }
        }
        #expect(unfinished() == nil)
        _ = try held.book.insert(record)
        #expect(unfinished() == record.id)
        #expect(unfinished("c") == nil && unfinished(of: "desk") == nil)
        #expect(unfinished("b", RetentionOwner("till")) == nil)
        let end = TransactionReport.incomplete(TransactionError(.declined, "declined"), .declined)
        _ = held.book.end(record.id, with: end, then: nil, shown: nil, at: Self.now)
        #expect(unfinished() == record.id, "what it keeps is still being written")
        _ = held.book.complete(record.id, PresentationBook.Kept())
        #expect(unfinished() == nil)
    }

    @Test("Under its id a presentation without a reference is unfinished, and its elements are wiped")
    func withoutReference() async throws {
        let till = try Self.record(
            #""kind":"data","intent":"rental: name","reference":"a","readerToken":"t""#)
        let records = [
            try Self.deskRecord(), try Self.record(#""kind":"data","intent":"rental: name""#),
            // A program's repeated order has no reference.
            try Self.record(of: PresentationOrder(again: till.order, lane: "one")),
        ]
        for record in records {
            let held = Self.book()
            let name = record.id.description
            let earlier = try Self.record(#""kind":"data","intent":"rental: name""#)
            func unfinished() -> PresentationID? {
                held.book.unfinished(retainedUnder: name, by: "till") { _ in true }
            }
            for other in [earlier, record] {
                _ = try held.book.insert(other)
                #expect(unfinished() == (other.id == record.id ? record.id : nil))
                let report = try await Self.report(on: other)
                _ = held.book.end(other.id, with: report, then: nil, shown: nil, at: Self.now)
                _ = held.book.complete(other.id, PresentationBook.Kept())
                #expect(held.book[other.id]?.completion?.holdsElements == true)
            }
            #expect(unfinished() == nil)
            for (name, caller) in [("a", "till"), (name, "other")] {
                let wiped = held.book.wipeElements(retainedUnder: name, by: caller) { _ in true }
                #expect(wiped.isEmpty)
            }
            #expect(held.book[record.id]?.completion?.holdsElements == true)
            _ = held.book.wipeElements(retainedUnder: name, by: "till") { $0 == record.retentionOwner }
            #expect(held.book[record.id]?.completion?.holdsElements == false)
            #expect(held.book[earlier.id]?.completion?.holdsElements == true, "another presentation")
        }
    }

    @Test("A desk's page owns what its presets began, and nothing that a program of the same name ordered")
    func desk() throws {
        let page = KnownCaller(name: "till", scopes: [.desk], lanes: ["one"], credential: .user(0))
        #expect(page.owns(try Self.deskRecord()))
        #expect(!page.owns(try Self.record()))
        // The store tells them apart in the same way.
        #expect(page.owns(StoredPresentation(try Self.deskRecord())))
        #expect(!page.owns(StoredPresentation(try Self.record())))
        let program = KnownCaller(name: "till", scopes: [.app], lanes: ["one"], credential: .user(0))
        #expect(try program.owns(Self.record()) && program.owns(StoredPresentation(Self.record())))
        let other = KnownCaller(name: "desk", scopes: [.desk], lanes: ["one"], credential: .user(0))
        #expect(!other.owns(StoredPresentation(try Self.deskRecord())))
    }
}
