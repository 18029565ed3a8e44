import JSON
import MdocModel
import ReaderService
import ReaderStore
import Testing

@testable import PresentationService

@Suite("The time left for consent and decision")
struct PresentationDeadlineTests {
    private static let start = PresentationBookTests.now
    private static let comparison =
        #""kind":"display","intent":"age over 21 with portrait for a human to compare""#

    private static func later(_ seconds: Int64) -> Timestamp { start.advanced(bySeconds: seconds) }

    @Test("The holder's time begins with the request, and only a new request begins it again")
    func consent() throws {
        let held = PresentationBookTests.book()
        var record = try PresentationBookTests.record()
        record.consentLimit = .seconds(90)
        _ = try held.book.insert(record)
        var seen: [Timestamp?] = []
        let events: [(PresentationEvent, Int64)] = [
            (.engaged, 1), (.awaitingConsent, 2), (.hold, 5), (.awaitingConsent, 6), (.receiving, 7),
            (.awaitingConsent, 8),
        ]
        for (event, seconds) in events {
            _ = held.book.apply(event, to: record.id, at: Self.later(seconds))
            seen.append(held.book[record.id]?.deadline)
        }
        let first = Self.later(92)
        #expect(seen == [nil, first, first, first, nil, Self.later(98)])
        let text = try #require(held.book[record.id]).json(for: [.screen]).text
        #expect(text.contains("\"deadline\": \"\(Self.later(98))\""))
        #expect(held.book.cancel(record.id) && held.book[record.id]?.deadline == nil)
    }

    @Test("The clerk's time ends when the daemon stops waiting, and is over with the decision")
    func decision() async throws {
        let held = PresentationBookTests.book { $0.decision = .seconds(45) }
        let record = try PresentationBookTests.record(Self.comparison)
        _ = try held.book.insert(record)
        #expect(held.book[record.id]?.deadline == nil)
        let report = try await PresentationBookTests.report(on: record)
        _ = held.book.end(record.id, with: report, then: nil, shown: nil, at: Self.start)
        #expect(held.book[record.id]?.deadline == nil, "the receipt is still being written")
        _ = held.book.complete(record.id, PresentationBook.Kept())
        #expect(held.book[record.id]?.deadline == Self.later(45))
        _ = try held.book.decide(record.id, .approved)
        #expect(held.book[record.id]?.state == .awaitingDecision && held.book[record.id]?.deadline == nil)
        _ = held.book.wrote(WrittenReceipts(), of: record.id)
        #expect(held.book[record.id]?.deadline == nil)
    }
}

extension PresentationBook {
    mutating func apply(_ event: PresentationEvent, to id: PresentationID) -> [Action] {
        apply(event, to: id, at: PresentationBookTests.now)
    }
}
