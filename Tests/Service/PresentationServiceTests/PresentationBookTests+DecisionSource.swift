import ReaderStore
import Testing

@testable import PresentationService

extension PresentationBookTests {
    private typealias Source = ReceiptStatement.DecisionSource

    /// Ends a presentation that waits for a decision, and returns the receipt that is then to be written.
    private static func receipt(
        _ end: (inout PresentationBook, PresentationID) throws -> [PresentationBook.Action]
    ) async throws -> ReceiptStatement {
        let held = Self.book()
        let record = try Self.record(#""kind":"display","intent":"age over 21","validation":"confirm""#)
        _ = try held.book.insert(record)
        let report = try await Self.report(on: record)
        let statement = try await Self.waitingStatement(of: record, report)
        _ = held.book.end(record.id, with: report, then: nil, shown: nil, at: Self.now)
        _ = held.book.complete(record.id, PresentationBook.Kept(receipt: .waiting(statement)))
        let written = try end(&held.book, record.id).compactMap { action in
            if case .write(let receipts, _, _) = action { receipts.first } else { nil }
        }
        return try #require(written.first)
    }

    @Test(
        "A receipt names the clerk's page as the source of each decision made there, and no other source",
        arguments: [PresentationRecord.Decision.approved, .rejected, .dismissed])
    func decisionSource(_ decision: PresentationRecord.Decision) async throws {
        let page = try await Self.receipt { try $0.decide($1, decision, from: .clerk(nil)) }
        #expect(page.decision == decision && page.decisionSource == .clerk(nil) && page.version == 2)
        let program = try await Self.receipt { try $0.decide($1, decision) }
        #expect(program.decision == decision && program.decisionSource == nil)
    }

    @Test("A decision that nobody made in time has no source, nor has one that the daemon's end overtakes")
    func withoutDecision() async throws {
        let late = try await Self.receipt { book, id in book.expire(.decision, of: id) }
        #expect(late.decision == nil && late.decisionSource == nil)
        let interrupted = try await Self.receipt { book, id in
            book.interrupt()
            return try book.decide(id, .approved, from: .clerk(nil))
        }
        #expect(interrupted.decision == nil && interrupted.decisionSource == nil)
    }

    @Test(
        "Only the clerk's page is a source; a program with the same scope and other pages are none",
        arguments: [
            ([.clerk], true, true), ([.clerk], false, false), ([.app, .clerk], false, false),
            ([.desk], true, false), ([.screen], true, false),
        ] as [(Set<Scope>, Bool, Bool)])
    func sourceOfCaller(_ scopes: Set<Scope>, _ isPage: Bool, _ isSource: Bool) {
        let caller = KnownCaller(
            name: "till", scopes: scopes, lanes: ["one"], credential: .user(1), isPage: isPage)
        #expect(caller.decisionSource == (isSource ? Source.clerk(nil) : nil))
    }
}
