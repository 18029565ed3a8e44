import Accessories
import Testing

@testable import PresentationService

@Suite("The tries in progress")
struct AccessoryTriesTests {
    private let start = ContinuousClock.now

    private static func attempt(
        _ number: Int64, of accessory: String = "lock", _ action: TryAction = .pulse
    ) -> AccessoryTry {
        AccessoryTry(number: number, accessory: accessory, lane: "one", action: action)
    }

    /// The result of a try, or `nil` if it was abandoned.
    private static func end(of results: AsyncStream<TryResult>) async -> TryResult? {
        for await result in results { return result }
        return nil
    }

    @Test("A pulse is permitted once, within 2 s, and then has an end")
    func pulse() async throws {
        var tries = AccessoryTries()
        let results = try tries.begin(Self.attempt(1), by: 7, at: start)
        let early = [tries.finish(1, with: .pulsed), tries.finish(1, with: .unknown)]
        #expect(early == [false, false], "it was not permitted")
        let given = [
            tries.give(2, at: start), tries.give(1, at: start + .milliseconds(1999)),
            tries.give(1, at: start),
        ]
        #expect(given == [false, true, false])
        let ends = [TryResult.refused, .noCode, .pulsed, .pulsed].map { tries.finish(1, with: $0) }
        #expect(ends == [false, false, true, false])
        #expect(await Self.end(of: results) == .pulsed)
        _ = try tries.begin(Self.attempt(3), by: 7, at: start)
        let isGivenLate = tries.give(3, at: start + .seconds(2))
        let isRefused = tries.finish(3, with: .refused)
        #expect(!isGivenLate && isRefused)
    }

    @Test("A scan needs no permission, gets none, and ends with a code or without one")
    func scan() async throws {
        for result in [TryResult.phoneCode(characters: 243), .otherCode(characters: nil), .noCode, .refused] {
            var tries = AccessoryTries()
            let results = try tries.begin(Self.attempt(1, of: "qr-1", .scan), by: 7, at: start)
            let steps = [
                tries.give(1, at: start), tries.finish(1, with: .pulsed), tries.finish(1, with: result),
            ]
            #expect(steps == [false, false, true])
            #expect(await Self.end(of: results) == result)
        }
    }

    @Test("A try belongs to its accessory and to the stream that received it")
    func owner() throws {
        var tries = AccessoryTries()
        _ = try tries.begin(Self.attempt(1), by: 7, at: start)
        #expect(tries.attempt(1, of: "lock", by: 7) == Self.attempt(1))
        #expect(tries.attempt(1, of: "lock", by: 8) == nil)
        #expect(tries.attempt(1, of: "gate", by: 7) == nil && tries.attempt(2, of: "lock", by: 7) == nil)
    }

    @Test("An accessory has one try at a time, and six within a minute")
    func limits() throws {
        var tries = AccessoryTries()
        for number in 1...6 {
            _ = try tries.begin(Self.attempt(Int64(number)), by: 7, at: start + .seconds(number))
            #expect(throws: PresentationServiceError.tryRefused(.inProgress)) {
                try tries.begin(Self.attempt(99), by: 7, at: start + .seconds(number))
            }
            let isOver = tries.finish(Int64(number), with: .refused)
            #expect(isOver)
        }
        #expect(throws: PresentationServiceError.tooManyTries(retryAfter: 55)) {
            try tries.begin(Self.attempt(7), by: 7, at: start + .seconds(7))
        }
        _ = try tries.begin(Self.attempt(8, of: "gate"), by: 7, at: start + .seconds(7))
        _ = try tries.begin(Self.attempt(9), by: 7, at: start + .seconds(61))
    }

    @Test("A try whose stream, accessory or time is over ends without a result, and closes nothing any more")
    func abandoned() async throws {
        for way in 0..<4 {
            var tries = AccessoryTries()
            let results = try tries.begin(Self.attempt(1), by: 7, at: start)
            let other = try tries.begin(Self.attempt(2, of: "gate"), by: 8, at: start)
            switch way {
            case 0: tries.abandon(1)
            case 1: tries.abandon(by: 7)
            case 2: tries.abandon(ofAccessories: ["lock"])
            default: tries.abandonAll()
            }
            #expect(await Self.end(of: results) == nil)
            let steps = [
                tries.give(1, at: start), tries.finish(1, with: .refused), tries.finish(2, with: .refused),
            ]
            #expect(steps == [false, false, way < 3], "only the other try goes on")
            #expect(await Self.end(of: other) == (way < 3 ? .refused : nil))
        }
    }
}
