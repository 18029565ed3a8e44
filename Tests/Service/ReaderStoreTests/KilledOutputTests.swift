import Foundation
import GRDB
import RecordBench
import Testing
import VectorFiles

@testable import ReaderStore

extension KilledWriterTests {
    /// The number of kills of the program that gives outputs: 40, or as many as `COUNTERSIGN_KILLS` says.
    private static let outputKills =
        ProcessInfo.processInfo.environment["COUNTERSIGN_KILLS"].flatMap { Int($0) } ?? 40

    @Test("No output has two pulses, one that was not given has none, and each unknown one is named")
    func outputs() throws {
        let scene = try PulseScene()
        var numbers = SplitMix64(seed: 6)
        var settled: [StoredOutput] = []
        for round in 0..<Self.outputKills {
            let said = try KilledWriter.run(
                ["outputs", scene.store.path, scene.pulses, "\(round)"],
                killedAfter: Int.random(in: 1...12, using: &numbers),
                andMicroseconds: UInt32.random(in: 0..<6000, using: &numbers))
            settled += try ReaderStore(at: scene.store.path, for: .changing).settleOutputs()
            try scene.check(said: said, settled: settled)
        }
        // Some were killed between the two, or this shows nothing.
        #expect(!settled.isEmpty)
        #expect(try scene.pulsed.count > Self.outputKills)
        try scene.checkStatements()
    }
}

/// The store and the file of pulses of a writer that was killed.
private struct PulseScene {
    let store: StoreFixture

    init() throws {
        store = try StoreFixture()
    }

    /// Beside the store's folder, in which only the store's own files may be.
    var pulses: String {
        URL(filePath: store.path).deletingLastPathComponent().appending(path: "pulses").path
    }

    /// The numbers of the outputs that had a pulse, in order.
    var pulsed: [Int64] {
        get throws {
            guard FileManager.default.fileExists(atPath: pulses) else { return [] }
            return try String(contentsOfFile: pulses, encoding: .utf8).split(separator: "\n").map {
                try #require(Int64($0))
            }
        }
    }

    /// The state of each output of an accessory that may act, by number.
    private var states: [Int64: OutputState] {
        get throws {
            try DatabaseQueue(path: store.file).read { database in
                try Row.fetchAll(database, sql: "SELECT number, state FROM output WHERE accessory = 'lock'")
                    .reduce(into: [:]) { states, row in
                        let number: Int64 = try row.decode(forColumn: "number")
                        states[number] = try OutputState(rawValue: row.decode(forColumn: "state"))
                    }
            }
        }
    }

    func check(said: [WriterLine], settled: [StoredOutput]) throws {
        let (pulsed, states) = (try pulsed, try states)
        #expect(Set(pulsed).count == pulsed.count)
        for number in pulsed { #expect(states[number] == .done || states[number] == .unknown, "\(number)") }
        let unknown = Set(settled.filter { $0.state == .unknown }.map(\.number))
        for (number, state) in states {
            switch state {
            case .notGiven, .refused: #expect(!pulsed.contains(number))
            case .unknown: #expect(unknown.contains(number))
            case .done: #expect(pulsed.contains(number))
            case .due, .given: Issue.record("\(number) is \(state) after the start")
            }
        }
        for case .output(let number, let state) in said where state.isSettled {
            #expect(states[number] == state)
        }
    }

    /// Each receipt has one statement about its outputs, with their states, and the chain is whole.
    func checkStatements() throws {
        let store = try ReaderStore(at: store.path, for: .reading)
        let receipts = try store.receipts(atMost: 1_000_000)
        let last = try #require(receipts.last)
        #expect(try store.verifyReceipts().0 == .intact(count: receipts.count, head: last.digest))
        var presentations: [Int64] = []
        var linked: [Int64] = []
        let states = try states
        var stated = 0
        for receipt in receipts {
            switch try receipt.contents() {
            case .presentation: presentations.append(receipt.sequence)
            case .outputs(let statement):
                linked.append(statement.receipt)
                stated += statement.outputs.count { $0.accessory.text == "lock" }
            }
        }
        #expect(linked.sorted() == presentations)
        #expect(stated == states.count)
    }
}
