import Foundation
import OtherPrograms
import Testing

@Suite("Events of countersignd")
struct EventTests {
    @Test("Who was away resumes after the last event seen, and misses nothing")
    func resumed() async throws {
        let reader = try await ReaderDaemon()
        let id = try await reader.order()
        _ = try await reader.end(of: id)
        let whole = try await reader.asClerk.events("/v1/lanes/lane-1/events", after: "x-0")
        let now = try #require(try await whole.next())
        #expect(now.data["state"] == "verified")
        let run = try #require(now.id.split(separator: "-").first)
        let resumed = try await reader.asClerk.events("/v1/lanes/lane-1/events", after: "\(run)-0")
        var states: [String] = []
        while states.last != "verified", let event = try await resumed.next() {
            states.append(event.data["state"] ?? "")
        }
        #expect(states.first == "armed" && states.contains("awaitingConsent"))
        let rest = try await reader.asClerk.events("/v1/lanes/lane-1/events", after: "\(run)-2")
        let first = try #require(try await rest.next())
        #expect(first.id == "\(run)-3")
    }

    @Test("A presentation's events are its own alone")
    func own() async throws {
        let reader = try await ReaderDaemon()
        let first = try await reader.order()
        _ = try await reader.end(of: first)
        let events = try await reader.asApp.events("/v1/presentations/\(first)/events")
        _ = try await events.next()
        let second = try await reader.order(intent: "age over 18")
        _ = try await reader.end(of: second)
        let lane = try await reader.asApp.events("/v1/lanes/lane-1/events")
        #expect(try await lane.next()?.data["presentation"] == second)
        reader.daemon.signal(SIGTERM)
        while let event = try await events.next() { #expect(event.data["presentation"] == first) }
    }

    @Test(
        "Two hundred of one caller listen, each hears everything, one too many is refused, and another caller listens"
    )
    func listeners() async throws {
        let reader = try await ReaderDaemon(members: ["limits": #"{"listeners": 400}"#])
        var listeners: [PlainHTTP.EventReader] = []
        for _ in 0..<200 {
            let listener = try await reader.asClerk.events("/v1/lanes/lane-1/events")
            #expect(try await listener.next()?.kind == "laneChanged")
            listeners.append(listener)
        }
        let refused = try await reader.asClerk.call("GET", "/v1/lanes/lane-1/events")
        #expect(refused.status == 503 && refused.problem == "tooManyListeners")
        let other = try await reader.asScreen.events("/v1/lanes/lane-1/events")
        #expect(try await other.next()?.kind == "laneChanged")
        let id = try await reader.order()
        for listener in listeners {
            var last: String?
            while last != "verified", let event = try await listener.next() {
                #expect(event.data["presentation"] == id)
                last = event.data["state"]
            }
            #expect(last == "verified")
        }
    }

    @Test("At its end the daemon fails what goes on, lets listeners go, and is gone in time")
    func ending() async throws {
        let reader = try await ReaderDaemon(lanes: [["--consent-time", "60000"]])
        let id = try await reader.order()
        let events = try await reader.asClerk.events("/v1/presentations/\(id)/events")
        var last: String?
        while last != "awaitingConsent", let event = try await events.next() { last = event.data["state"] }
        let began = ContinuousClock.now
        reader.daemon.signal(SIGTERM)
        while let event = try await events.next() { last = event.data["state"] }
        #expect(last == "failed")
        #expect(try await reader.daemon.ended() == 0)
        #expect(ContinuousClock.now - began < .seconds(50))
    }
}
