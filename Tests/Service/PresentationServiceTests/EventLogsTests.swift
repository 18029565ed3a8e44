import JSON
import Testing

@testable import PresentationService

@Suite("The event logs of all lanes")
struct EventLogsTests {
    private static func caller(_ name: String) -> KnownCaller {
        KnownCaller(name: name, scopes: [.screen], lanes: nil, credential: .token(Array(name.utf8)))
    }

    private static func listen(
        _ logs: inout EventLogs, to lane: String = "one", by name: String
    ) throws(PresentationServiceError) -> AsyncStream<String> {
        try logs.listen(
            toLane: lane, presentation: nil, by: caller(name), after: nil, latest: nil, lost: {},
            ended: { _ in })
    }

    private static func logs(most: Int) -> EventLogs {
        var logs = EventLogs(run: "r", most: most)
        logs.open(lane: "one")
        logs.open(lane: "two")
        return logs
    }

    @Test("One caller has half of the places, over all lanes, and all callers have all of them")
    func places() throws {
        var logs = Self.logs(most: 4)
        var streams = [try Self.listen(&logs, by: "a"), try Self.listen(&logs, to: "two", by: "a")]
        #expect(throws: PresentationServiceError.tooManyListeners) { try Self.listen(&logs, by: "a") }
        streams += [try Self.listen(&logs, by: "b"), try Self.listen(&logs, by: "c")]
        #expect(throws: PresentationServiceError.tooManyListeners) { try Self.listen(&logs, by: "d") }
        #expect(logs.listenerCount == 4 && logs.hasListeners(lane: "two") && streams.count == 4)
    }

    @Test("A lane has one log, which a second opening leaves as it is; a lane without one has no listeners")
    func lanes() throws {
        var logs = Self.logs(most: 4)
        let stream = try Self.listen(&logs, by: "a")
        let isNew = logs.open(lane: "one")
        #expect(!isNew && logs.hasListeners(lane: "one") && logs.contains(lane: "one"))
        #expect(!logs.contains(lane: "three") && !logs.hasListeners(lane: "three"))
        #expect(throws: PresentationServiceError.laneUnknown) {
            try Self.listen(&logs, to: "three", by: "b")
        }
        withExtendedLifetime(stream) {}
    }

    @Test("The stream of a caller who may not listen any more ends, and a later one at the next beat")
    func rules() throws {
        var logs = Self.logs(most: 8)
        var streams = [try Self.listen(&logs, by: "a"), try Self.listen(&logs, by: "b")]
        logs.endStreams { $0.name == "a" }
        #expect(logs.listenerCount == 1)
        streams.append(try Self.listen(&logs, by: "b"))
        #expect(logs.listenerCount == 2)
        logs.beat()
        #expect(logs.listenerCount == 1 && streams.count == 3)
        logs.close()
        #expect(logs.listenerCount == 0)
    }
}
