import Foundation
import OpenSSLCrypto
import ReaderIdentityStore
import RecordBench
import Testing

@testable import MdocModel
@testable import ReaderStore

@Suite("Presentations of the last day, in the store")
struct StoredPresentationTests {
    let folder: StoreFixture
    let store: ReaderStore
    private let created = Timestamp(secondsSince1970: 1_790_000_000)

    init() throws {
        folder = try StoreFixture()
        store = try ReaderStore(at: folder.path, for: .changing)
    }

    private func presentation(
        _ id: String, _ reference: String? = "sale", of owner: String = "till", ended: Int64? = nil,
        webhook: String? = nil, repeating repeated: String? = nil, isOfDesk: Bool = false
    ) -> StoredPresentation {
        StoredPresentation(
            id: id, owner: owner, isOfDesk: isOfDesk, reference: reference, repeatedReference: repeated,
            holder: 1, order: [UInt8](repeating: 7, count: 32),
            created: created, ended: ended.map { created.advanced(bySeconds: $0) },
            lane: "counter-1", outcome: ended == nil ? nil : .allow, isOfTest: ended == nil ? nil : true,
            description: #"{"id": "\#(id)", "ended": null}"#, outcomeDescription: #"{"ended": null}"#,
            webhook: webhook)
    }

    @Test("How it ended and its receipts are written together, in place of what was held")
    func end() throws {
        try store.put(presentation("a"))
        try store.holdReceipts(.sample(), then: .sample(), of: "a")
        let ended = try store.end(presentation("a", ended: 9), first: .sample(), further: .sample())
        #expect(ended.first == 1 && ended.further == 2 && ended.outputs.isEmpty)
        let kept = try #require(try store.presentation("a"))
        #expect(kept.receipts == (1, 2) && kept.ended == created.advanced(bySeconds: 9))
        #expect(kept.lane == "counter-1" && kept.outcome == .allow && kept.isOfTest == true)
        #expect(kept.outcomeDescription == #"{"ended": null}"#)
        #expect(try store.appendHeldReceipts() == 0)
        #expect(try store.lane(ofReceipt: 2, of: "till") == "counter-1")
        #expect(try store.lane(ofReceipt: 2, of: "desk") == nil)
        #expect(try store.lane(ofReceipt: 3, of: "till") == nil)
    }

    @Test("What an earlier run left open has ended, and both its receipts are its caller's")
    func interrupted() throws {
        try store.put(presentation("a"))
        try store.put(presentation("b", "other", ended: 5))
        try store.holdReceipts(.sample(), then: .sample(), of: "a")
        #expect(try store.appendHeldReceipts() == 2)
        // A clock that is not set says nothing earlier than its order.
        try store.endPresentations(at: Timestamp(secondsSince1970: 60))
        let kept = try #require(try store.presentation("a"))
        #expect(kept.receipts == (1, 2) && kept.ended == created)
        #expect(try store.presentation("b")?.ended == created.advanced(bySeconds: 5))
    }

    @Test("One reference is one presentation of its caller, and another caller's beside it")
    func references() throws {
        try store.put(presentation("a", ended: 1))
        try store.put(presentation("b", of: "desk", ended: 1))
        #expect(try store.presentations(of: "till", under: "sale").map(\.id) == ["a"])
        try store.put(presentation("c", ended: 2))
        #expect(try store.presentations(of: "till", under: "sale").map(\.id) == ["c"])
        #expect(try store.presentations(of: "desk", under: "sale").map(\.id) == ["b"])
        for id in ["d", "e"] { try store.put(presentation(id, nil, ended: 1)) }
        #expect(try store.presentation("d") != nil && store.presentation("e") != nil)
    }

    @Test("A presentation that repeats an order is under its reference too, and replaces none there")
    func repeated() throws {
        try store.put(presentation("a", ended: 1))
        try store.put(presentation("b", nil, ended: 2, repeating: "sale"))
        try store.put(presentation("c", nil, ended: 3, repeating: "other"))
        try store.put(presentation("d", nil, of: "desk", ended: 4, repeating: "sale"))
        let stored = try store.presentations(of: "till", under: "sale")
        #expect(stored.map(\.id) == ["a", "b"])
        #expect(stored.map(\.reference) == ["sale", nil])
        #expect(stored.map(\.repeatedReference) == [nil, "sale"])
    }

    @Test("Whether a desk began a presentation is kept, also with its end", arguments: [true, false])
    func desk(_ isOfDesk: Bool) throws {
        try store.put(presentation("a", isOfDesk: isOfDesk))
        #expect(try store.presentation("a")?.isOfDesk == isOfDesk)
        _ = try store.end(presentation("a", ended: 1, isOfDesk: isOfDesk), first: nil, further: nil)
        #expect(try store.presentation("a")?.isOfDesk == isOfDesk)
    }

    @Test("It goes a day after its end, one that is open does not, and one from the future does")
    func removal() throws {
        let day = ReaderStore.presentationsKept
        for (id, ended) in [("old", 0), ("kept", 1), ("open", nil), ("future", 2 * day + 2)] {
            try store.put(presentation(id, id, ended: ended))
        }
        try store.removePresentations(at: created.advanced(bySeconds: day + 1))
        for (id, isThere) in [("old", false), ("kept", true), ("open", true), ("future", false)] {
            #expect(try (store.presentation(id) != nil) == isThere, "\(id)")
        }
    }

    @Test("One that begins is kept with the place for both its receipts, or not at all")
    func begin() throws {
        try store.insert(presentation("a"), holding: .sample(), then: .sample())
        try store.insert(presentation("b", "other"), holding: nil, then: nil)
        try store.withdraw("a")
        #expect(try store.presentation("a") == nil && store.presentation("b") != nil)
        #expect(try store.appendHeldReceipts() == 0)
        try store.insert(presentation("c"), holding: nil, then: .sample())
        #expect(try store.appendHeldReceipts() == 1)
        let further = try #require(try store.presentation("c"))
        #expect(further.receipts == (nil, 1))
        // Without the key that signs nothing begins.
        try Data("no key".utf8).write(to: URL(filePath: folder.path + "/receipt-key.pem"))
        #expect(throws: ReaderStoreError.keyFile(.keyUnusable(.pemMalformed))) {
            try store.insert(presentation("d", "third"), holding: .sample(), then: nil)
        }
        #expect(try store.presentation("d") == nil)
    }

    @Test("The ends that one caller is still to have at one origin are those, and no others")
    func undeliveredOfOne() throws {
        let origin = "https://till.example:80"
        let hooks: [(String, String, String)] = [
            ("a", "till", "https://till.example:80/done"), ("b", "till", "HTTPS://Till.example:80"),
            ("c", "till", "https://till.example:80?x"), ("d", "till", "https://till.example:8080/done"),
            ("e", "other", "https://till.example:80/done"), ("f", "till", "https://other.example/done"),
        ]
        for (index, hook) in hooks.enumerated() {
            try store.put(
                presentation(
                    hook.0, hook.0, of: hook.1, ended: 20 - Int64(index), webhook: hook.2))
        }
        try store.put(presentation("open", "open", webhook: "https://till.example:80/done"))
        #expect(try store.undelivered(of: "till", to: origin, atMost: 9).map(\.id) == ["c", "b", "a"])
        #expect(try store.undelivered(of: "till", to: origin, atMost: 2).map(\.id) == ["c", "b"])
        #expect(try store.undelivered(of: "other", to: origin, atMost: 9).map(\.id) == ["e"])
        try store.endDelivery(of: "b")
        #expect(try store.undelivered(of: "till", to: origin, atMost: 9).map(\.id) == ["c", "a"])
        #expect(try store.pendingDeliveries().map(\.id) == ["f", "e", "d", "c", "a"])
    }

    @Test("What is still to be delivered is what has ended and was not delivered, the oldest first")
    func undelivered() throws {
        try store.put(presentation("open", "1", webhook: "https://till.example/"))
        try store.put(presentation("late", "2", ended: 9, webhook: "https://till.example/"))
        try store.put(presentation("early", "3", ended: 3, webhook: "https://till.example/"))
        try store.put(presentation("none", "4", ended: 3))
        #expect(try store.pendingDeliveries().map(\.id) == ["early", "late"])
        try store.endDelivery(of: "early")
        #expect(try store.pendingDeliveries().map(\.id) == ["late"])
        // The daemon ended before the end of this one.
        try store.endPresentations(at: created.advanced(bySeconds: 12))
        #expect(try store.pendingDeliveries().map(\.id) == ["late", "open"])
        try store.removePresentations(at: created.advanced(bySeconds: ReaderStore.presentationsKept + 10))
        #expect(try store.pendingDeliveries().map(\.id) == ["open"])
    }

    @Test("Of all the newest are listed, and no more than were asked for")
    func newest() throws {
        for id in ["a", "b", "c"] { try store.put(presentation(id, id, ended: 1)) }
        #expect(try store.presentations(of: nil, atMost: 2).map(\.id) == ["c", "b"])
        #expect(try store.presentations(of: nil, atMost: 9).map(\.id) == ["c", "b", "a"])
    }
}
