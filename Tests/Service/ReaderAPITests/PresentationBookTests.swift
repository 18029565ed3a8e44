import JSON
import MdocModel
import MdocTrust
import MdocWallet
import PresentationStage
import ReaderStore
import RequestPlanner
import Testing
import Transport

@testable import ReaderAPI
@testable import ReaderService
@testable import Reports

@Suite("The presentations of all lanes, as a value")
struct PresentationBookTests {
    private static let now = Scene.now

    private static func order(_ members: String) throws -> PresentationOrder {
        try PresentationOrder(JSONText(Array("{\(members)}".utf8)[...]))
    }

    private static func record(
        _ members: String = #""kind":"display","intent":"age over 21""#, at lane: String = "one"
    ) throws -> PresentationRecord {
        let order = try order(members)
        let further = try order.then.map {
            PresentationRecord.Further(order: $0, plan: try RequestPlan($0.intent, keeping: .none))
        }
        return PresentationRecord(
            id: try PresentationID(), order: order, plan: try RequestPlan(order.intent, keeping: .none),
            further: further, lane: lane, created: now, brand: nil,
            basis: JudgingBasis(trust: TrustStore(anchors: []), obtained: nil))
    }

    /// The report on what a phone with a licence answers.
    private static func report(
        on record: PresentationRecord, _ change: (inout Wallet) -> Void = { _ in }
    ) async throws -> TransactionReport {
        let licence = PresentationCase("book") { $0.licence.attestedAges = [18, 21] }
        let scene = try Scene(licence, handover: .qr, change)
        let (reader, holder) = InMemoryChannel.pair()
        let phone = Task { try await HolderEnd.serve(scene, over: holder) }
        let transaction = try scene.transaction(asking: PresentationQuestion(.planned(record.plan)))
        let presentation = await transaction.run(over: reader)
        _ = try await phone.value
        return try TransactionReport(
            presentation, asking: record.plan, on: WallClock.localDay(at: now))
    }

    private static let declined = TransactionReport.incomplete(TransactionError(.declined, "declined"))

    private static func book(_ change: (inout CoordinatorLimits) -> Void = { _ in }) -> PresentationBook {
        var limits = CoordinatorLimits()
        change(&limits)
        return PresentationBook(limits: limits)
    }

    @Test("Who listens is notified of each state once, and of none after the end")
    func states() throws {
        var book = Self.book()
        let record = try Self.record()
        #expect(try book.begin(record).states == [.armed])
        #expect(book.note(.armed, of: record.id).isEmpty)
        #expect(book.note(.engaged, of: record.id).states == [.engaged])
        #expect(book.note(.hold, of: record.id).hints == [.hold])
        #expect(book.note(.awaitingConsent, of: record.id).states == [.awaitingConsent])
        #expect(
            book.end(record.id, with: Self.declined, then: nil, shown: nil, at: Self.now)?.state == .declined)
        #expect(book.note(.receiving, of: record.id).isEmpty)
        #expect(book[record.id]?.state == .awaitingConsent && book[record.id]?.hint == nil)
        #expect(book.complete(record.id, PresentationBook.Kept()).states == [.declined])
        #expect(book.note(.receiving, of: record.id).isEmpty)
        #expect(book.complete(record.id, PresentationBook.Kept()).isEmpty)
        #expect(book.end(record.id, with: Self.declined, then: nil, shown: nil, at: Self.now) == nil)
    }

    @Test("A lane has one presentation at a time, and another lane its own")
    func oneAtATime() throws {
        var book = Self.book()
        let first = try Self.record()
        _ = try book.begin(first)
        #expect(throws: APIProblem.laneBusy) { try book.begin(Self.record()) }
        _ = try book.begin(Self.record(at: "two"))
        #expect(book.latest(at: "one")?.id == first.id && book.isBusy(lane: "one"))
        book.finish(first.id, Self.declined)
        #expect(!book.isBusy(lane: "one"))
        _ = try book.begin(Self.record())
        #expect(book.latest(at: "one")?.id != first.id)
    }

    @Test("What was cancelled has no answer, whatever came meanwhile; a lane may be ordered anew at once")
    func cancelled() async throws {
        var book = Self.book()
        let record = try Self.record()
        _ = try book.begin(record)
        #expect(book.cancel(record.id) && book[record.id]?.state == .cancelled)
        #expect(!book.isBusy(lane: "one") && !book.cancel(record.id))
        let verified = try await Self.report(on: record)
        #expect(verified.verdict == .verified)
        book.finish(record.id, verified)
        let completion = try #require(book[record.id]?.completion)
        #expect(completion.state == .cancelled && completion.report == nil)
        // Once it is being recorded it is too late.
        let second = try Self.record(at: "two")
        _ = try book.begin(second)
        _ = book.end(second.id, with: verified, then: nil, shown: nil, at: Self.now)
        #expect(!book.cancel(second.id))
        _ = book.complete(second.id, PresentationBook.Kept())
        #expect(book[second.id]?.state == .verified)
    }

    @Test(
        "A display request keeps its answer and no element; a data request its elements, until their time is over"
    )
    func elements() async throws {
        var book = Self.book()
        let display = try Self.record()
        _ = try book.begin(display)
        let answer = try await Self.report(on: display)
        #expect(answer.documents.contains { $0.verified != nil })
        #expect(book.finish(display.id, answer).expiries.isEmpty)
        let kept = try #require(book[display.id]?.completion?.report)
        #expect(kept.documents.count == 1 && kept.documents.allSatisfy { $0.verified == nil })
        #expect(kept.answer(to: kept.questions[0]) == .yes)
        #expect(kept.documents[0].answers.allSatisfy { $0.answer.reason.isEmpty })

        let data = try Self.record(#""kind":"data","intent":"rental: name""#, at: "two")
        _ = try book.begin(data)
        let actions = book.finish(data.id, try await Self.report(on: data))
        #expect(actions.expiries == [.documents] && book[data.id]?.completion?.holdsElements == true)
        #expect(book.expire(.shown, of: data.id).isEmpty)
        #expect(book.expire(.documents, of: data.id).hints == [.wiped])
        #expect(book[data.id]?.completion?.holdsElements == false)
        #expect(book.expire(.documents, of: data.id).isEmpty)
    }

    @Test("A rejected answer keeps no element for a data request either")
    func rejected() async throws {
        var book = Self.book()
        let record = try Self.record(#""kind":"data","intent":"rental: name""#)
        _ = try book.begin(record)
        let report = try await Self.report(on: record) { $0.holder.fault = .signatureFlipped }
        #expect(book.finish(record.id, report).expiries.isEmpty)
        #expect(book[record.id]?.state == .rejected)
        #expect(book[record.id]?.completion?.holdsElements == false)
        #expect(throws: APIProblem.decisionNotDue) { try book.decide(record.id, .approved) }
        #expect(try book.decide(record.id, .dismissed).hints == [.decided])
    }

    @Test("A decision is taken once, after the end, and the receipt that waited for it says it")
    func decided() async throws {
        var book = Self.book()
        let record = try Self.record(#""kind":"display","intent":"age over 21","validation":"confirm""#)
        _ = try book.begin(record)
        #expect(throws: APIProblem.decisionNotDue) { try book.decide(record.id, .dismissed) }
        let report = try await Self.report(on: record)
        let statement = try await Self.waitingStatement(of: record, report)
        let actions = book.finish(
            record.id, report, kept: PresentationBook.Kept(receipt: .waiting(statement)))
        #expect(actions.expiries == [.decision])
        #expect(try #require(book[record.id]).isForgettable == false)
        let decided = try book.decide(record.id, .approved)
        #expect(decided.hints == [.decided] && decided.written.map(\.decision) == [.approved])
        #expect(throws: APIProblem.decisionNotDue) { try book.decide(record.id, .rejected) }
        #expect(try book.decide(record.id, .approved).isEmpty)
        #expect(book.expire(.decision, of: record.id).isEmpty)
        #expect(book.wrote("7", of: record.id).states == [.verified])
        #expect(book[record.id]?.completion?.receipt.id == "7")
        #expect(try #require(book[record.id]).isForgettable)
    }

    @Test("Where nobody decides in time the receipt says so, and a late decision is refused")
    func undecided() async throws {
        var book = Self.book()
        let record = try Self.record(#""kind":"display","intent":"age over 21","validation":"confirm""#)
        _ = try book.begin(record)
        let report = try await Self.report(on: record)
        let statement = try await Self.waitingStatement(of: record, report)
        book.finish(record.id, report, kept: PresentationBook.Kept(receipt: .waiting(statement)))
        // The next presentation at the lane is such a moment.
        #expect(try book.begin(Self.record()).written.map(\.decision) == [nil])
        #expect(throws: APIProblem.decisionNotDue) { try book.decide(record.id, .approved) }
        _ = book.wrote(nil, of: record.id)
        #expect(throws: APIProblem.decisionNotDue) { try book.decide(record.id, .approved) }
        #expect(book[record.id]?.completion?.receipt.id == nil)
    }

    @Test("The oldest that nothing waits for makes room; where all run, the order is refused")
    func room() throws {
        var book = Self.book { $0.presentations = 2 }
        let first = try Self.record(#""kind":"display","intent":"age over 21","reference":"a""#)
        _ = try book.begin(first)
        _ = try book.begin(Self.record(at: "two"))
        #expect(throws: APIProblem.tooManyPresentations) { try book.begin(Self.record(at: "three")) }
        book.finish(first.id, Self.declined)
        #expect(try book.record(orderedAs: first.order)?.id == first.id)
        let actions = try book.begin(Self.record(at: "three"))
        #expect(actions.closed == [first.id] && book[first.id] == nil)
        #expect(try book.record(orderedAs: first.order) == nil && book.latest(at: "one") == nil)
    }

    @Test("One reference is one presentation; another order under it is refused")
    func references() throws {
        var book = Self.book()
        let members = #""kind":"display","intent":"age over 21","reference":"a""#
        let first = try Self.record(members)
        _ = try book.begin(first)
        #expect(try book.record(orderedAs: Self.order(members))?.id == first.id)
        #expect(throws: APIProblem.referenceTaken) {
            try book.record(
                orderedAs: Self.order(#""kind":"display","intent":"age over 18","reference":"a""#))
        }
        #expect(book.records(referredToAs: "a").map(\.id) == [first.id])
        #expect(book.records(referredToAs: "b").isEmpty)
    }

    private static func waitingStatement(
        of record: PresentationRecord, _ report: TransactionReport
    ) async throws -> ReceiptStatement {
        let completion = PresentationRecord.Completion(report, then: nil, shown: nil, of: record, at: now)
        let request = EndedRequest(
            kind: .display, plan: record.plan, retention: .receipt, state: .verified, report: report,
            completion: completion)
        return try #require(ReceiptStatement(request, of: record))
    }
}

extension PresentationBook {
    /// Judged, and what is to be kept is kept.
    @discardableResult
    fileprivate mutating func finish(
        _ id: PresentationID, _ report: TransactionReport, kept: Kept = Kept()
    ) -> [Action] {
        _ = end(id, with: report, then: nil, shown: nil, at: Scene.now)
        return complete(id, kept)
    }
}

extension [PresentationBook.Action] {
    fileprivate var notified: [PresentationRecord] {
        compactMap { if case .notify(let record) = $0 { record } else { nil } }
    }

    fileprivate var states: [PresentationState] { notified.map(\.state) }
    fileprivate var hints: [PresentationHint?] { notified.map(\.hint) }

    fileprivate var expiries: [PresentationBook.Expiry] {
        compactMap { if case .wait(_, let expiry, _) = $0 { expiry } else { nil } }
    }

    fileprivate var written: [ReceiptStatement] {
        compactMap { if case .write(let statement, _) = $0 { statement } else { nil } }
    }

    fileprivate var closed: [PresentationID] {
        compactMap { if case .close(let id, _) = $0 { id } else { nil } }
    }
}
