import Accessories
import MdocModel
import MdocWallet
import PresentationStage
import RecordBench
import Testing

@testable import PresentationService

@Suite("Codes that an accessory scans")
struct ScannedCodeTests {
    /// The name of the condition for which a code is refused; nil if it was accepted.
    private static func engage(
        _ text: String, _ stage: AccessoryStage, lane: String = "one", from scanner: String = "qr-1",
        as caller: KnownCaller? = nil
    ) async -> String? {
        do throws(PresentationServiceError) {
            _ = try await stage.coordinator.engage(
                atLane: lane, with: text, from: scanner, by: caller ?? stage.program)
            return nil
        } catch {
            return error.name
        }
    }

    /// The text of the code that the phone shows for its `number`th reader.
    private static func uri(_ stage: AccessoryStage, number: Int = 1) throws -> String {
        try stage.scene.link(number: number).qr
    }

    @Test("A code is accepted while the lane waits for a phone, once, and again within 2 s without effect")
    func accepted() async throws {
        let stage = try AccessoryStage([.scanner(), .lock()], handover: .qr)
        let (code, other) = (try Self.uri(stage), try Self.uri(stage, number: 2))
        #expect(await Self.engage(code, stage) == "laneNotArmed")
        #expect(await Self.engage(code, stage, lane: "three") == "laneUnknown")
        #expect(await Self.engage(code, stage, as: .program(lanes: ["two"])) == "laneUnknown")
        #expect(await Self.engage(code, stage, as: stage.till) == "laneUnknown", "another scope")
        for other in ["qr-2", "lock"] {
            #expect(await Self.engage(code, stage, from: other) == "accessoryUnknown", "\(other)")
        }
        #expect(
            await Self.engage(code, stage, lane: "two") == "accessoryUnknown", "the scanner of another lane")
        let events = try await stage.listen()
        let id = try await stage.order()
        try await Self.takesCode(events, true)
        #expect(await Self.engage(code, stage) == nil)
        try await Self.takesCode(events, false)
        #expect(await Self.engage(code, stage) == nil, "the same code stays in view")
        #expect(await Self.engage(other, stage) == "alreadyEngaged")
        #expect(try await stage.coordinator.record(id).state == .armed)
        await stage.end()
    }

    /// Reads the events of the lane until it takes a code, or no more.
    private static func takesCode(_ events: AccessoryEvents, _ expected: Bool) async throws {
        while let lane = try await events.next("lane") {
            if lane.text("lane") == "one", lane.text("state") == "armed",
                lane.boolean("takesCode") == expected
            {
                return
            }
        }
        Issue.record("the stream has ended")
    }

    @Test("A code with which a session was established is refused, at each lane and from a clerk's page")
    func reused() async throws {
        let stage = try AccessoryStage([.scanner()], handover: .qr)
        let first = try await stage.order()
        let phone = try stage.scene.phone()
        let code = try #require(phone.engagement?.uri)
        #expect(await Self.engage(code, stage) == nil)
        try await stage.reachScan()
        stage.field.tap(phone)
        try await stage.reachEnd(of: first)
        let second = try await stage.order()
        // Padding makes no other code.
        for text in [code, code + "=="] { #expect(await Self.engage(text, stage) == "engagementReused") }
        #expect(try await stage.coordinator.record(second).hint == .codeUnreadable)
        #expect(try await stage.coordinator.record(second).state == .armed)
        await #expect(throws: PresentationServiceError.engagementReused) {
            try await stage.coordinator.engage(second, with: code)
        }
        await stage.end()
    }

    @Test("A code that failed before a session may come again")
    func failed() async throws {
        let stage = try AccessoryStage([.scanner()], handover: .qr)
        let first = try await stage.order()
        let code = try Self.uri(stage)
        #expect(await Self.engage(code, stage) == nil)
        _ = try await stage.coordinator.cancel(first, by: stage.till)
        let second = try await stage.order()
        try await stage.coordinator.engage(second, with: code)
        await stage.end()
    }

    @Test("Malformed codes change nothing, are answered on the page, and are too many after three")
    func malformed() async throws {
        let stage = try AccessoryStage([.scanner()])
        let id = try await stage.order()
        for text in ["mdoc:AAAA", "https://shop.example", "mdoc://" + String(repeating: "A", count: 40)] {
            #expect(await Self.engage(text, stage) == "engagementMalformed", "\(text)")
        }
        let record = try await stage.coordinator.record(id)
        #expect(record.state == .armed && record.hint == .codeUnreadable)
        #expect(await Self.engage("mdoc:BBBB", stage) == "tooManyEngagements")
        #expect(stage.lines.lines.allSatisfy { !$0.contains("shop.example") && !$0.contains("AAAA") })
        await stage.end()
    }

    @Test("A code that is cut off engages nothing, wherever it is cut off; the whole code does")
    func half() async throws {
        let stage = try AccessoryStage([.scanner()], handover: .qr)
        let code = try Self.uri(stage)
        _ = try await stage.order()
        for length in 0..<code.count {
            let part = String(code.prefix(length))
            let engagement = try? DeviceEngagement(EngagementURI.deviceEngagement(in: part)[...])
            #expect(engagement == nil, "\(length) characters")
        }
        #expect(await Self.engage(String(code.dropLast()), stage) == "engagementMalformed")
        #expect(stage.scans.count == 0)
        #expect(await Self.engage(code, stage) == nil)
        try await stage.reachScan()
        await stage.end()
    }

    @Test(
        "What an accessory does not pass on is answered on the page, and ends no presentation",
        arguments: [
            (CodeFault.foreignCode, PresentationHint.codeNotAnID), (.notADeviceEngagement, .codeOfReader),
            (.foldedCase, .codeUnreadable), (.incompleteCode, .codeUnreadable),
        ])
    func faults(_ fault: CodeFault, _ hint: PresentationHint) async throws {
        let stage = try AccessoryStage([.scanner()])
        #expect(
            try await stage.coordinator.report(fault, atLane: "one", from: "qr-1", by: stage.program) == nil)
        let id = try await stage.order()
        #expect(
            try await stage.coordinator.report(fault, atLane: "one", from: "qr-1", by: stage.program)
                == .armed)
        #expect(try await stage.coordinator.record(id).hint == hint)
        await #expect(throws: PresentationServiceError.laneUnknown) {
            try await stage.coordinator.report(
                fault, atLane: "one", from: "qr-1", by: .program(lanes: ["two"]))
        }
        await stage.end()
    }

    @Test("A lane is reported in each state, and as idle once its result was shown long enough")
    func lane() async throws {
        let stage = try AccessoryStage([.scanner()])
        let events = try await stage.listen()
        _ = try await stage.tap()
        var states: [String] = []
        while let lane = try await events.next("lane") {
            guard lane.text("lane") == "one", let state = lane.text("state") else { continue }
            if states.last != state { states.append(state) }
            if state == "verified" { break }
        }
        #expect(states.first == "idle" && states.last == "verified")
        #expect(states.contains("armed") && states.contains("engaged"))
        await stage.end()
    }
}
