import Accessories
import JSON
import Synchronization
import Testing

@testable import PresentationService

@Suite("The accessories and their programs, as a value")
struct AccessoryDeskTests {
    /// What a desk said about its streams.
    private final class Ends: Sendable {
        let ended = Mutex<[Int]>([])
        let lost = Mutex(0)

        var keys: [Int] { ended.withLock { $0 } }
        var lostCount: Int { lost.withLock { $0 } }
    }

    /// A desk that a test changes.
    private final class Held {
        var desk: AccessoryDesk
        let ends = Ends()

        init(_ accessories: [Accessory], lanes: [String] = ["one", "two"]) {
            desk = AccessoryDesk(accessories, acceptsTestDocuments: false)
            desk.describe(lanes.map { (name: $0, presets: ["Age 21"]) })
        }

        func open(_ caller: KnownCaller = .program()) throws -> Frames {
            Frames(
                try desk.open(
                    by: caller, lost: { [ends] in ends.lost.withLock { $0 += 1 } },
                    ended: { [ends] key in ends.ended.withLock { $0.append(key) } }))
        }
    }

    /// The frames of a stream, of which all are there already.
    private final class Frames {
        private var iterator: AsyncStream<String>.Iterator

        init(_ frames: AsyncStream<String>) { iterator = frames.makeAsyncIterator() }

        func next() async -> String? { await iterator.next() }

        func next(_ count: Int) async -> [String] {
            var frames: [String] = []
            for _ in 0..<count { if let frame = await iterator.next() { frames.append(frame) } }
            return frames
        }
    }

    @Test("A stream begins with the accessories of the caller's lanes, and each lane's state")
    func begins() async throws {
        let held = Held([.lock(), .lock("gate", at: "two"), .lock("home", at: nil), .scanner()])
        held.desk.record(lane: "one", state: "armed", takesCode: true)
        let frames = try held.open(.program(lanes: ["one"]))
        let first = await frames.next(3)
        #expect(
            first == [
                "event: accessories\ndata: {\"accessories\":[{\"name\":\"lock\",\"trial\":false},{\"name\":\"home\",\"trial\":false},{\"name\":\"qr-1\"}],\"acceptsTestDocuments\":false}\n\n",
                "event: lanes\ndata: {\"lanes\":[{\"name\":\"one\",\"presets\":[\"Age 21\"]}]}\n\n",
                "event: lane\ndata: {\"lane\":\"one\",\"state\":\"armed\",\"takesCode\":true,\"paused\":false,\"problem\":false}\n\n",
            ])
    }

    @Test("A lane is reported at each change and not without one, to the programs of the lane alone")
    func lanes() async throws {
        let held = Held([])
        let (one, two) = (
            try held.open(.program(lanes: ["one"])), try held.open(.program("b", lanes: ["two"]))
        )
        for state in ["armed", "armed", "engaged"] {
            held.desk.record(lane: "one", state: state, takesCode: state == "armed")
        }
        held.desk.close()
        let frames = [await one.next(9), await two.next(9)]
        #expect(frames.map(\.count) == [5, 3])
        #expect(frames[0][3].contains("\"armed\"") && frames[0][4].contains("\"engaged\""))
    }

    @Test("A pause and a problem are reported at each change, beside the state of the lane")
    func health() async throws {
        let held = Held([])
        let frames = try held.open(.program(lanes: ["one"]))
        held.desk.record(lane: "one", state: "armed", takesCode: true)
        for (isPaused, hasProblem) in [(false, false), (false, true), (true, true), (true, true)] {
            held.desk.record(lane: "one", isPaused: isPaused, hasProblem: hasProblem)
            held.desk.record(lane: "two", isPaused: true, hasProblem: true)
        }
        held.desk.record(lane: "one", state: "idle", takesCode: false)
        held.desk.close()
        let ends = await frames.next(9).dropFirst(3).compactMap { $0.split(separator: "\"state\":").last }
        #expect(
            ends == [
                "\"armed\",\"takesCode\":true,\"paused\":false,\"problem\":false}\n\n",
                "\"armed\",\"takesCode\":true,\"paused\":false,\"problem\":true}\n\n",
                "\"armed\",\"takesCode\":true,\"paused\":true,\"problem\":true}\n\n",
                "\"idle\",\"takesCode\":false,\"paused\":true,\"problem\":true}\n\n",
            ])
    }

    @Test("An accessory that is not ready is a problem of its lane, and a broker is a problem of no lane")
    func problem() throws {
        let (lock, gate, home) = (Accessory.lock(), Accessory.lock("gate", at: "two"), Accessory.broker())
        let held = Held([lock, gate, home])
        #expect(!held.desk.publishesProblems, "no program is there")
        let frames = try held.open()
        #expect(held.desk.publishesProblems && held.desk.hasUnusableAccessory(at: "one"))
        _ = held.desk.record(.ready, of: lock, from: 1)
        #expect(!held.desk.hasUnusableAccessory(at: "one") && held.desk.hasUnusableAccessory(at: "two"))
        for state in AccessoryState.allCases {
            _ = held.desk.record(state, of: lock, from: 1)
            #expect(held.desk.hasUnusableAccessory(at: "one") == !state.isUsable, "\(state)")
        }
        _ = held.desk.replace([lock, gate], acceptsTestDocuments: false)
        #expect(!held.desk.publishesProblems)
        withExtendedLifetime(frames) {}
    }

    @Test("Lanes that came or went are reported with their presets")
    func described() async throws {
        let held = Held([], lanes: ["one"])
        let frames = try held.open()
        held.desk.describe([(name: "two", presets: [])])
        held.desk.close()
        let lists = await frames.next(9).filter { $0.hasPrefix("event: lanes\n") }
        #expect(lists.count == 2 && lists[1].contains(#"{"name":"two","presets":[]}"#))
    }

    @Test("An accessory answers while the stream of the program that reported it is open")
    func states() throws {
        let held = Held([.lock(isRequired: true)])
        let lock = Accessory.lock(isRequired: true)
        _ = try held.open()
        #expect(held.desk.state(of: lock) == .notAnswering && held.desk.unusableOutput(at: "one") == lock)
        #expect(held.desk.unusableOutput(at: "two") == nil)
        let changes = [
            held.desk.record(.ready, of: lock, from: 1), held.desk.record(.ready, of: lock, from: 1),
        ]
        #expect(changes == [true, false])
        #expect(held.desk.state(of: lock) == .ready && held.desk.unusableOutput(at: "one") == nil)
        let lanes = held.desk.close(1)
        #expect(lanes == ["one"] && held.desk.close(1) == [])
        #expect(held.desk.state(of: lock) == .notAnswering && held.ends.keys == [1])
    }

    @Test("A trial accessory that is ready says so, and no other accessory does")
    func trial() throws {
        for (isTrial, reported, state) in [
            (true, .ready, .trial), (true, .trial, .trial), (false, .trial, .ready), (true, .absent, .absent),
        ] as [(Bool, AccessoryState, AccessoryState)] {
            let lock = Accessory.lock(isTrial: isTrial)
            let held = Held([lock])
            _ = try held.open()
            _ = held.desk.record(reported, of: lock, from: 1)
            #expect(held.desk.state(of: lock) == state)
        }
    }

    @Test(
        "Other accessories are sent again, lose their state, and name their lanes; the same ones change nothing"
    )
    func replaced() async throws {
        let (lock, gate) = (Accessory.lock(), Accessory.lock("gate", at: "two"))
        let held = Held([lock, gate], lanes: [])
        let frames = try held.open()
        for accessory in [lock, gate] { _ = held.desk.record(.ready, of: accessory, from: 1) }
        let same = held.desk.replace([lock, gate], acceptsTestDocuments: false)
        #expect(same.ended == [] && same.lanes == [])
        let changed = Accessory.lock(isTrial: true)
        let change = held.desk.replace([changed, gate], acceptsTestDocuments: false)
        #expect(change.ended == ["lock"] && Set(change.lanes) == ["one"])
        #expect(held.desk.state(of: changed) == .notAnswering && held.desk.state(of: gate) == .ready)
        let other = held.desk.replace([changed, gate], acceptsTestDocuments: true)
        #expect(other.ended == [] && other.lanes == [])
        held.desk.close()
        let lists = await frames.next(9).filter { $0.hasPrefix("event: accessories\n") }
        #expect(lists.map { $0.contains("\"trial\":true") } == [false, true, true])
        #expect(lists.map { $0.contains("\"acceptsTestDocuments\":true") } == [false, false, true])
    }

    @Test("A program that does not read is disconnected, and one without the right to listen too")
    func slow() throws {
        let held = Held([], lanes: [])
        let frames = try held.open()
        for number in 0..<300 { held.desk.record(lane: "one", state: "\(number)", takesCode: false) }
        #expect(held.ends.lostCount == 1 && held.ends.keys.contains(1))
        let other = try held.open(.program("b"))
        held.desk.endStreams { $0.name != "b" }
        #expect(held.ends.keys.contains(2))
        withExtendedLifetime((frames, other)) {}
    }

    @Test("There is a limit of streams, and a caller finds its own")
    func limit() throws {
        let held = Held([])
        var streams: [Frames] = []
        for number in 0..<AccessoryDesk.mostStreams {
            streams.append(try held.open(.program("\(number)")))
        }
        #expect(held.desk.key(of: .program("3")) == 4 && held.desk.key(of: .program("x")) == nil)
        #expect(throws: PresentationServiceError.tooManyListeners) { try held.open(.program("x")) }
        _ = held.desk.close(1)
        streams.append(try held.open(.program("x")))
    }
}

extension KnownCaller {
    /// The program that serves accessories.
    static func program(_ name: String = "accessories", lanes: Set<String>? = nil) -> KnownCaller {
        KnownCaller(name: name, scopes: [.accessory], lanes: lanes, credential: .user(7))
    }
}
