import Deadlines
import Foundation
import Logging
import RecordBench
import Testing

@testable import Fleet

/// When the hub is asked next, by a clock that the test moves.
@Suite("The schedule of a kiosk's questions")
struct QuestionScheduleTests {
    private let clock = SteppedClock()
    private var schedule = QuestionSchedule()

    private func pause(after failures: Int) -> Duration { .seconds(10 * (failures + 1)) }

    private var wait: Duration? { schedule.wait(at: clock.now) }

    private mutating func ask(in time: Duration) { schedule.ask(at: clock.now + time) }

    /// Asks the question that is due.
    private mutating func answer(isComplete: Bool) {
        #expect(wait == .zero)
        schedule.begin()
        schedule.end(isComplete: isComplete, at: clock.now, pausing: pause)
    }

    @Test("Of several times that are asked for the earliest counts, and one question answers all of them")
    mutating func earliest() {
        #expect(wait == nil)
        for seconds in [60, 20, 40] { ask(in: .seconds(seconds)) }
        #expect(wait == .seconds(20))
        clock.advance(by: .seconds(19))
        #expect(wait == .seconds(1))
        clock.advance(by: .seconds(5))
        answer(isComplete: true)
        #expect(wait == nil)
    }

    @Test(
        "A notice that comes while the hub is asked leads to another question, a second later at the earliest"
    )
    mutating func meanwhile() {
        ask(in: .zero)
        #expect(wait == .zero)
        schedule.begin()
        ask(in: .zero)
        schedule.end(isComplete: true, at: clock.now, pausing: pause)
        #expect(wait == .seconds(1))
        for _ in 0..<100 {
            ask(in: .zero)
            clock.advance(by: .milliseconds(9))
        }
        #expect(wait == .milliseconds(100))
        clock.advance(by: .milliseconds(100))
        answer(isComplete: true)
    }

    @Test(
        "Failures in a row pause longer and longer; an answer ends the row, and a notice comes before the pause"
    )
    mutating func failures() {
        ask(in: .zero)
        for failures in 0..<3 {
            answer(isComplete: false)
            #expect(wait == pause(after: failures))
            clock.advance(by: pause(after: failures))
        }
        answer(isComplete: false)
        ask(in: .seconds(2))
        #expect(wait == .seconds(2))
        clock.advance(by: .seconds(2))
        answer(isComplete: true)
        #expect(wait == nil)
        clock.advance(by: .seconds(1))
        ask(in: .zero)
        answer(isComplete: false)
        #expect(wait == pause(after: 0))
    }
}

/// What a kiosk obeys, in memory and in its folder.
@Suite("The state that a kiosk keeps")
struct KeptStateTests {
    private struct Refusal: Error {}

    private let scene: FleetScene
    private let store = FleetStore()
    private let folder: FleetFolder
    private let log = LogLines()

    init() throws {
        scene = try FleetScene()
        folder = try FleetFolder(store: store.path)
    }

    private func state() throws -> KeptState {
        KeptState(
            KeptState.Content(accepted: try scene.documents(), isStopped: false), in: folder, log: log.logger)
    }

    private var stored: (accepted: AcceptedDocuments, isStopped: Bool) {
        get throws { try folder.load(scene.membership, scene.keys) }
    }

    @Test("Each change is in the folder at once, and each stop is counted once")
    func change() throws {
        var state = try state()
        let document = try scene.document()
        try state.change { try $0.accepted.accept(document, at: FleetScene.now) }
        #expect(try stored.accepted.documents[.chain]?.encoded == document)
        for _ in 0..<2 { state.change { $0.isStopped = true } }
        #expect(try stored.isStopped && state.isStopped && state.stops == 1)
        state.change { $0.isStopped = false }
        #expect(try !stored.isStopped && !state.isStopped && state.stops == 1)
    }

    @Test("A change that is refused half-way is no change, neither in memory nor in the folder")
    func refused() throws {
        var state = try state()
        let document = try scene.document()
        #expect(throws: Refusal.self) {
            try state.change { content throws(any Error) in
                content.isStopped = true
                try content.accepted.accept(document, at: FleetScene.now)
                throw Refusal()
            }
        }
        #expect(!state.isStopped && state.stops == 0 && state.accepted.documents.isEmpty)
        #expect(try !stored.isStopped && stored.accepted.documents.isEmpty)
    }

    @Test(
        "Where the folder cannot be written the change holds, is said once, and is written when that is possible"
    )
    func unwritable() throws {
        var state = try state()
        let draft = "\(folder.path)/state.json.new"
        try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: false)
        state.change { $0.isStopped = true }
        state.saveAgain()
        #expect(try state.isStopped && !stored.isStopped)
        #expect(log.count("the folder STORE/fleet cannot be written") == 1)
        try FileManager.default.removeItem(atPath: draft)
        state.saveAgain()
        #expect(try stored.isStopped)
    }
}
