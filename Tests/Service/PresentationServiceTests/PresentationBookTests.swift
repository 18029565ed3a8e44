import JSON
import MdocModel
import MdocSession
import MdocTrust
import MdocVerification
import MdocWallet
import PresentationStage
import ReaderStore
import RequestPlanner
import Testing
import Transport

@testable import PresentationService
@testable import ReaderService
@testable import Reports

@Suite("The presentations of all lanes, as a value")
struct PresentationBookTests {
    static let now = Scene.now
    private static let lift = PresentationEvent.liftAndTapAgain(NFCEndReason(.selectApplication, .cardMute))

    private static func order(_ members: String) throws -> PresentationOrder {
        try PresentationOrder(JSONText(Array("{\(members)}".utf8)[...]))
    }

    static func record(
        _ members: String = #""kind":"display","intent":"age over 21""#, at lane: String = "one",
        by owner: String = "till"
    ) throws -> PresentationRecord {
        let order = try order(members)
        let further = try order.then.map {
            PresentationRecord.Further(order: $0, plan: try RequestPlan($0.intent, keeping: .none))
        }
        return PresentationRecord(
            id: try PresentationID(), owner: owner, order: order,
            plan: try RequestPlan(order.intent, keeping: .none), further: further, lane: lane, created: now,
            brand: nil,
            basis: JudgingBasis(
                trust: TrustStore(anchors: []), obtained: nil, policy: VerificationPolicy()))
    }

    /// The report on what a phone with a licence answers.
    static func report(
        on record: PresentationRecord, age: Int = 40, issuer: IssuerFault? = nil,
        _ change: (inout Wallet) -> Void = { _ in }
    ) async throws -> TransactionReport {
        let licence = PresentationCase("book") {
            $0.licence.attestedAges = [18, 21]
            $0.licence.age = age
            $0.issuing.fault = issuer
        }
        let scene = try Scene(licence, handover: .qr, change)
        let (reader, holder) = InMemoryChannel.pair()
        let phone = Task { try await HolderEnd.serve(scene, over: holder) }
        let transaction = try scene.transaction(asking: PresentationQuestion(.planned(record.plan)))
        let presentation = await transaction.run(over: reader)
        _ = try await phone.value
        return try TransactionReport(
            presentation, asking: record.plan, on: WallClock.localDay(at: now))
    }

    private static let declined = TransactionReport.incomplete(
        TransactionError(.declined, "declined"), .declined)

    /// A book that a check of a test may change.
    final class Held {
        var book: PresentationBook

        init(_ book: PresentationBook) { self.book = book }
    }

    static func book(_ change: (inout CoordinatorLimits) -> Void = { _ in }) -> Held {
        var limits = CoordinatorLimits()
        change(&limits)
        return Held(PresentationBook(limits: limits))
    }

    @Test("Who listens is notified of each state once, and of none after the end")
    func states() throws {
        let held = Self.book()
        let record = try Self.record()
        #expect(try held.book.insert(record).states == [.armed])
        #expect(held.book.apply(.armed, to: record.id).isEmpty)
        #expect(held.book.apply(.engaged, to: record.id).states == [.engaged])
        #expect(held.book.apply(.hold, to: record.id).hints == [.hold])
        #expect(held.book.apply(.awaitingConsent, to: record.id).states == [.awaitingConsent])
        #expect(
            held.book.end(record.id, with: Self.declined, then: nil, shown: nil, at: Self.now)?.state
                == .declined)
        #expect(held.book.apply(.receiving, to: record.id).isEmpty)
        #expect(held.book[record.id]?.state == .awaitingConsent && held.book[record.id]?.hint == nil)
        #expect(held.book.complete(record.id, PresentationBook.Kept()).states == [.declined])
        #expect(held.book.apply(.receiving, to: record.id).isEmpty)
        #expect(held.book.complete(record.id, PresentationBook.Kept()).isEmpty)
        #expect(held.book.end(record.id, with: Self.declined, then: nil, shown: nil, at: Self.now) == nil)
    }

    @Test("An event is named by what happened, and what changes nothing makes none")
    func names() async throws {
        let held = Self.book()
        let record = try Self.record(
            #""kind":"display","intent":"age over 21 with portrait for a human to compare""#)
        #expect(try held.book.insert(record).names == [.armed])
        let steps: [(PresentationEvent, [EventName])] = [
            (.armed, []), (.notAnID, [.hintChanged]), (.engaged, [.engaged]), (.mayLift, [.hintChanged]),
            (Self.lift, [.armed]), (.engaged, [.engaged]), (.awaitingConsent, [.awaitingConsent]),
            (.receiving, [.receiving]), (.verifying, []),
        ]
        for (event, names) in steps {
            #expect(held.book.apply(event, to: record.id).names == names, "\(event)")
        }
        let report = try await Self.report(on: record)
        #expect(held.book.finish(record.id, report).names == [.awaitingDecision])
        #expect(try held.book.decide(record.id, .approved).names == [])
        #expect(held.book.wrote(WrittenReceipts(first: "7"), of: record.id).names == [.ended])
        let late = WrittenReceipts(first: "8")
        #expect(held.book.wroteDelayed(late, of: record.id).names == [.receiptWritten])
        let other = try Self.record(at: "two")
        _ = try held.book.insert(other)
        #expect(held.book.finish(other.id, try await Self.report(on: other)).names == [.ended])
        #expect(try held.book.decide(other.id, .dismissed).names == [.wiped])
    }

    @Test("A phone is waited for with its hint, and each hint stands for as long as it is true")
    func hints() throws {
        let held = Self.book()
        let record = try Self.record()
        #expect(try held.book.insert(record).hints == [.openYourID])
        let steps: [(PresentationEvent, PresentationState, PresentationHint?)] = [
            (.notAnID, .armed, .notAnID), (Self.lift, .armed, .tapAgain), (.engaged, .engaged, nil),
            (.mayLift, .engaged, .mayLift), (.connecting, .engaged, .connecting),
            (.checkBluetooth, .engaged, .checkBluetooth), (.awaitingConsent, .awaitingConsent, nil),
        ]
        for (event, state, hint) in steps {
            let notified = held.book.apply(event, to: record.id)
            #expect(notified.states == [state] && notified.hints == [hint], "\(event)")
        }
        let again = try Self.record(at: "two")
        _ = try held.book.insert(again)
        _ = held.book.apply(.engaged, to: again.id)
        let lifted = held.book.apply(Self.lift, to: again.id)
        #expect(lifted.states == [.armed] && lifted.hints == [.tapAgain])
    }

    @Test("A lane has one presentation at a time, and another lane its own")
    func oneAtATime() throws {
        let held = Self.book()
        let first = try Self.record()
        _ = try held.book.insert(first)
        #expect(throws: Refusal.laneBusy(first.id, isOwn: true)) { try held.book.insert(Self.record()) }
        #expect(throws: Refusal.laneBusy(first.id, isOwn: false)) {
            try held.book.insert(Self.record(by: "other"))
        }
        _ = try held.book.insert(Self.record(at: "two"))
        #expect(held.book.latest(at: "one")?.id == first.id && held.book.isBusy(lane: "one"))
        held.book.finish(first.id, Self.declined)
        #expect(!held.book.isBusy(lane: "one"))
        _ = try held.book.insert(Self.record())
        #expect(held.book.latest(at: "one")?.id != first.id)
    }

    @Test("What was cancelled has no answer, whatever came meanwhile; a lane may be ordered anew at once")
    func cancelled() async throws {
        let held = Self.book()
        let record = try Self.record()
        _ = try held.book.insert(record)
        #expect(held.book.cancel(record.id) && held.book[record.id]?.state == .cancelled)
        #expect(!held.book.isBusy(lane: "one") && !held.book.cancel(record.id))
        let verified = try await Self.report(on: record)
        #expect(verified.verdict == .mock && verified.isAccepted)
        held.book.finish(record.id, verified)
        let completion = try #require(held.book[record.id]?.completion)
        #expect(completion.state == .cancelled && completion.report == nil)
        // Once it is being recorded it is too late.
        let second = try Self.record(at: "two")
        _ = try held.book.insert(second)
        _ = held.book.end(second.id, with: verified, then: nil, shown: nil, at: Self.now)
        #expect(held.book.cancel(second.id) == false)
        _ = held.book.complete(second.id, PresentationBook.Kept())
        #expect(held.book[second.id]?.state == .verified)
    }

    @Test(
        "A display request keeps its answer and no element; a data request its elements, until their time is over"
    )
    func elements() async throws {
        let held = Self.book()
        let display = try Self.record()
        _ = try held.book.insert(display)
        let answer = try await Self.report(on: display)
        #expect(answer.documents.contains { $0.verified != nil })
        #expect(held.book.finish(display.id, answer).expiries.isEmpty)
        let kept = try #require(held.book[display.id]?.completion?.report)
        #expect(kept.documents.count == 1 && kept.documents.allSatisfy { $0.verified == nil })
        #expect(kept.answer(to: kept.questions[0]) == .yes)
        #expect(kept.documents[0].answers.allSatisfy { $0.answer.reason.isEmpty })

        let data = try Self.record(#""kind":"data","intent":"rental: name""#, at: "two")
        _ = try held.book.insert(data)
        let actions = held.book.finish(data.id, try await Self.report(on: data))
        #expect(actions.expiries == [.documents] && held.book[data.id]?.completion?.holdsElements == true)
        #expect(held.book.expire(.shown, of: data.id).isEmpty)
        #expect(held.book.expire(.documents, of: data.id).hints == [.wiped])
        #expect(held.book[data.id]?.completion?.holdsElements == false)
        #expect(held.book.expire(.documents, of: data.id).isEmpty)
    }

    @Test("A rejected answer keeps no element for a data request either")
    func rejected() async throws {
        let held = Self.book()
        let record = try Self.record(#""kind":"data","intent":"rental: name""#)
        _ = try held.book.insert(record)
        let report = try await Self.report(on: record) { $0.holder.fault = .signatureFlipped }
        #expect(held.book.finish(record.id, report).expiries.isEmpty)
        #expect(held.book[record.id]?.state == .rejected)
        #expect(held.book[record.id]?.completion?.holdsElements == false)
        #expect(throws: Refusal.decisionNotDue) { try held.book.decide(record.id, .approved) }
        // Whoever closes the result changes no outcome.
        #expect(try held.book.decide(record.id, .dismissed).hints == [.decided])
        #expect(try held.book.decide(record.id, .dismissed).isEmpty)
        #expect(held.book[record.id]?.conclusion?.outcome == .deny)
        #expect(held.book[record.id]?.completion?.decision == nil)
    }

    @Test("A decision is taken once, after the end, and the receipt that waited for it says it")
    func decided() async throws {
        let held = Self.book()
        let record = try Self.record(#""kind":"display","intent":"age over 21","validation":"confirm""#)
        _ = try held.book.insert(record)
        #expect(throws: Refusal.decisionNotDue) { try held.book.decide(record.id, .dismissed) }
        let report = try await Self.report(on: record)
        let statement = try await Self.waitingStatement(of: record, report)
        let actions = held.book.finish(
            record.id, report, kept: PresentationBook.Kept(receipt: .waiting(statement)))
        #expect(actions.expiries == [.decision] && actions.states == [.awaitingDecision])
        #expect(actions.finished.isEmpty && held.book[record.id]?.conclusion == nil)
        #expect(try #require(held.book[record.id]).isForgettable == false)
        #expect(throws: Refusal.decisionOpen(record.id, isOwn: true)) {
            try held.book.insert(Self.record())
        }
        _ = try held.book.insert(Self.record(at: "two"))
        let decided = try held.book.decide(record.id, .approved)
        // Nobody is told before it is written.
        #expect(decided.hints.isEmpty && decided.written.map(\.decision) == [.approved])
        #expect(held.book[record.id]?.conclusion == nil && held.book[record.id]?.state == .awaitingDecision)
        #expect(decided.written.map(\.outcome) == [.allow] && decided.finished.isEmpty)
        #expect(throws: Refusal.decisionNotDue) { try held.book.decide(record.id, .rejected) }
        #expect(try held.book.decide(record.id, .approved).isEmpty)
        #expect(held.book.expire(.decision, of: record.id).isEmpty)
        let written = held.book.wrote(WrittenReceipts(first: "7"), of: record.id)
        #expect(written.hints == [.decided])
        #expect(written.states == [.verified] && written.finished.map(\.conclusion?.outcome) == [.allow])
        #expect(held.book[record.id]?.completion?.receipt.id == "7")
        #expect(try #require(held.book[record.id]).isForgettable)
    }

    @Test(
        "The customer's screen is told neither the sale's reference nor the decision; who ordered it is",
        arguments: [
            ([.screen], false), ([.screen, .admin], false), ([.app], true), ([.clerk], true),
            ([.screen, .clerk], true),
        ] as [(Set<Scope>, Bool)])
    func customersScreen(_ scopes: Set<Scope>, _ isTold: Bool) async throws {
        let held = Self.book()
        let order = #""kind":"display","intent":"age over 21","validation":"confirm","reference":"sale-7""#
        let record = try Self.record(order)
        _ = try held.book.insert(record)
        held.book.finish(record.id, try await Self.report(on: record))
        _ = try held.book.decide(record.id, .rejected)
        _ = held.book.wrote(WrittenReceipts(), of: record.id)
        let ended = try #require(held.book[record.id])
        #expect(ended.conclusion?.outcome == .deny)
        let told = ended.json(for: scopes).line
        #expect(told.contains(#""answer":"yes""#) && told.contains(#""outcome":"deny""#))
        #expect(told.contains("sale-7") == isTold && told.contains(#""holder":1"#) == isTold)
        #expect(told.contains(#""decision":"rejected""#) == isTold)
        #expect(told.contains("decision.rejected") == isTold)
    }

    @Test(
        "A test document is called one when a check of it fails, too; that of another country is not",
        arguments: [(nil, true), (.otherCountry, false)] as [(IssuerFault?, Bool)])
    func rejectedTestDocument(_ fault: IssuerFault?, _ isTest: Bool) async throws {
        let record = try Self.record()
        let report = try await Self.report(on: record, issuer: fault) { $0.holder.fault = .signatureFlipped }
        #expect(report.verdict == .rejected && report.hasTestDocument == isTest)
        let members = report.resultMembers(for: nil, by: record.basis, at: Self.now)
        #expect(JSONValue.object(members).line.contains(#""test":true"#) == isTest)
        #expect(report.screenResult.line.contains(#""test":true"#) == isTest)
    }

    @Test("Where nobody decides in time the receipt says so, and a late decision is refused")
    func undecided() async throws {
        let held = Self.book()
        let record = try Self.record(#""kind":"display","intent":"age over 21","validation":"confirm""#)
        _ = try held.book.insert(record)
        let report = try await Self.report(on: record)
        let statement = try await Self.waitingStatement(of: record, report)
        held.book.finish(record.id, report, kept: PresentationBook.Kept(receipt: .waiting(statement)))
        let expired = held.book.expire(.decision, of: record.id)
        #expect(expired.written.map(\.decision) == [nil] && expired.hints.isEmpty)
        #expect(expired.written.map(\.outcome) == [.unclear])
        #expect(expired.written.flatMap(\.reasons).map(\.id) == ["decision.overdue"])
        #expect(throws: Refusal.decisionNotDue) { try held.book.decide(record.id, .approved) }
        #expect(held.book.wrote(WrittenReceipts(), of: record.id).hints == [.wiped])
        #expect(throws: Refusal.decisionNotDue) { try held.book.decide(record.id, .dismissed) }
        #expect(held.book[record.id]?.completion?.receipt.id == nil)
        #expect(held.book[record.id]?.conclusion?.reasons.map(\.id) == ["decision.overdue"])
    }

    @Test(
        "Nobody approves where an answer is no or unknown",
        arguments: [(21, 20, Outcome.deny), (25, 40, .unclear)])
    func notToApprove(_ asked: Int, _ age: Int, _ outcome: Outcome) async throws {
        let held = Self.book()
        let intent = "age over \(asked); else nothing"
        let record = try Self.record(#""kind":"display","intent":"\#(intent)","validation":"confirm""#)
        _ = try held.book.insert(record)
        let report = try await Self.report(on: record, age: age)
        #expect(report.isAccepted)
        let actions = held.book.finish(record.id, report)
        #expect(held.book[record.id]?.conclusion?.outcome == outcome)
        #expect(actions.finished.count == 1 && actions.expiries.isEmpty)
        #expect(throws: Refusal.decisionNotDue) { try held.book.decide(record.id, .approved) }
        #expect(throws: Refusal.decisionNotDue) { try held.book.decide(record.id, .rejected) }
    }

    @Test("Documents go at their time, also while a decision is written; what is decided on stays")
    func documentsBesideADecision() async throws {
        let held = Self.book()
        let record = try Self.record(#""kind":"data","intent":"rental: name","validation":"confirm""#)
        _ = try held.book.insert(record)
        let report = try await Self.report(on: record)
        _ = held.book.end(record.id, with: report, then: nil, shown: nil, at: Self.now)
        _ = held.book.complete(record.id, PresentationBook.Kept())
        #expect(held.book[record.id]?.completion?.holdsElements == true)
        _ = held.book.expire(.decision, of: record.id)
        #expect(held.book.expire(.documents, of: record.id).isEmpty)
        _ = held.book.wrote(WrittenReceipts(), of: record.id)
        #expect(held.book[record.id]?.completion?.holdsElements == false)

        let other = try Self.record(#""kind":"display","intent":"age over 21","validation":"confirm""#)
        _ = try held.book.insert(other)
        let shown = ShownPerson(portrait: nil, name: .init(given: "Lumi", family: nil))
        _ = held.book.end(
            other.id, with: try await Self.report(on: other), then: report, shown: shown, at: Self.now)
        _ = held.book.complete(other.id, PresentationBook.Kept())
        #expect(held.book.expire(.documents, of: other.id).hints == [nil])
        #expect(held.book[other.id]?.completion?.shown != nil)
    }

    @Test(
        "Data is handed out and retained once a person has approved it, and never where nobody did",
        arguments: [PresentationRecord.Decision.approved, .rejected, .dismissed, nil])
    func dataBesideADecision(_ decision: PresentationRecord.Decision?) async throws {
        let held = Self.book()
        let record = try Self.record(#""kind":"data","intent":"rental: name","validation":"confirm""#)
        _ = try held.book.insert(record)
        let report = try await Self.report(on: record)
        let waiting = WaitingRetention(first: Self.request(report, of: record))
        held.book.finish(record.id, report, kept: PresentationBook.Kept(retaining: waiting))
        func seen() throws -> String { try #require(held.book[record.id]).json(for: [.app]).line }
        #expect(try seen().contains(#""documents":null"#))
        #expect(throws: Refusal.portraitGone) { try held.book.takePortrait(of: record.id) }
        let actions =
            if let decision { try held.book.decide(record.id, decision) } else {
                held.book.expire(.decision, of: record.id)
            }
        let isApproved = decision == .approved
        #expect(actions.retaining.map { $0.first != nil } == [isApproved])
        held.book.retained(until: isApproved ? Self.now : nil, further: nil, of: record.id)
        _ = held.book.wrote(WrittenReceipts(), of: record.id)
        let ended = try #require(held.book[record.id]?.completion)
        #expect(ended.holdsElements == isApproved && ended.retaining.first == nil)
        #expect(try seen().contains(#""documents":null"#) == !isApproved)
        #expect(try seen().contains(#""retainedUntil":null"#) == !isApproved)
    }

    @Test("What the end of the daemon interrupts is failed for that reason; what was over stays as it was")
    func interrupted() async throws {
        let held = Self.book()
        let (running, awaiting) = (
            try Self.record(),
            try Self.record(#""kind":"display","intent":"age over 21","validation":"confirm""#, at: "two")
        )
        let over = try Self.record(at: "three")
        for record in [running, awaiting, over] { _ = try held.book.insert(record) }
        held.book.finish(over.id, Self.declined)
        held.book.finish(awaiting.id, try await Self.report(on: awaiting))
        held.book.interrupt()
        let isCancelled = held.book.cancel(running.id)
        #expect(isCancelled)
        held.book.finish(running.id, .incomplete(TransactionError(.cancelled, "cancelled"), .cancelled))
        _ = held.book.expire(.decision, of: awaiting.id)
        _ = held.book.wrote(WrittenReceipts(), of: awaiting.id)
        for record in [running, awaiting] {
            let conclusion = held.book[record.id]?.conclusion
            #expect(conclusion?.outcome == .failed && conclusion?.reasons.map(\.id) == ["restarted"])
            #expect(held.book[record.id]?.reasonsInWords == ["restarted"])
        }
        #expect(held.book[running.id]?.state == .failed)
        #expect(held.book[over.id]?.conclusion?.outcome == .declined)
    }

    @Test("The caller with the most presentations makes room, and what holds documents last")
    func roomOfTheCallerWithTheMost() async throws {
        let held = Self.book { $0.presentations = 4 }
        let documents = try Self.record(#""kind":"data","intent":"rental: name""#, by: "desk")
        _ = try held.book.insert(documents)
        held.book.finish(documents.id, try await Self.report(on: documents))
        var tills: [PresentationID] = []
        for lane in ["two", "three", "four", "five", "six"] {
            let record = try Self.record(at: lane)
            #expect(try held.book.insert(record).closed == (tills.count >= 3 ? [tills[tills.count - 3]] : []))
            held.book.finish(record.id, Self.declined)
            tills.append(record.id)
        }
        #expect(held.book[documents.id]?.completion?.holdsElements == true)
        // An older one of another caller stays, though it holds none.
        let shared = Self.book { $0.presentations = 3 }
        let records = [
            try Self.record(by: "desk"), try Self.record(at: "two"), try Self.record(at: "three"),
        ]
        for record in records {
            _ = try shared.book.insert(record)
            shared.book.finish(record.id, Self.declined)
        }
        #expect(try shared.book.insert(Self.record(at: "four")).closed == [records[1].id])
        // Of one caller's, what holds documents goes last.
        let own = Self.book { $0.presentations = 2 }
        let (first, second) = (
            try Self.record(#""kind":"data","intent":"rental: name""#), try Self.record(at: "two")
        )
        _ = try own.book.insert(first)
        own.book.finish(first.id, try await Self.report(on: first))
        _ = try own.book.insert(second)
        own.book.finish(second.id, Self.declined)
        #expect(try own.book.insert(Self.record(at: "three")).closed == [second.id])
    }

    @Test("The oldest that nothing waits for makes room; where all run, the order is refused")
    func room() throws {
        let held = Self.book { $0.presentations = 2 }
        let first = try Self.record(#""kind":"display","intent":"age over 21","reference":"a""#)
        _ = try held.book.insert(first)
        _ = try held.book.insert(Self.record(at: "two"))
        #expect(throws: Refusal.tooManyPresentations) { try held.book.insert(Self.record(at: "three")) }
        held.book.finish(first.id, Self.declined)
        #expect(try held.book.record(orderedAs: first.order, by: "till")?.id == first.id)
        let actions = try held.book.insert(Self.record(at: "three"))
        #expect(actions.closed == [first.id] && held.book[first.id] == nil)
        #expect(
            try held.book.record(orderedAs: first.order, by: "till") == nil
                && held.book.latest(at: "one") == nil)
    }

    @Test("One reference is one presentation; another order under it is refused")
    func references() throws {
        let held = Self.book()
        let members = #""kind":"display","intent":"age over 21","reference":"a""#
        let first = try Self.record(members)
        _ = try held.book.insert(first)
        #expect(try held.book.record(orderedAs: Self.order(members), by: "till")?.id == first.id)
        #expect(throws: Refusal.referenceTaken) {
            try held.book.record(
                orderedAs: Self.order(#""kind":"display","intent":"age over 18","reference":"a""#), by: "till"
            )
        }
        #expect(held.book.records(referredToAs: "a", by: "till").map(\.id) == [first.id])
        #expect(held.book.records(referredToAs: "b", by: "till").isEmpty)
    }

    @Test("A reference is its caller's: another's may be the same, and finds nothing of the first")
    func owners() throws {
        let held = Self.book()
        let members = #""kind":"display","intent":"age over 21","reference":"a""#
        let first = try Self.record(members)
        _ = try held.book.insert(first)
        #expect(try held.book.record(orderedAs: first.order, by: "desk") == nil)
        #expect(held.book.records(referredToAs: "a", by: "desk").isEmpty)
        let second = try Self.record(members, at: "two", by: "desk")
        _ = try held.book.insert(second)
        #expect(try held.book.record(orderedAs: first.order, by: "till")?.id == first.id)
        #expect(try held.book.record(orderedAs: first.order, by: "desk")?.id == second.id)
        held.book.finish(
            first.id, Self.declined, kept: PresentationBook.Kept(receipt: .written("7"), furtherReceipt: "8"))
        for receipt in ["7", "8"] {
            #expect(held.book.lane(ofReceipt: receipt, of: "till") != nil)
            #expect(held.book.lane(ofReceipt: receipt, of: "desk") == nil)
        }
        #expect(held.book.lane(ofReceipt: "9", of: "till") == nil)
    }

    @Test("Another reader token is another order under the same reference")
    func readerTokens() throws {
        let held = Self.book()
        let members = #""kind":"display","intent":"age over 21","reference":"a","readerToken":"#
        _ = try held.book.insert(Self.record(members + #""one""#))
        #expect(try held.book.record(orderedAs: Self.order(members + #""one""#), by: "till") != nil)
        #expect(throws: Refusal.referenceTaken) {
            try held.book.record(orderedAs: Self.order(members + #""two""#), by: "till")
        }
    }

    static func waitingStatement(
        of record: PresentationRecord, _ report: TransactionReport
    ) async throws -> WaitingReceipts {
        let statement: ReceiptStatement = try #require(
            ReceiptStatement(request(report, of: record), of: record))
        return WaitingReceipts(first: statement)
    }

    private static func request(_ report: TransactionReport, of record: PresentationRecord) -> EndedRequest {
        EndedRequest(
            kind: record.order.kind, plan: record.plan, retention: .receipt, state: .verified, report: report,
            ended: now, isCancelled: false)
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
        compactMap { if case .notify(_, let record) = $0 { record } else { nil } }
    }

    fileprivate var names: [EventName] {
        compactMap { if case .notify(let name, _) = $0 { name } else { nil } }
    }

    fileprivate var states: [PresentationState] { notified.map(\.state) }
    fileprivate var hints: [PresentationHint?] { notified.map(\.hint) }

    fileprivate var expiries: [PresentationBook.Expiry] {
        compactMap { if case .wait(_, let expiry, _) = $0 { expiry } else { nil } }
    }

    fileprivate var written: [ReceiptStatement] {
        compactMap { if case .write(let receipts, _, _) = $0 { receipts.first } else { nil } }
    }

    fileprivate var retaining: [WaitingRetention] {
        compactMap { if case .write(_, let retaining, _) = $0 { retaining } else { nil } }
    }

    fileprivate var finished: [PresentationRecord] {
        compactMap { if case .finish(let record) = $0 { record } else { nil } }
    }

    fileprivate var closed: [PresentationID] {
        compactMap { if case .close(let id, _) = $0 { id } else { nil } }
    }
}

extension PresentationRecord {
    /// The ids of the reasons in the result of who ordered it.
    fileprivate var reasonsInWords: [String]? {
        guard case .array(let reasons)? = json(for: [.app])["result"]?["reasons"] else { return nil }
        return reasons.compactMap { if case .string(let id)? = $0["id"] { id } else { nil } }
    }
}

extension JSONValue {
    /// A member of this object; nil where it has none of this name.
    fileprivate subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.0 == name }?.1
    }
}
