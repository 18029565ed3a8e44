import JSON
import MdocModel
import MdocWallet
import ReaderStore
import ReaderTokens
import RequestPlanner
import Testing
import Transport

@testable import PresentationService
@testable import Reports

@Suite("Repeating an order, as a value")
struct AskingAgainTests {
    private static let licence = #""kind":"display","intent":"rental: categories B""#

    /// A book in which a presentation of an order is over, and that presentation.
    private static func book(
        _ members: String = licence, withholding identifiers: Set<String>
    ) async throws -> (PresentationBookTests.Held, PresentationRecord) {
        let held = PresentationBookTests.book()
        let record = try PresentationBookTests.record(members)
        _ = try held.book.insert(record)
        try await end(record.id, in: held, withholding: identifiers)
        return (held, record)
    }

    private static func end(
        _ id: PresentationID, in held: PresentationBookTests.Held, withholding identifiers: Set<String>
    ) async throws {
        let record = try #require(held.book[id])
        let names = Set(identifiers.map { ElementName(nameSpace: TestLicence.nameSpace, identifier: $0) })
        let report = try await PresentationBookTests.report(on: record) { wallet in
            wallet.holder.documents = wallet.holder.documents.map { $0.withholding(names) }
        }
        _ = held.book.end(id, with: report, then: nil, shown: nil, at: PresentationBookTests.now)
        _ = held.book.complete(id, PresentationBook.Kept())
    }

    private static func repetition(of record: PresentationRecord) throws -> PresentationRecord {
        var new = try PresentationBookTests.record(licence)
        new.repeated = RepeatedPresentation(id: record.id, receipt: record.completion?.receipt.id)
        return new
    }

    private static func problem(_ id: PresentationID, _ held: PresentationBookTests.Held) -> String? {
        do throws(PresentationServiceError) {
            try held.book.checkAskingAgain(id, for: "till")
            return nil
        } catch {
            return error.name
        }
    }

    @Test("A presentation with missing elements is asked again once, and the one that does so once more")
    func once() async throws {
        let (held, record) = try await Self.book(withholding: ["expiry_date"])
        #expect(held.book[record.id]?.conclusion?.outcome == .unclear)
        let second = try Self.repetition(of: record)
        _ = try held.book.insert(second)
        let third = try Self.repetition(of: record)
        #expect(throws: PresentationServiceError.askedAgain) { try held.book.insert(third) }
        #expect(Self.problem(second.id, held) == "laneBusy")
        try await Self.end(second.id, in: held, withholding: ["expiry_date"])
        #expect(throws: PresentationServiceError.askedAgain) { try held.book.insert(third) }
        #expect(Self.problem(second.id, held) == nil)
    }

    @Test("A presentation that began at a lane that was busy does not count as asked again")
    func busy() async throws {
        let (held, record) = try await Self.book(withholding: ["expiry_date"])
        let other = try PresentationBookTests.record()
        _ = try held.book.insert(other)
        let again = try Self.repetition(of: record)
        #expect(throws: PresentationServiceError.laneBusy(other.id, isOwn: true)) {
            try held.book.insert(again)
        }
        #expect(Self.problem(record.id, held) == nil)
    }

    @Test("A presentation without an answer is asked again, whoever ended it")
    func withoutAnswer() throws {
        let ends: [(TransactionReport, Outcome)] = [
            (.incomplete(TransactionError(.declined, "declined"), .declined), .declined),
            (.unavailable(.readerInUse), .failed),
        ]
        for (report, outcome) in ends {
            let held = PresentationBookTests.book()
            let record = try PresentationBookTests.record()
            _ = try held.book.insert(record)
            _ = held.book.end(record.id, with: report, then: nil, shown: nil, at: PresentationBookTests.now)
            _ = held.book.complete(record.id, PresentationBook.Kept())
            #expect(held.book[record.id]?.conclusion?.outcome == outcome)
            #expect(Self.problem(record.id, held) == nil, "\(outcome)")
        }
    }

    @Test(
        "A check is repeated after any key of a person, names the first, and leaves its receipt as it was",
        arguments: [PresentationRecord.Decision.approved, .rejected, .dismissed])
    func wrongKey(_ decision: PresentationRecord.Decision) async throws {
        let held = PresentationBookTests.book()
        let record = try PresentationBookTests.record(
            #""kind":"display","intent":"age over 21 with portrait for a human to compare""#)
        _ = try held.book.insert(record)
        let report = try await PresentationBookTests.report(on: record)
        _ = held.book.end(record.id, with: report, then: nil, shown: nil, at: PresentationBookTests.now)
        _ = held.book.complete(record.id, PresentationBook.Kept(receipt: .waiting(WaitingReceipts())))
        #expect(Self.problem(record.id, held) == "decisionOpen")
        _ = try held.book.decide(record.id, decision)
        #expect(Self.problem(record.id, held) == "decisionOpen", "the receipt is still being written")
        _ = held.book.wrote(WrittenReceipts(first: "7"), of: record.id)
        #expect(Self.problem(record.id, held) == nil)
        let before = held.book[record.id]?.json(for: [.clerk]).text
        let second = try Self.repetition(of: try #require(held.book[record.id]))
        _ = try held.book.insert(second)
        #expect(second.json(for: [.clerk]).text.contains("\"repeats\": \"\(record.id)\""))
        #expect(WaitingReceipts(interrupting: second)?.first?.repeats?.text == second.repeated?.receipt)
        #expect(held.book[record.id]?.json(for: [.clerk]).text == before)
        #expect(Self.problem(record.id, held) == "askedAgain")
    }

    @Test("Nothing is asked again of a presentation that is complete, runs, or was never there")
    func refused() async throws {
        let (held, record) = try await Self.book(withholding: [])
        #expect(held.book[record.id]?.conclusion?.outcome == .allow)
        #expect(throws: PresentationServiceError.nothingToAskAgain) {
            try held.book.insert(Self.repetition(of: record))
        }
        let running = try PresentationBookTests.record()
        _ = try held.book.insert(running)
        #expect(Self.problem(running.id, held) == "laneBusy")
        #expect(Self.problem(try PresentationID(), held) == "presentationUnknown")
    }

    @Test(
        "The new order asks everything anew, and takes over neither consent nor reference",
        arguments: [
            #","retention":"days(2)""#, #","retention":"none""#,
            #","retention":"receipt","then":{"intent":"rental: address","retention":"days(3)"}"#,
        ])
    func order(_ further: String) throws {
        let members =
            #"{"kind":"data","intent":"rental: name","reference":"r","holder":2,"consent":"given","validation":"confirm","readerToken":"t""#
        let order = try PresentationOrder(JSONText(Array("\(members)\(further)}".utf8)[...]))
        let again = try PresentationOrder(again: order, lane: "one")
        #expect(order.consent == .given && again.consent == .notGiven)
        #expect(again.reference == nil && again.lane == "one" && again.readerToken == "t")
        #expect(again.intent == order.intent && again.then == order.then && again.kind == order.kind)
        #expect(again.validation == .confirm && again.retention == order.retention)
    }

    @Test("A repeated order is still its preset's, and not that of a preset that differs in anything")
    func presets() throws {
        let brand = TokenText("utopia")
        func preset(
            _ intent: String = "rental: name", keeping retention: RetentionProfile = .receipt,
            for name: TokenText? = brand, kind: PresentationOrder.Kind = .data, then: FurtherOrder? = nil,
            validation: PresentationOrder.Validation = .check
        ) throws -> Preset {
            try Preset(
                name: "Rental", kind: kind, intent: intent, validation: validation, retention: retention,
                then: then, brand: name)
        }
        let order = try PresentationOrder(preset(), lane: "one", reference: nil)
        let again = try PresentationOrder(again: order, lane: "one")
        let further = FurtherOrder(try RequestIntent(parsing: "rental: licence number"), retention: .none)
        let same = try preset()
        #expect(order.isOfPreset && again.isOfPreset && again.isOrder(of: same))
        let others = [
            try preset("rental: name, licence number"), try preset(keeping: .none), try preset(then: further),
            try preset(for: TokenText("other")), try preset(validation: .confirm),
            try preset("age over 21", for: nil, kind: .display),
        ]
        for other in others { #expect(!again.isOrder(of: other)) }
        let ordered = try PresentationOrder(JSONText(Array("{\(Self.licence)}".utf8)[...]))
        #expect(try !ordered.isOfPreset && !PresentationOrder(again: ordered, lane: "one").isOfPreset)
    }

    @Test(
        "An order that keeps data with the holder's consent is not repeated",
        arguments: [
            #","retention":"consented""#,
            #","retention":"receipt","then":{"intent":"rental: address","retention":"consented(3)"}"#,
        ])
    func consented(_ further: String) throws {
        let members = #"{"kind":"data","intent":"rental: name","consent":"given","readerToken":"t""#
        let order = try PresentationOrder(JSONText(Array("\(members)\(further)}".utf8)[...]))
        #expect(throws: PresentationServiceError.consentNotRepeated) {
            try PresentationOrder(again: order, lane: "one")
        }
    }
}
