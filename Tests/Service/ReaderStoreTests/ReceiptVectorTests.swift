import CBOR
import Foundation
import RecordBench
import Testing
import VectorFiles

@testable import ReaderStore

/// Receipts of both versions that another encoder made.
struct ReceiptVectors: Decodable {
    struct Statement: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let hex: String

        var testDescription: String { name }

        var item: CBORItem { get throws { try CBORItem.parse(hex.bytes[...]) } }
    }

    let key: String
    let statements: [Statement]
    let chain: String
    /// A chain that this project's encoder wrote before version 2 existed.
    let written: String?
    /// Statements that no parser may accept.
    let refused: [Statement]?
    /// A chain whose second link is a statement about the outputs of the second link.
    let outputsOfThemselves: String?

    static func version(_ number: Int) throws -> ReceiptVectors {
        try VectorFiles.json(
            at: VectorFiles.own.appending(path: "receipts/\(number == 1 ? "version-1" : "version-2").json"))
    }

    var publicKey: ReceiptPublicKey { get throws { try ReceiptPublicKey(point: key.bytes) } }
}

@Suite("Receipts of both versions, as vectors")
struct ReceiptVectorTests {
    private static let first = Result { try ReceiptVectors.version(1) }
    private static let second = Result { try ReceiptVectors.version(2) }

    private static func statements(of vectors: Result<ReceiptVectors, any Error>) -> [ReceiptVectors
        .Statement]
    {
        (try? vectors.get().statements) ?? []
    }

    @Test("There are vectors of both versions")
    func found() throws {
        #expect(try Self.first.get().statements.count >= 9)
        #expect(try Self.second.get().statements.count >= 20)
        #expect(try Self.second.get().refused?.count ?? 0 >= 50)
    }

    @Test(
        "A statement of version 1 is read, and encoded byte for byte as before",
        arguments: statements(of: first))
    func versionOne(_ vector: ReceiptVectors.Statement) throws {
        let statement = try ReceiptStatement(vector.item)
        #expect(statement.version == 1)
        #expect(statement.encoded().hex == vector.hex)
        #expect(try ReceiptContent(vector.item) == .presentation(statement))
        #expect(EarlierHub.knows(try vector.item))
    }

    @Test("The sample of the tests is the first vector")
    func sample() throws {
        let first = try #require(Self.statements(of: Self.first).first)
        #expect(try ReceiptStatement.sample().encoded().hex == first.hex)
        #expect(try ReceiptStatement.sample(reasons: []).encoded().hex == first.hex)
        #expect(try ReceiptStatement.sample(decision: .approved).encoded().hex != first.hex)
    }

    @Test(
        "A statement of version 2 is read and encoded; a hub of version 1 knows none",
        arguments: statements(of: second))
    func versionTwo(_ vector: ReceiptVectors.Statement) throws {
        let contents = try ReceiptContent(vector.item)
        #expect(contents.encoded().hex == vector.hex)
        #expect(ReceiptContent.version(of: try vector.item) == 2)
        switch contents {
        case .presentation(let statement): #expect(statement.version == 2)
        case .outputs(let statement): #expect((1...16).contains(statement.outputs.count))
        }
        #expect(!EarlierHub.knows(try vector.item))
    }

    @Test("A statement with one thing wrong is refused", arguments: (try? second.get().refused) ?? [])
    func refused(_ vector: ReceiptVectors.Statement) throws {
        let item = try vector.item
        #expect(throws: ReaderStoreError.receiptMalformed) { try ReceiptContent(item) }
        #expect(throws: ReaderStoreError.receiptMalformed) { try ReceiptStatement(item) }
        #expect(!EarlierHub.knows(item))
    }

    @Test("A statement about outputs is none about a presentation")
    func kinds() throws {
        let vectors = try Self.second.get().statements.filter { $0.name.contains("output") }
        #expect(vectors.count == 3)
        for vector in vectors {
            #expect(throws: ReaderStoreError.receiptMalformed) { try ReceiptStatement(vector.item) }
        }
    }

    @Test("A chain of version 1 verifies as before, also one that was written before version 2 existed")
    func firstChain() throws {
        let vectors = try Self.first.get()
        let written = try #require(vectors.written)
        for (hex, count) in [(vectors.chain, vectors.statements.count), (written, 3)] {
            let chain = try ReceiptChain(parsing: hex.bytes)
            let head = try #require(chain.head)
            #expect(try chain.verify(by: [vectors.publicKey]) == .intact(count: count, head: head))
            for link in chain.links {
                let receipt = try SignedReceipt(parsing: link)
                #expect(try receipt.statement().encoded() == Array(receipt.content.encoded))
                #expect(receipt.version == 1)
            }
        }
    }

    @Test("A chain of both versions and of both kinds verifies, and its contents are read in order")
    func secondChain() throws {
        let vectors = try Self.second.get()
        let chain = try ReceiptChain(parsing: vectors.chain.bytes)
        let head = try #require(chain.head)
        #expect(try chain.verify(by: [vectors.publicKey]) == .intact(count: 6, head: head))
        let receipts = try chain.links.map { try SignedReceipt(parsing: $0) }
        #expect(receipts.map(\.version) == [1, 2, 2, 2, 2, 2])
        let outputs = try receipts.map { receipt -> Int64? in
            switch try receipt.contents() {
            case .presentation: nil
            case .outputs(let statement): statement.receipt
            }
        }
        #expect(outputs == [nil, nil, 2, nil, 4, nil])
        // A changed byte breaks it.
        var links = chain.links
        links[2][links[2].count - 1] ^= 1
        #expect(try ReceiptChain(links).verify(by: [vectors.publicKey]) == .broken(at: 3, .changed))
    }

    @Test("Outputs of a receipt that is not earlier are refused")
    func outputsOfThemselves() throws {
        let vectors = try Self.second.get()
        let chain = try ReceiptChain(parsing: #require(vectors.outputsOfThemselves).bytes)
        let receipt = try SignedReceipt(parsing: chain.links[1])
        #expect(throws: ReaderStoreError.receiptMalformed) { try receipt.contents() }
        #expect(throws: ReaderStoreError.receiptMalformed) { try receipt.statement() }
    }

    @Test("The version of a statement is read also where it is later than every known one")
    func laterVersion() throws {
        let vectors = try #require(Self.second.get().refused)
        let later = try #require(vectors.first { $0.name == "version 3" })
        #expect(ReceiptContent.version(of: try later.item) == 3)
        let text = try #require(vectors.first { $0.name == "the version as a text" })
        #expect(ReceiptContent.version(of: try text.item) == 1)
    }
}
