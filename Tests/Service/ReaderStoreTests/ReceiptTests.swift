import CBOR
import COSE
import Foundation
import GRDB
import MdocModel
import MdocTrust
import MdocVerification
import OpenSSLCrypto
import ReaderIdentityStore
import RecordBench
import RequestPlanner
import TestCredentials
import Testing

@testable import ReaderStore

/// What a receipt says, and how it is written.
@Suite("Receipts")
struct ReceiptTests {
    let folder: StoreFixture
    let store: ReaderStore

    init() throws {
        folder = try StoreFixture()
        store = try ReaderStore(at: folder.path, for: .changing)
    }

    @Test("A receipt comes back as it was given, whatever of it is there")
    func roundTrip() throws {
        let rental = try RentalDocument(name: "Quillfeather")
        let report = try #require(rental.response.reports.first)
        let document = try #require(ReceiptDocument(report, answering: rental.plan))
        let statements: [ReceiptStatement] = try [
            .sample(), .sample(documents: [document], reasons: [ReceiptReason(CheckID.digests)]),
            .sample(decision: .approved),
        ]
        for statement in statements { _ = try store.append(statement) }
        let receipts = try ReaderStore(at: folder.path, for: .reading).receipts(atMost: 10)
        #expect(try receipts.map { try $0.statement() } == statements)
        #expect(receipts.map(\.sequence) == [1, 2, 3])
        #expect(receipts[0].previous == SignedReceipt.origin)
        #expect(receipts[1].previous == receipts[0].digest && receipts[2].previous == receipts[1].digest)
        #expect(try store.receipts(after: 1, atMost: 1).map(\.sequence) == [2])
        #expect(try store.lastReceipt()?.digest == receipts[2].digest)
    }

    @Test("One content has one encoding: keys in order, and nothing else is read")
    func deterministic() throws {
        let statement = try ReceiptStatement.sample(decision: .rejected)
        let bytes = statement.encoded()
        let keys = try CBORItem.parse(bytes[...]).map().map { Array($0.key.encoded) }
        #expect(keys == keys.sorted { $0.lexicographicallyPrecedes($1) })
        #expect(try ReceiptStatement(CBORItem.parse(bytes[...])) == statement)
        let members = try CBORItem.parse(bytes[...]).map().map {
            (try $0.key.text(), Array($0.value.encoded))
        }
        let name = ("name", CBOREncoder.encode { $0.text("Quillfeather") })
        for other in [members.reversed(), members + [name], members.dropLast()] {
            let encoding = Encoded.map(Array(other))
            #expect(throws: ReaderStoreError.receiptMalformed) {
                try ReceiptStatement(CBORItem.parse(encoding[...]))
            }
        }
    }

    @Test("A receipt says that a document is a test's, whatever the verdict, and says it once")
    func testDocument() throws {
        for (statement, isTest, isMember) in [
            (try ReceiptStatement.sample(.mock), true, false),
            (try .sample(.mock, hasTestDocument: true), true, false),
            (try .sample(.rejected, hasTestDocument: true), true, true),
            (try .sample(.rejected), false, false), (try .sample(), false, false),
        ] {
            #expect(statement.hasTestDocument == isTest)
            let bytes = statement.encoded()
            #expect(try ReceiptStatement(CBORItem.parse(bytes[...])) == statement)
            #expect(try (CBORItem.parse(bytes[...]).map()["test"] != nil) == isMember)
        }
        // "test": false is another encoding of the same, and is not read.
        let members = try CBORItem.parse(ReceiptStatement.sample().encoded()[...]).map().map {
            (try $0.key.text(), Array($0.value.encoded))
        }
        let no = Encoded.map(members + [("test", Encoded.boolean(false))])
        #expect(throws: ReaderStoreError.receiptMalformed) { try ReceiptStatement(CBORItem.parse(no[...])) }
    }

    @Test("A receipt contains a document's type, issuer and revocation status, and no element value")
    func document() throws {
        let rental = try RentalDocument(name: "Quillfeather")
        let report = try #require(rental.response.reports.first)
        let document = try #require(ReceiptDocument(report, answering: rental.plan))
        #expect(document.docType.text == "org.iso.18013.5.1.mDL")
        #expect(document.issuer?.country == "UT")
        #expect(document.issuer?.authority == "CN=Utopia IACA,C=UT")
        #expect(document.revocation.state == .undetermined)
        _ = try store.append(.sample(documents: [document]))
        let text = String(decoding: try folder.contents(), as: UTF8.self)
        #expect(text.contains("Utopia IACA"))
        for word in ["Quillfeather", "family_name", "Utopia DS"] { #expect(!text.contains(word)) }
        // A type that was not asked for is the phone's word.
        let other = try RequestPlan(RequestIntent(parsing: "age over 18; from photoid"), keeping: .none)
        #expect(ReceiptDocument(report, answering: other) == nil)
    }

    @Test(
        "A label holds a name of ours and no text",
        arguments: [
            ("counter-1", true), ("days(7)", true), ("", false), ("Jane Doe", false), ("ä", false),
            ("a/b", false), (String(repeating: "a", count: 64), true),
            (String(repeating: "a", count: 65), false),
        ])
    func label(_ text: String, isLabel: Bool) {
        #expect((ReceiptLabel(text) != nil) == isLabel)
    }

    @Test(
        "What was asked is one of few things",
        arguments: [
            ("age_over_21", true), ("drive:B", true), ("drive:class C", true), ("portrait", true),
            ("age_over_100", false), ("drive:b", false), ("drive:ABCDEFGHI", false),
            ("name:QUILL", false), ("family_name", false), ("class:", false),
        ])
    func subject(_ text: String, isSubject: Bool) {
        #expect((ReceiptQuestion.Subject(parsing: text) != nil) == isSubject)
        if isSubject { #expect(ReceiptQuestion.Subject(parsing: text)?.description == text) }
    }

    @Test("A name that would run over lines or beyond its limit is no authority's")
    func authority() {
        #expect(ReceiptDocument.Issuer(naming: "CN=Ö", in: "UT")?.country == "UT")
        #expect(ReceiptDocument.Issuer(naming: "CN=Ö", in: "Utopia")?.country == nil)
        for name in ["", "a\nb", "a\u{9b}b", String(repeating: "a", count: 201)] {
            #expect(ReceiptDocument.Issuer(naming: name, in: "UT") == nil)
        }
    }

    // Version 2

    @Test("A statement has version 2 as soon as it has a member of version 2")
    func version() throws {
        #expect(try ReceiptStatement.sample(decision: .approved).version == 1)
        let statements: [ReceiptStatement] = try [
            .sample(engagement: .qr), .sample(proof: .zeroKnowledge(circuitVersion: 7)),
            .sample(decision: .approved, decidedFrom: .clerk(nil)),
        ]
        for statement in statements {
            #expect(statement.version == 2)
            let receipt = try store.append(statement)
            #expect(try receipt.statement() == statement)
            #expect(receipt.version == 2)
        }
    }

    @Test("A statement whose members contradict one another is neither written nor held")
    func contradiction() throws {
        let person = try #require(ReceiptStatement.PersonPseudonym([UInt8](repeating: 1, count: 8)))
        #expect(ReceiptStatement.PersonPseudonym([UInt8](repeating: 1, count: 7)) == nil)
        let statements: [ReceiptStatement] = try [
            .sample(proof: .zeroKnowledge(circuitVersion: 0)),
            .sample(decidedFrom: .clerk(person)),
            .sample(decision: .approved, decidedFrom: .comparator),
        ]
        for statement in statements {
            #expect(throws: ReaderStoreError.receiptMalformed) { try store.append(statement) }
            #expect(throws: ReaderStoreError.receiptMalformed) { try store.holdReceipts(statement, of: "a") }
        }
        #expect(try store.lastReceipt() == nil && store.appendHeldReceipts() == 0)
        _ = try store.append(.sample(decision: .approved, decidedFrom: .clerk(person)))
        #expect(try store.lastReceipt()?.sequence == 1)
    }

    @Test("The end adds the source of the decision, and none where nobody decided")
    func decisionSource() throws {
        let statement = try ReceiptStatement.sample()
        let decided = statement.ended(.allow, because: [], decision: .approved, from: .attendant(nil))
        #expect(decided.decisionSource == .attendant(nil) && decided.version == 2)
        let undecided = statement.ended(.unclear, because: [], decision: nil, from: .attendant(nil))
        #expect(undecided.decisionSource == nil && undecided.version == 1)
    }

    // The key

    @Test("The key is its owner's alone, signs with ES256 on P-256, and is told by its id")
    func key() throws {
        let receipt = try store.append(.sample())
        let path = "\(folder.path)/receipt-key.pem"
        #expect(try folder.mode(of: path) == 0o600)
        let key = try #require(try store.receiptKeys().first)
        #expect(receipt.keyID == key.id && receipt.isSigned(by: key))
        let info = try PEM.decode(key.pem()[...], label: "PUBLIC KEY")
        #expect(info.count == 1)
        let private_ = try PrivateKey(pem: Array(Data(contentsOf: URL(filePath: path)))[...])
        #expect(try private_.publicKey().encodedPoint == key.point)
        let sign1 = try COSESign1(CBORItem.parse(receipt.encoded[...]))
        #expect(try sign1.headers.algorithm() == .es256)
    }

    @Test("A key that others may read is refused, and nothing is written with it")
    func exposedKey() throws {
        _ = try store.append(.sample())
        let path = "\(folder.path)/receipt-key.pem"
        try folder.setMode(0o640, of: path)
        #expect(throws: ReaderStoreError.keyFile(.exposed(path: path, mode: 0o640))) {
            try store.append(.sample())
        }
        try folder.setMode(0o600, of: path)
        #expect(try store.append(.sample()).sequence == 2)
    }

    @Test("A file that is no key, or of another curve, is refused rather than replaced")
    func foreignKey() throws {
        _ = try store.append(.sample())
        let path = "\(folder.path)/receipt-key.pem"
        try Data("no key".utf8).write(to: URL(filePath: path))
        try folder.setMode(0o600, of: path)
        #expect(throws: ReaderStoreError.keyFile(.keyUnusable(.pemMalformed))) {
            try store.append(.sample())
        }
        let pem = try PrivateKey.generate(.p384).unprotectedPEM().withUnprotectedBytes { Data($0) }
        try pem.write(to: URL(filePath: path))
        try folder.setMode(0o600, of: path)
        #expect(throws: ReaderStoreError.receiptKeyUnusable) { try store.append(.sample()) }
        #expect(try store.receipts(atMost: 9).count == 1)
    }

    @Test("With a new key the chain goes on, and both public halves are there for who checks it")
    func renewal() throws {
        let first = try store.append(.sample())
        try store.renewReceiptKey()
        let second = try store.append(.sample())
        #expect(first.keyID != second.keyID)
        #expect(try store.receiptKeys().map(\.id) == [first.keyID, second.keyID])
        #expect(
            try store.receiptChain().verify(by: store.receiptKeys())
                == .intact(count: 2, head: second.digest))
        #expect(
            try store.receiptChain().verify(by: Array(store.receiptKeys().prefix(1)))
                == .broken(at: 2, .keyUnknown(second.keyID)))
    }

    @Test("Of several processes each puts its receipts at the end of one chain")
    func concurrent() async throws {
        let path = folder.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let store = try ReaderStore(at: path, for: .changing, waiting: 60)
                    for _ in 0..<10 { _ = try store.append(.sample()) }
                }
            }
            try await group.waitForAll()
        }
        let verdict = try store.receiptChain().verify(by: store.receiptKeys())
        let last = try #require(try store.lastReceipt())
        #expect(verdict == .intact(count: 40, head: last.digest))
        #expect(try store.receiptKeys().count == 1)
    }
}
