import ReaderService
import ReaderStore
import Testing

@testable import PresentationService
@testable import Reports

extension PresentationBookTests {
    typealias Refusal = PresentationServiceError

    @Test(
        "Q225 A portrait that does not decode ends unclear, also where something else was asked next",
        arguments: [false, true])
    func portraitThatDoesNotDecode(asksNext: Bool) async throws {
        let order = #""kind":"display","intent":"age over 21 with portrait for a human to compare""#
        for isRefused in [false, true] {
            let held = Self.book()
            let record = try Self.record(order)
            _ = try held.book.insert(record)
            var report = try await Self.report(on: record)
            if isRefused { report.refusePortraits(for: .notDecodable) }
            let next = asksNext ? try await Self.report(on: try Self.record(at: "two")) : nil
            _ = held.book.end(record.id, with: report, then: next, shown: nil, at: Self.now)
            _ = held.book.complete(record.id, PresentationBook.Kept())
            #expect(held.book[record.id]?.state == (isRefused ? .verified : .awaitingDecision))
            #expect(held.book[record.id]?.conclusion?.outcome == (isRefused ? .unclear : nil))
            guard isRefused else { continue }
            #expect(held.book[record.id]?.conclusion?.reasons.map(\.id) == ["answer.unknown"])
            #expect(throws: Refusal.decisionNotDue) {
                try held.book.decide(record.id, .approved)
            }
        }
    }
}
