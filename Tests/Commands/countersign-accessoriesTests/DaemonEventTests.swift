import Accessories
import DaemonClient
import JSON
import Testing

@testable import countersign_accessories

@Suite("Events of the daemon")
struct DaemonEventTests {
    private static func lane(_ members: String) throws -> AccessoryEvent? {
        let data = #"{"lane": "gate", "state": "idle", "takesCode": false\#(members)}"#
        return try AccessoryEvent(DaemonEvent(name: "lane", data: Array(data.utf8)))
    }

    @Test(
        "The event of a lane has its pause and its problem; a further member of a later version is ignored",
        arguments: [(false, false), (true, false), (false, true), (true, true)])
    func lane(isPaused: Bool, hasProblem: Bool) throws {
        let news = LaneNews(
            lane: "gate", state: "idle", takesCode: false, isPaused: isPaused, hasProblem: hasProblem)
        let members = #", "paused": \#(isPaused), "problem": \#(hasProblem)"#
        #expect(try Self.lane(members) == .lane(news))
        #expect(try Self.lane(members + #", "later": 1"#) == .lane(news))
    }

    @Test(
        "An event of a lane without one of its members is refused, and so is one of another form",
        arguments: [
            "", #", "paused": true"#, #", "problem": true"#, #", "paused": 1, "problem": true"#,
            #", "paused": true, "problem": "ON""#,
        ])
    func incomplete(members: String) {
        #expect(throws: JSONFault.self) { try Self.lane(members) }
    }
}
