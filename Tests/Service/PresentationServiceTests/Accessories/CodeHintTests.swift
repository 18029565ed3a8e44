import MdocSession
import ReaderService
import Testing

@testable import PresentationService

@Suite("Hints about scanned codes")
struct CodeHintTests {
    private static func armed() throws -> (PresentationBookTests.Held, PresentationRecord) {
        let held = PresentationBookTests.book()
        let record = try PresentationBookTests.record()
        _ = try held.book.insert(record)
        return (held, record)
    }

    /// The expiry for which the book waits.
    private static func wait(
        _ actions: [PresentationBook.Action]
    ) throws -> (time: Duration, expiry: PresentationBook.Expiry) {
        let waits = actions.compactMap { action -> (Duration, PresentationBook.Expiry)? in
            if case .wait(let time, let expiry, _) = action { (time, expiry) } else { nil }
        }
        return try #require(waits.first)
    }

    private static func names(_ actions: [PresentationBook.Action]) -> [EventName] {
        actions.compactMap { if case .notify(let name, _) = $0 { name } else { nil } }
    }

    @Test("A hint about a code is shown for 8 s in the same state, and then the hint before it")
    func shown() throws {
        let (held, record) = try Self.armed()
        _ = held.book.apply(.offerQR, to: record.id, at: PresentationBookTests.now)
        let shown = held.book.showCodeHint(.codeNotAnID, of: record.id)
        #expect(Self.names(shown) == [.hintChanged])
        #expect(held.book[record.id]?.hint == .codeNotAnID && held.book[record.id]?.state == .armed)
        let (time, expiry) = try Self.wait(shown)
        #expect(time == .seconds(8))
        #expect(Self.names(held.book.expire(expiry, of: record.id)) == [.hintChanged])
        #expect(held.book[record.id]?.hint == .offerQR)
        #expect(held.book.expire(expiry, of: record.id).isEmpty)
    }

    @Test("A second code keeps its hint for its whole time, and the hint before the first comes back")
    func second() throws {
        let (held, record) = try Self.armed()
        let first = try Self.wait(held.book.showCodeHint(.codeNotAnID, of: record.id))
        let second = try Self.wait(held.book.showCodeHint(.codeOfReader, of: record.id))
        #expect(held.book.expire(first.expiry, of: record.id).isEmpty)
        #expect(held.book[record.id]?.hint == .codeOfReader)
        _ = held.book.expire(second.expiry, of: record.id)
        #expect(held.book[record.id]?.hint == .openYourID)
        // The same code again notifies nobody, and lasts longer.
        let same = try Self.wait(held.book.showCodeHint(.codeOfReader, of: record.id))
        let again = held.book.showCodeHint(.codeOfReader, of: record.id)
        #expect(Self.names(again) == [] && held.book.expire(same.expiry, of: record.id).isEmpty)
        #expect(held.book[record.id]?.hint == .codeOfReader)
    }

    @Test("The next event of a phone replaces the hint, and its time then changes nothing")
    func event() throws {
        let (held, record) = try Self.armed()
        let wait = try Self.wait(held.book.showCodeHint(.codeUnreadable, of: record.id))
        _ = held.book.apply(.phoneLocked, to: record.id, at: PresentationBookTests.now)
        #expect(held.book[record.id]?.hint == .phoneLocked)
        #expect(held.book.expire(wait.expiry, of: record.id).isEmpty)
        #expect(held.book[record.id]?.hint == .phoneLocked)
        _ = held.book.showCodeHint(.codeUnreadable, of: record.id)
        _ = held.book.apply(.engaged, to: record.id, at: PresentationBookTests.now)
        #expect(held.book[record.id]?.state == .engaged && held.book[record.id]?.hint == nil)
        #expect(held.book.showCodeHint(.codeUnreadable, of: record.id).isEmpty, "a phone is there")
    }

    @Test("A standing lane that waits again keeps the hint, and one without a hint is as new")
    func renewed() throws {
        let (held, record) = try Self.armed()
        let wait = try Self.wait(held.book.showCodeHint(.codeNotAnID, of: record.id))
        #expect(held.book.renew(record).isEmpty)
        #expect(held.book.apply(.armed, to: record.id, at: PresentationBookTests.now).isEmpty)
        #expect(held.book[record.id]?.hint == .codeNotAnID)
        _ = held.book.expire(wait.expiry, of: record.id)
        #expect(held.book[record.id]?.hint == .openYourID)
        _ = held.book.apply(.offerQR, to: record.id, at: PresentationBookTests.now)
        #expect(Self.names(held.book.renew(record)) == [.hintChanged])
    }

    @Test("Without a presentation that waits nothing is shown")
    func nothing() throws {
        let (held, record) = try Self.armed()
        #expect(held.book.showCodeHint(.codeNotAnID, of: try PresentationID()).isEmpty)
        _ = held.book.cancel(record.id)
        #expect(held.book.showCodeHint(.codeNotAnID, of: record.id).isEmpty)
    }
}
