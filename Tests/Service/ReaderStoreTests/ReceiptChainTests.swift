import CBOR
import Foundation
import OpenSSLCrypto
import RecordBench
import TestCredentials
import Testing

@testable import ReaderStore

/// A chain that somebody has worked on is found, at the first link that does not hold.
@Suite("The chain of receipts")
struct ReceiptChainTests {
    let links: [[UInt8]]
    let keys: [ReceiptPublicKey]
    let head: [UInt8]
    /// A receipt with the number 3 that another store signed, and that store's key.
    let foreign: (link: [UInt8], key: ReceiptPublicKey)

    init() throws {
        let (folder, other) = (try StoreFixture(), try StoreFixture())
        let stores = try [folder, other].map { try ReaderStore(at: $0.path, for: .changing) }
        for _ in 0..<5 {
            for store in stores { _ = try store.append(.sample()) }
        }
        links = try stores[0].receiptChain().links
        keys = try stores[0].receiptKeys()
        head = try #require(try stores[0].lastReceipt()).digest
        foreign = (try stores[1].receiptChain().links[2], try #require(stores[1].receiptKeys().first))
    }

    private func verdict(
        _ links: [[UInt8]], by keys: [ReceiptPublicKey]? = nil, expecting head: [UInt8]? = nil
    ) throws -> ReceiptChain.Verdict {
        // As it is handed to who checks it.
        try ReceiptChain(parsing: ReceiptChain(links).encoded()).verify(
            by: keys ?? self.keys, expecting: head)
    }

    @Test("The whole chain holds, also with its head or an earlier one expected, and so does the empty one")
    func intact() throws {
        #expect(try verdict(links) == .intact(count: 5, head: head))
        for link in links {
            let digest = Digest(.sha256, of: link[...]).bytes
            #expect(try verdict(links, expecting: digest) == .intact(count: 5, head: head))
        }
        #expect(try verdict([]) == .intact(count: 0, head: SignedReceipt.origin))
        #expect(try verdict(links, by: keys + [foreign.key]) == .intact(count: 5, head: head))
    }

    @Test("A part holds after the link before it, and after no other")
    func part() throws {
        let before = (sequence: Int64(2), digest: Digest(.sha256, of: links[1][...]).bytes)
        let part = ReceiptChain(Array(links[2...]))
        #expect(part.verify(by: keys, after: before) == .intact(count: 3, head: head))
        #expect(
            part.verify(by: keys, after: (2, SignedReceipt.origin)) == .broken(at: 3, .predecessorDiffers))
        #expect(
            part.verify(by: keys, after: (1, before.digest)) == .broken(at: 2, .missing(from: 2, through: 2)))
        #expect(
            ReceiptChain(Array(links[3...])).verify(by: keys, after: before)
                == .broken(at: 3, .missing(from: 3, through: 3)))
    }

    @Test("Who has checked signatures before is asked for each, and nobody else; otherwise each is checked")
    func checkedBefore() {
        var asked: [Int64] = []
        let verdict = ReceiptChain(links).verify(by: keys) { receipt, _ in
            asked.append(receipt.sequence)
            return receipt.sequence < 4
        }
        #expect(verdict == .broken(at: 4, .changed) && asked == [1, 2, 3, 4])
        var forged = links
        forged[4][forged[4].count - 1] ^= 1
        let believed = ReceiptChain(forged).verify(by: keys) { _, _ in true }
        #expect(believed == .intact(count: 5, head: Digest(.sha256, of: forged[4][...]).bytes))
        #expect(ReceiptChain(forged).verify(by: keys) == .broken(at: 5, .changed))
    }

    @Test("A change to any byte breaks the receipt chain at this receipt or the next one", arguments: 0..<5)
    func changed(_ index: Int) throws {
        for place in links[index].indices {
            var link = links[index]
            link[place] ^= 0x01
            var changed = links
            changed[index] = link
            guard case .broken(let at, let fault) = try verdict(changed) else {
                Issue.record("byte \(place)")
                continue
            }
            #expect(at == Int64(index) + 1, "byte \(place): \(fault)")
        }
    }

    @Test("A statement that was changed and is otherwise well is named as changed")
    func changedStatement() throws {
        let text = Array("counter-1".utf8)
        var link = links[2]
        let place = try #require(link.indices.first { link[$0...].starts(with: text) })
        link[place + 8] = UInt8(ascii: "2")
        #expect(try verdict(links.replacing(2, by: link)) == .broken(at: 3, .changed))
    }

    @Test("A link that is missing is named, and so are several", arguments: [1...1, 0...0, 1...3])
    func missing(_ range: ClosedRange<Int>) throws {
        var cut = links
        cut.removeSubrange(range)
        let (first, last) = (Int64(range.lowerBound) + 1, Int64(range.upperBound) + 1)
        #expect(try verdict(cut) == .broken(at: first, .missing(from: first, through: last)))
    }

    @Test("Only the expected head of the chain reveals that its last receipts were cut off")
    func cut() throws {
        let cut = Array(links.dropLast(2))
        #expect(try verdict(cut, expecting: head) == .broken(at: 4, .endMissing))
        #expect(try verdict([], expecting: head) == .broken(at: 1, .endMissing))
        guard case .intact(3, _) = try verdict(cut) else {
            Issue.record("nothing tells that without a head")
            return
        }
    }

    @Test("Links in another order, or twice, are named as such")
    func order() throws {
        var swapped = links
        swapped.swapAt(1, 2)
        #expect(try verdict(swapped) == .broken(at: 2, .outOfOrder(expected: 2)))
        #expect(try verdict(links + [links[4]]) == .broken(at: 6, .outOfOrder(expected: 6)))
        #expect(try verdict([links[0], links[0]]) == .broken(at: 2, .outOfOrder(expected: 2)))
    }

    @Test("A link that another key signed is named by that, whether the key is known or not")
    func otherKey() throws {
        let replaced = links.replacing(2, by: foreign.link)
        #expect(try verdict(replaced) == .broken(at: 3, .keyUnknown(foreign.key.id)))
        #expect(try verdict(replaced, by: keys + [foreign.key]) == .broken(at: 3, .predecessorDiffers))
        #expect(try verdict(links, by: [foreign.key]) == .broken(at: 1, .keyUnknown(keys[0].id)))
        #expect(try verdict(links, by: []) == .broken(at: 1, .keyUnknown(keys[0].id)))
    }

    @Test("What is no receipt, and what is no chain")
    func malformed() throws {
        for bytes in [[], [0xff], Encoded.map([]), Array(links[1].dropLast())] {
            #expect(try verdict(links.replacing(1, by: bytes)) == .broken(at: 2, .malformed))
            #expect(throws: ReaderStoreError.receiptMalformed) { try ReceiptChain(parsing: bytes) }
        }
        let other = Encoded.map([("type", Encoded.text("another")), ("receipts", Encoded.array([]))])
        #expect(throws: ReaderStoreError.receiptMalformed) { try ReceiptChain(parsing: other) }
    }
}

extension [[UInt8]] {
    fileprivate func replacing(_ index: Int, by link: [UInt8]) -> [[UInt8]] {
        var links = self
        links[index] = link
        return links
    }
}
