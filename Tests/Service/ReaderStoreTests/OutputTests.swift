import Foundation
import GRDB
import MdocModel
import OpenSSLCrypto
import ReaderIdentityStore
import RecordBench
import Testing

@testable import ReaderStore

@Suite("Outputs: each accessory acts at most once")
struct OutputTests {
    let folder: StoreFixture
    let store: ReaderStore
    private let created = RentalDocument.now
    private var later: Timestamp { created.advanced(bySeconds: 7) }

    init() throws {
        folder = try StoreFixture()
        store = try ReaderStore(at: folder.path, for: .changing)
    }

    private func output(_ accessory: String, isRefused: Bool = false) throws -> NewOutput {
        NewOutput(accessory: try #require(ReceiptLabel(accessory)), isRefused: isRefused)
    }

    /// Ends a presentation with outputs that are due, and returns them.
    private func end(
        _ id: String = "a", _ accessories: [String] = ["lock"], hasReceipt: Bool = true
    ) throws -> [StoredOutput] {
        try store.end(
            .sample(id), first: hasReceipt ? .sample() : nil, further: nil,
            outputs: accessories.map { try output($0) }
        ).outputs
    }

    /// The statements about outputs in the chain, in order.
    private var statements: [OutputsStatement] {
        get throws {
            try store.receipts(atMost: 100).compactMap { receipt in
                if case .outputs(let statement) = try receipt.contents() { statement } else { nil }
            }
        }
    }

    private func states(of id: String = "a") throws -> [OutputState] {
        try store.outputs(of: id).map(\.state)
    }

    // MARK: The record

    @Test("Outputs are recorded with the outcome, in their order, each with a number")
    func recorded() throws {
        let ended = try store.end(
            .sample("a"), first: .sample(), further: .sample(),
            outputs: [output("lock"), output("lamp", isRefused: true), output("keys")])
        #expect(ended.first == 1 && ended.further == 2)
        #expect(ended.outputs.map(\.accessory.text) == ["lock", "lamp", "keys"])
        #expect(ended.outputs.map(\.state) == [.due, .refused, .due])
        #expect(ended.outputs.map(\.number) == [1, 2, 3])
        #expect(ended.outputs.allSatisfy { $0.presentation == "a" })
        #expect(try store.outputs(of: "a") == ended.outputs)
        #expect(try store.outputs(of: "b").isEmpty)
        #expect(try statements.isEmpty)
    }

    @Test("Without outputs nothing is recorded, and no statement follows")
    func none() throws {
        #expect(try end("a", []).isEmpty)
        #expect(try store.settleOutputs().isEmpty && statements.isEmpty)
        #expect(try store.receipts(atMost: 9).count == 1)
    }

    @Test("An accessory gets one output of a presentation, also if the end is stored twice")
    func twice() throws {
        let first = try end("a", ["lock", "lock"])
        #expect(first.count == 1)
        #expect(try end("a", ["lock", "lamp"]).map(\.accessory.text) == ["lamp"])
        #expect(try end("b", ["lock"]).map(\.accessory.text) == ["lock"])
        #expect(try store.outputs(of: "a").count == 2)
    }

    @Test("No more outputs are recorded than a statement can have")
    func most() throws {
        let names = (1...OutputsStatement.mostOutputs + 1).map { "relay-\($0)" }
        #expect(try end("a", names).map(\.accessory.text) == names.dropLast())
    }

    @Test("If the end cannot be stored, no output is recorded")
    func refusedEnd() throws {
        _ = try end("a")
        try Data("no key".utf8).write(to: URL(filePath: folder.path + "/receipt-key.pem"))
        #expect(throws: ReaderStoreError.keyFile(.keyUnusable(.pemMalformed))) { try end("b") }
        #expect(try store.outputs(of: "b").isEmpty && store.presentation("b") == nil)
    }

    @Test("A number is never used again, also after its output was removed")
    func numbers() throws {
        let output = try #require(try end("a").first)
        _ = try store.finishOutput(output.number, as: .notGiven)
        try store.removePresentations(at: created.advanced(bySeconds: 3 * ReaderStore.presentationsKept))
        #expect(try store.outputs(of: "a").isEmpty)
        #expect(try end("b").map(\.number) == [output.number + 1])
    }

    // MARK: The states

    @Test("An output is given once; one that is unknown, refused or over is not given")
    func given() throws {
        let number = try #require(try end("a").first).number
        #expect(try store.giveOutput(number))
        #expect(try !store.giveOutput(number))
        #expect(try states() == [.given])
        #expect(try store.finishOutput(number, as: .done))
        #expect(try !store.giveOutput(number) && !store.giveOutput(number + 1) && !store.giveOutput(-1))
        #expect(try states() == [.done])
        let refused = try store.end(
            .sample("b"), first: nil, further: nil, outputs: [output("lock", isRefused: true)])
        #expect(try !store.giveOutput(#require(refused.outputs.first).number))
        #expect(try states(of: "b") == [.refused])
    }

    @Test("Each end follows its own state, and no other", arguments: OutputState.allCases)
    func ends(_ state: OutputState) throws {
        let number = try #require(try end("a").first).number
        let isEndOfDue = [.refused, .notGiven].contains(state)
        #expect(try store.finishOutput(number, as: state) == isEndOfDue)
        #expect(try states() == [isEndOfDue ? state : .due])
        #expect(try store.output(number)?.state == (isEndOfDue ? state : .due))
        #expect(try store.output(number + 1) == nil)
        let other = try #require(try end("b").first).number
        #expect(try store.giveOutput(other))
        let isEndOfGiven = [.done, .unknown].contains(state)
        #expect(try store.finishOutput(other, as: state) == isEndOfGiven)
        #expect(try states(of: "b") == [isEndOfGiven ? state : .given])
        // A final state stays.
        for next in OutputState.allCases where isEndOfGiven {
            #expect(try !store.finishOutput(other, as: next))
        }
        #expect(try !store.finishOutput(99, as: state))
    }

    @Test("Several processes that give the same output: one of them gives it")
    func atOnce() async throws {
        let number = try #require(try end("a").first).number
        let path = folder.path
        let count = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    try ReaderStore(at: path, for: .changing, waiting: 60).giveOutput(number)
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(count == 1)
    }

    @Test("After a restart nothing is due: what was due is not given, what was given is unknown and named")
    func settled() throws {
        let due = try #require(try end("a").first)
        let given = try #require(try end("b").first)
        let done = try #require(try end("c").first)
        #expect(try store.giveOutput(given.number) && store.giveOutput(done.number))
        #expect(try store.finishOutput(done.number, as: .done))
        let again = try ReaderStore(at: folder.path, for: .changing)
        let settled = try again.settleOutputs(at: later)
        #expect(settled.map(\.number) == [due.number, given.number])
        #expect(settled.map(\.state) == [.notGiven, .unknown])
        #expect(settled.map(\.presentation) == ["a", "b"])
        #expect(try again.settleOutputs().isEmpty)
        for number in [due.number, given.number, done.number] { #expect(try !again.giveOutput(number)) }
        #expect(try statements.map(\.receipt) == [3, 1, 2])
        #expect(try statements.last?.time == later)
    }

    // MARK: The statement in the chain

    @Test("The last output to be settled leads to one statement about all of them")
    func statement() throws {
        let outputs = try end("a", ["lock", "lamp"])
        #expect(try store.finishOutput(outputs[1].number, as: .refused))
        #expect(try statements.isEmpty)
        #expect(try store.giveOutput(outputs[0].number))
        #expect(try statements.isEmpty)
        #expect(try store.finishOutput(outputs[0].number, as: .done, at: later))
        let statement = try #require(try statements.first)
        #expect(try statements.count == 1)
        #expect(statement.receipt == 1 && statement.time == later)
        #expect(statement.lane.text == "counter-1" && statement.software.text == "0.1.0")
        #expect(statement.outputs.map(\.accessory.text) == ["lock", "lamp"])
        #expect(statement.outputs.map(\.state) == [.done, .refused])
        let last = try #require(try store.lastReceipt())
        #expect(try store.verifyReceipts().0 == .intact(count: 2, head: last.digest))
        #expect(last.version == 2)
    }

    @Test("Outputs that are all refused at once have their statement with the outcome")
    func refusedAtOnce() throws {
        let ended = try store.end(
            .sample("a"), first: nil, further: .sample(), outputs: [output("lock", isRefused: true)])
        #expect(ended.first == nil && ended.further == 1)
        let statement = try #require(try statements.first)
        #expect(statement.receipt == 1 && statement.outputs.map(\.state) == [.refused])
        #expect(statement.time == created.advanced(bySeconds: 3))
        let last = try #require(try store.lastReceipt())
        #expect(try store.verifyReceipts().0 == .intact(count: 2, head: last.digest))
    }

    @Test("Without a receipt there is no statement")
    func withoutReceipt() throws {
        let output = try #require(try end("a", hasReceipt: false).first)
        #expect(try store.giveOutput(output.number) && store.finishOutput(output.number, as: .done))
        #expect(try store.lastReceipt() == nil)
        #expect(try end("b", hasReceipt: false).count == 1)
        #expect(try store.settleOutputs().map(\.state) == [.notGiven])
        #expect(try store.lastReceipt() == nil)
    }

    @Test("A lost receipt does not keep its output from its end, and nothing is linked to it")
    func lostReceipt() throws {
        let outputs = try end("a")
        _ = try end("b", [])
        try DatabaseQueue(path: folder.file).write {
            try $0.execute(sql: "DELETE FROM receipt WHERE sequence = 1")
        }
        #expect(try store.settleOutputs().map(\.number) == outputs.map(\.number))
        #expect(try states() == [.notGiven] && statements.isEmpty)
        #expect(try store.verifyReceipts().0 == .broken(at: 1, .missing(from: 1, through: 1)))
    }

    @Test("If the statement cannot be signed, the output keeps its state, and the next start ends it")
    func unsigned() throws {
        let output = try #require(try end("a").first)
        #expect(try store.giveOutput(output.number))
        let key = folder.path + "/receipt-key.pem"
        try folder.setMode(0o640, of: key)
        #expect(throws: ReaderStoreError.keyFile(.exposed(path: key, mode: 0o640))) {
            try store.finishOutput(output.number, as: .done)
        }
        #expect(try states() == [.given] && statements.isEmpty)
        try folder.setMode(0o600, of: key)
        #expect(try store.settleOutputs().map(\.state) == [.unknown])
        #expect(try statements.map(\.receipt) == [1])
    }

    @Test("A statement about outputs has settled outputs of different accessories, from 1 to 16")
    func statementRules() throws {
        let lane = try #require(ReceiptLabel("gate")), software = try #require(ReceiptLabel("1.0"))
        func statement(_ outputs: [(String, OutputState)], of receipt: Int64 = 1) throws -> OutputsStatement?
        {
            let entries = try outputs.map {
                OutputsStatement.Entry(accessory: try #require(ReceiptLabel($0.0)), state: $0.1)
            }
            return OutputsStatement(
                time: created, lane: lane, software: software, receipt: receipt, outputs: entries)
        }
        #expect(try statement([("lock", .done), ("lamp", .unknown)]) != nil)
        for state in OutputState.allCases {
            #expect(try (statement([("lock", state)]) != nil) == state.isSettled)
        }
        #expect(try statement([]) == nil)
        #expect(try statement([("lock", .done), ("lock", .done)]) == nil)
        #expect(try statement([("lock", .done)], of: 0) == nil)
        let many = (1...17).map { ("relay-\($0)", OutputState.done) }
        #expect(try statement(many) == nil && statement(many.dropLast()) != nil)
    }

    // MARK: Removal

    @Test("Outputs go with their presentation a day later, but none that is not settled")
    func removal() throws {
        let outputs = try end("a", ["lock", "lamp"]) + end("b")
        #expect(try store.finishOutput(outputs[0].number, as: .refused))
        #expect(try store.finishOutput(outputs[2].number, as: .notGiven))
        let nextDay = created.advanced(bySeconds: ReaderStore.presentationsKept + 100)
        try store.removePresentations(at: created.advanced(bySeconds: 100))
        #expect(try store.outputs(of: "b").count == 1)
        try store.removePresentations(at: nextDay)
        #expect(try store.presentation("a") == nil && store.outputs(of: "b").isEmpty)
        // The outputs of one presentation stay together, for their statement.
        #expect(try states() == [.refused, .due])
        #expect(try store.settleOutputs().map(\.number) == [outputs[1].number])
        #expect(try statements.last?.outputs.map(\.state) == [.refused, .notGiven])
        try store.removePresentations(at: nextDay)
        #expect(try store.outputs(of: "a").isEmpty)
    }

    @Test("A state that is none of the words cannot be stored")
    func words() throws {
        _ = try end("a")
        let queue = try DatabaseQueue(path: folder.file)
        for state in OutputState.allCases {
            try queue.write {
                try $0.execute(sql: "UPDATE output SET state = ?", arguments: [state.rawValue])
            }
        }
        #expect(throws: DatabaseError.self) {
            try queue.write { try $0.execute(sql: "UPDATE output SET state = 'opened'") }
        }
    }
}
