import Foundation
import GRDB
import RecordBench
import Testing

@testable import ReaderStore

@Suite("The head of the receipts, outside the database")
struct ReceiptHeadTests {
    let folder: StoreFixture
    let store: ReaderStore

    init() throws {
        folder = try StoreFixture()
        store = try ReaderStore(at: folder.path, for: .changing)
        for _ in 0..<5 { _ = try store.append(.sample()) }
    }

    private var head: URL { URL(filePath: "\(folder.path)/receipt-head") }

    private func change(_ statement: String) throws {
        try DatabaseQueue(path: folder.file).write { try $0.execute(sql: statement) }
    }

    private func verdict() throws -> ReceiptChain.Verdict {
        try ReaderStore(at: folder.path, for: .reading).verifyReceipts().0
    }

    private func isIntact(_ count: Int) throws -> Bool { Self.isIntact(count, try verdict()) }

    private static func isIntact(_ count: Int, _ verdict: ReceiptChain.Verdict) -> Bool {
        if case .intact(count, _) = verdict { true } else { false }
    }

    @Test("Where all receipts were deleted a new first one does not take the place of the head")
    func emptiedAndBegunAnew() throws {
        try change("DELETE FROM receipt")
        _ = try store.append(.sample())
        #expect(try verdict() == .broken(at: 2, .missing(from: 2, through: 5)))
    }

    @Test("From the first receipt on there is a head, also where that receipt was not written down in it")
    func firstWithoutSeal() throws {
        let folder = try StoreFixture()
        let store = try ReaderStore(at: folder.path, for: .changing)
        _ = try store.change { database in try store.append(.presentation(.sample()), in: database) }
        #expect(Self.isIntact(1, try store.verifyReceipts().0))
        for _ in 0..<2 { _ = try store.append(.sample()) }
        #expect(Self.isIntact(3, try store.verifyReceipts().0))
    }

    @Test("Deleted last receipts are reported, even after further receipts are written")
    func cut() throws {
        #expect(try isIntact(5))
        try change("DELETE FROM receipt WHERE sequence > 3")
        #expect(try verdict() == .broken(at: 4, .missing(from: 4, through: 5)))
        _ = try store.append(.sample())
        #expect(try verdict() == .broken(at: 5, .missing(from: 5, through: 5)))
        for _ in 0..<2 { _ = try store.append(.sample()) }
        #expect(try verdict() == .broken(at: 5, .headDiffers))
    }

    @Test("A database without any receipt is not that of a store that had some")
    func emptied() throws {
        try change("DELETE FROM receipt")
        #expect(try verdict() == .broken(at: 1, .missing(from: 1, through: 5)))
        try change("DELETE FROM receipt_key")
        #expect(try verdict() == .broken(at: 1, .headDiffers))
        let new = try StoreFixture()
        let empty = try ReaderStore(at: new.path, for: .changing).verifyReceipts().0
        #expect(empty == .intact(count: 0, head: SignedReceipt.origin))
    }

    @Test("A head that is missing, changed or another store's is no head")
    func otherHead() throws {
        let bytes = try Data(contentsOf: head)
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1
            try changed.write(to: head)
            #expect(try verdict() == .broken(at: 6, .headDiffers), "byte \(place)")
        }
        try bytes.write(to: head)
        #expect(try isIntact(5))
        let other = try StoreFixture()
        _ = try ReaderStore(at: other.path, for: .changing).append(.sample())
        try Data(contentsOf: URL(filePath: "\(other.path)/receipt-head")).write(to: head)
        #expect(try verdict() == .broken(at: 6, .headDiffers))
        try FileManager.default.removeItem(at: head)
        #expect(try verdict() == .broken(at: 6, .headDiffers))
    }

    @Test("A process that ended between a receipt and its head leaves a chain that is whole")
    func late() throws {
        let bytes = try Data(contentsOf: head)
        _ = try store.append(.sample())
        try bytes.write(to: head)
        #expect(try isIntact(6))
        _ = try store.append(.sample())
        #expect(try isIntact(7))
        try change("DELETE FROM receipt WHERE sequence = 7")
        #expect(try verdict() == .broken(at: 7, .missing(from: 7, through: 7)))
    }

    @Test("With a new key the head goes on, and it can be written anew")
    func renewed() throws {
        try FileManager.default.removeItem(at: head)
        try store.renewReceiptKey()
        #expect(try isIntact(5))
        try store.renewReceiptKey()
        #expect(try isIntact(5))
        _ = try store.append(.sample())
        #expect(try isIntact(6))
        let mode = try FileManager.default.attributesOfItem(atPath: head.path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }
}
