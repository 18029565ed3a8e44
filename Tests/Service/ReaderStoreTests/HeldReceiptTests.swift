import MdocModel
import ReaderIdentityStore
import RecordBench
import Testing

@testable import ReaderStore

@Suite("Receipts that wait for a decision")
struct HeldReceiptTests {
    let folder: StoreFixture
    let store: ReaderStore

    init() throws {
        folder = try StoreFixture()
        store = try ReaderStore(at: folder.path, for: .changing)
    }

    @Test("What is held is no receipt until it is written, once, with the decision")
    func decided() throws {
        try store.holdReceipts(.sample(), of: "one")
        #expect(try store.lastReceipt() == nil)
        let receipt = try store.append(.sample(decision: .approved), releasing: "one")
        #expect(try receipt.statement().decision == .approved)
        #expect(try store.appendHeldReceipts() == 0)
        #expect(try store.receipts(atMost: 10).count == 1)
    }

    @Test("What is still held at the next start is written in its order, as undecided; what is not is not")
    func started() throws {
        try store.holdReceipts(.sample(), of: "one")
        try store.holdReceipts(.sample(at: RentalDocument.now.advanced(bySeconds: 1)), of: "two")
        _ = try store.append(.sample(decision: .rejected), releasing: "other")
        let again = try ReaderStore(at: folder.path, for: .changing)
        #expect(try again.appendHeldReceipts() == 2)
        let statements = try again.receipts(atMost: 10).map { try $0.statement() }
        #expect(statements.map(\.decision) == [.rejected, nil, nil])
        #expect(statements[1].time < statements[2].time)
        #expect(try again.appendHeldReceipts() == 0)
        let head = try #require(again.lastReceipt()?.digest)
        #expect(try again.receiptChain().verify(by: again.receiptKeys()) == .intact(count: 3, head: head))
    }

    @Test("A chain that is written piece by piece is the one that is written at once")
    func pieces() throws {
        for _ in 0..<3 { _ = try store.append(.sample()) }
        let chain = try store.receiptChain()
        let pieces = ReceiptChain.opening(of: 3) + chain.links.flatMap(ReceiptChain.encoding)
        #expect(pieces == chain.encoded())
        #expect(try ReceiptChain(parsing: pieces).links == chain.links)
    }

    @Test("What is retained is listed without its keys, its values or what for")
    func listed() throws {
        let scene = try RetentionScene()
        try scene.retain("days(7)", for: "r")
        _ = try scene.export("r")
        let list = try scene.retained.list()
        #expect(
            list.count == 1 && list[0].profile.name == "days(7)" && list[0].handedOut == RentalDocument.now)
        #expect(
            list[0].names.map(\.identifier) == [
                "age_over_21", "family_name", "given_name", "document_number",
            ])
        try scene.retained.purge(at: RentalDocument.now.advanced(bySeconds: 8 * 86_400))
        #expect(try scene.retained.list().isEmpty)
    }

    @Test("Whether something could be retained is known before, and leaves nothing retained")
    func checked() throws {
        let scene = try RetentionScene()
        let (one, two) = (try #require(RetentionProfile.days(1)), try #require(RetentionProfile.days(2)))
        try scene.retained.check(one, at: RentalDocument.now)
        #expect(try scene.retained.counts().records == 0)
        // Where others may write to the keys no new one is made.
        try scene.store.setMode(0o770, of: scene.keys)
        #expect(throws: ReaderStoreError.keyFile(.exposed(path: scene.keys, mode: 0o770))) {
            try scene.retained.check(two, at: RentalDocument.now)
        }
        try scene.retained.check(.receipt, at: RentalDocument.now)
    }
}
