import Testing

@testable import PresentationService

@Suite("The limits on scanned codes, as a value")
struct EngagementGateTests {
    private static let start = ContinuousClock.now

    private static func code(_ number: Int) -> EngagementDigest {
        EngagementDigest([UInt8(number >> 8), UInt8(number & 0xff)])
    }

    /// A gate that a test changes, with the time in seconds since the start.
    private final class Held {
        var gate = EngagementGate()

        /// The word for the effect of an engagement.
        func admit(_ number: Int, at seconds: Double, lane: String = "one") throws -> String {
            let now = start + .seconds(seconds)
            do throws(PresentationServiceError) {
                let admission = try gate.admit(code(number), at: lane, now: now)
                if admission == .new {
                    gate.accept(code(number), at: lane, for: try PresentationID.test(), now: now)
                }
                return "\(admission)"
            } catch {
                return error.name
            }
        }

        func countMalformed(_ number: Int, at seconds: Double) -> String {
            do throws(PresentationServiceError) {
                try gate.countMalformed(code(number), at: "one", now: start + .seconds(seconds))
                return "counted"
            } catch {
                return error.name
            }
        }
    }

    @Test(
        "Six engagements within a minute are accepted, the seventh begins a pause, and another lane has its own"
    )
    func rate() throws {
        let held = Held()
        for number in 1...6 { #expect(try held.admit(number, at: Double(number)) == "new") }
        #expect(try held.admit(7, at: 7) == "tooManyEngagements")
        #expect(try held.admit(7, at: 7, lane: "two") == "new")
        // After the pause of 10 s the minute of the first is not over.
        #expect(try held.admit(7, at: 17.5) == "tooManyEngagements")
        #expect(try held.admit(7, at: 61.5) == "new")
        #expect(try held.admit(8, at: 61.7) == "tooManyEngagements")
    }

    @Test("A pause lasts its time although there would be room, and the answer says how long")
    func pause() throws {
        let held = Held()
        for number in 1...6 { _ = try held.admit(number, at: Double(number) / 10) }
        #expect(try held.admit(7, at: 59) == "tooManyEngagements")
        // All six have left the window of a minute.
        #expect(try held.admit(7, at: 68) == "tooManyEngagements")
        #expect(throws: PresentationServiceError.tooManyEngagements(retryAfter: 2)) {
            try held.gate.admit(Self.code(7), at: "one", now: Self.start + .seconds(68))
        }
        #expect(try held.admit(7, at: 69) == "new")
    }

    @Test("The time to wait is that of the room where it is longer than the pause")
    func retryAfter() throws {
        let held = Held()
        for number in 1...6 { _ = try held.admit(number, at: 10) }
        #expect(throws: PresentationServiceError.tooManyEngagements(retryAfter: 51)) {
            try held.gate.admit(Self.code(7), at: "one", now: Self.start + .seconds(20))
        }
    }

    @Test("A malformed code counts double")
    func malformed() throws {
        let held = Held()
        for number in 1...3 { #expect(held.countMalformed(number, at: Double(number)) == "counted") }
        #expect(held.countMalformed(4, at: 4) == "tooManyEngagements")
        #expect(try held.admit(5, at: 5) == "tooManyEngagements")
        let mixed = Held()
        for number in 1...2 { _ = mixed.countMalformed(number, at: Double(number)) }
        for number in 3...4 { #expect(try mixed.admit(number, at: Double(number)) == "new") }
        #expect(try mixed.admit(5, at: 5) == "tooManyEngagements")
    }

    @Test("A used code is refused also within the time of a repetition")
    func usedAtOnce() throws {
        let held = Held()
        let presentation = try PresentationID.test()
        held.gate.accept(Self.code(1), at: "one", for: presentation, now: Self.start)
        #expect(try held.admit(1, at: 0.4) == "repeated")
        held.gate.establish(presentation, now: Self.start + .seconds(0.5))
        #expect(try held.admit(1, at: 1) == "engagementReused")
        #expect(try held.admit(2, at: 1) == "new")
    }

    @Test(
        "A code that stays in view is one code for 2 s, and no longer; another code between makes it a new one"
    )
    func repetition() throws {
        let held = Held()
        #expect(try held.admit(1, at: 0) == "new")
        for second in [0.1, 1, 1.9] { #expect(try held.admit(1, at: second) == "repeated") }
        #expect(try held.admit(1, at: 1, lane: "two") == "new")
        #expect(try held.admit(1, at: 2) == "new")
        #expect(try held.admit(2, at: 2.5) == "new")
        #expect(try held.admit(1, at: 2.6) == "new")
        let malformed = Held()
        for second in stride(from: 0, to: 2, by: 0.1) {
            #expect(malformed.countMalformed(1, at: second) == "counted")
        }
        #expect(try malformed.admit(2, at: 3) == "new", "a malformed code in view was counted once")
    }

    @Test(
        "A code with which a session was established is refused for a day; one that failed before may come again"
    )
    func reuse() throws {
        var gate = EngagementGate()
        let (used, failed) = (try PresentationID(), try PresentationID())
        gate.accept(Self.code(1), at: "one", for: used, now: Self.start)
        gate.accept(Self.code(2), at: "two", for: failed, now: Self.start)
        #expect(gate.isWaiting(used) && gate.isWaiting(failed))
        gate.establish(used, now: Self.start + .seconds(5))
        for id in [used, failed] { gate.end(id) }
        #expect(!gate.isWaiting(used) && !gate.isWaiting(failed))
        // At every lane, and by a clerk's page as well.
        for lane in ["one", "two"] {
            #expect(throws: PresentationServiceError.engagementReused) {
                try gate.admit(Self.code(1), at: lane, now: Self.start + .seconds(30))
            }
        }
        #expect(throws: PresentationServiceError.engagementReused) {
            try gate.checkReuse(of: Self.code(1), now: Self.start + .seconds(24 * 3600))
        }
        let again = try gate.admit(Self.code(2), at: "two", now: Self.start + .seconds(30))
        #expect(again == .new)
        try gate.checkReuse(of: Self.code(1), now: Self.start + .seconds(24 * 3600 + 5))
    }

    @Test("A session without a code uses up no code")
    func tap() throws {
        var gate = EngagementGate()
        let id = try PresentationID()
        gate.establish(id, now: Self.start)
        gate.accept(Self.code(1), at: "one", for: id, now: Self.start)
        try gate.checkReuse(of: Self.code(1), now: Self.start)
    }

    @Test("At most 4096 used codes are kept, and the oldest is forgotten first")
    func mostUsed() throws {
        var gate = EngagementGate()
        for number in 0...EngagementGate.mostUsed {
            let id = try PresentationID()
            gate.accept(Self.code(number), at: "\(number)", for: id, now: Self.start)
            gate.establish(id, now: Self.start)
        }
        try gate.checkReuse(of: Self.code(0), now: Self.start)
        for number in [1, EngagementGate.mostUsed] {
            #expect(throws: PresentationServiceError.engagementReused, "\(number)") {
                try gate.checkReuse(of: Self.code(number), now: Self.start)
            }
        }
    }

    @Test("The digest of a code is the same in one run, differs for another code, and in another run")
    func digests() throws {
        let (one, other) = (try EngagementDigests(), try EngagementDigests())
        let code: [UInt8] = [1, 2, 3]
        #expect(try one.digest(of: code[...]) == one.digest(of: code[...]))
        #expect(try one.digest(of: code[...]) != one.digest(of: [1, 2, 4]))
        #expect(try one.digest(of: code[...]) != other.digest(of: code[...]))
    }
}

extension PresentationID {
    /// A random id, with an error of the service.
    fileprivate static func test() throws(PresentationServiceError) -> PresentationID {
        guard let id = try? PresentationID() else { throw .failed }
        return id
    }
}
