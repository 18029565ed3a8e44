import Deadlines
import Foundation
import Logging
import MdocModel
import Testing

@testable import PresentationService
@testable import ReaderStore

@Suite("Webhooks beside a receiver that does not answer")
struct WebhookQueueTests {
    private static let count = 300

    @Test(
        "While one receiver's share is full, the other receivers get every result; when the first answers again, it gets the stored results",
        arguments: [false, true])
    func deadAndHealthy(_ hangs: Bool) async throws {
        let stage = try WebhookScene()
        let hanging = hangs ? try HookReceiver(at: stage.dead, answers: false) : nil
        let healthy = try HookReceiver(at: stage.healthy, answers: true)
        defer { healthy.end() }
        try await stage.running {
            let names = (0..<Self.count).map { "dead-\($0)" }
            for name in names { try await stage.send(name, by: "till", at: stage.dead) }
            // The same caller's other receiver, and another caller at the origin that answers.
            for number in 0..<40 {
                try await stage.send("own-\(number)", by: "till", at: stage.healthy)
                try await stage.send("other-\(number)", by: "other", at: stage.healthy)
            }
            try await until("80 results") { healthy.deliveries.count >= 80 }
            #expect(Set(healthy.deliveries).count == 80 && healthy.deliveries.count == 80)
            hanging?.end()
            let back = try HookReceiver(at: stage.dead, answers: true)
            defer { back.end() }
            try await until("all that the store had", within: .seconds(400)) {
                Set(back.deliveries).count >= Self.count
            }
            #expect(Set(back.deliveries) == Set(names) && back.deliveries.count == Self.count)
            try await until("an empty store") { await stage.archive.pendingDeliveries()?.isEmpty == true }
        }
    }

    @Test("More ends than fit at once are delivered after a start, those of each caller and origin")
    func afterStart() async throws {
        let stage = try WebhookScene()
        for number in 0..<Self.count {
            _ = try await stage.end("dead-\(number)", by: "till", at: stage.dead)
        }
        for number in 0..<40 { _ = try await stage.end("live-\(number)", by: "till", at: stage.healthy) }
        // Its origin is not allowed any more.
        _ = try await stage.end("elsewhere", by: "till", at: 1)
        let healthy = try HookReceiver(at: stage.healthy, answers: true)
        defer { healthy.end() }
        try await stage.running {
            try await until("40 results") { healthy.deliveries.count >= 40 }
            try await until("the store without them") {
                await stage.archive.pendingDeliveries()?.count == Self.count
            }
            #expect(Set(healthy.deliveries).count == 40 && healthy.deliveries.count == 40)
        }
    }

    /// Pauses of a second in all, and short attempts.
    private static let brief = WebhookQueue.Schedule(
        pauses: [50, 100, 250, 600].map { .milliseconds($0) }, timeout: .milliseconds(300),
        storePause: .milliseconds(50))
    /// The same with attempts that end when they are answered: on a busy machine a delivery that was taken is not repeated.
    private static let answered = WebhookQueue.Schedule(
        pauses: brief.pauses, timeout: .seconds(120), storePause: brief.storePause)

    @Test(
        "A delivery that always times out is given up in time, even if other deliveries wake the queue often"
    )
    func alwaysTimingOut() async throws {
        let scene = try WebhookScene(Self.brief)
        let receiver = try HookReceiver(at: scene.healthy, answers: true)
        defer { receiver.end() }
        try await scene.running {
            try await scene.send("dead", by: "till", at: scene.healthy, path: "/hang")
            var number = 0
            // Each delivery that succeeds after an attempt that timed out is a recovery.
            while !scene.counts("given_up", 1) {
                number += 1
                try #require(number < 3000, "the delivery that times out is not given up")
                try await scene.send("live-\(number)", by: "till", at: scene.healthy)
                try await until("the next delivery") { [number] in receiver.deliveries.count >= number }
            }
            let most = 1 + Self.brief.pauses.count + Self.brief.mostEarly
            #expect((2...most).contains(receiver.hangingCount), "\(receiver.hangingCount) attempts")
            try await until("the others") { [number] in scene.counts("delivered", number) }
            try await until("an empty store") { await scene.archive.pendingDeliveries()?.isEmpty == true }
            let words = scene.lines.metadata(of: "a webhook is given up")
            #expect(words == [["presentation": "dead"]])
        }
    }

    @Test(
        "A receiver that comes back before the last pause gets the delivery at once, and nothing is given up")
    func comesBack() async throws {
        var schedule = Self.brief
        schedule.pauses = [.milliseconds(50), .seconds(600)]
        // No attempt times out: the receiver ends each.
        schedule.timeout = .seconds(120)
        let scene = try WebhookScene(schedule)
        let hanging = try HookReceiver(at: scene.dead, answers: false)
        try await scene.running {
            try await scene.send("early", by: "till", at: scene.dead)
            try await until("an attempt") { hanging.hangingCount >= 1 }
            hanging.hangUp()
            try await until("the attempt before the long pause") { hanging.hangingCount >= 2 }
            hanging.end()
            let back = try HookReceiver(at: scene.dead, answers: true)
            defer { back.end() }
            try await scene.send("late", by: "till", at: scene.dead)
            try await until("both") { Set(back.deliveries) == ["early", "late"] }
            try await until("both in the figures") { scene.counts("delivered", 2) }
            #expect(!scene.counts("given_up", 1))
        }
    }

    @Test("While the store is busy at the start, what just ended is delivered")
    func busyStore() async throws {
        let scene = try WebhookScene(Self.answered)
        let receiver = try HookReceiver(at: scene.healthy, answers: true)
        defer { receiver.end() }
        let (id, url) = try await scene.end("live", by: "till", at: scene.healthy)
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        let holding = Task { [archive = scene.archive] in
            try await archive.read { _ in
                begin.finish()
                gate.wait()
            }
        }
        for await _ in began {}
        try await scene.running {
            scene.queue.send([], of: id, by: "till", to: url)
            try await until("the delivery", within: .seconds(20)) { receiver.deliveries == ["live"] }
            gate.signal()
            try await holding.value
            try await until("an empty store") { await scene.archive.pendingDeliveries()?.isEmpty == true }
            #expect(receiver.deliveries == ["live"])
        }
    }

    @Test(
        "A store that is unreadable at the start is read later and logged once, and does not delay the daemon's end"
    )
    func unreadableStore() async throws {
        let scene = try WebhookScene(Self.answered)
        let receiver = try HookReceiver(at: scene.healthy, answers: true)
        defer { receiver.end() }
        for number in 0..<40 { _ = try await scene.end("\(number)", by: "till", at: scene.healthy) }
        try scene.change("ALTER TABLE presentation RENAME TO elsewhere")
        let message = "the store refused a record"
        // The daemon ends while the store cannot be read.
        let early = Task { try await scene.queue.run() }
        try await until("the fault") { scene.lines.metadata(of: message).count == 1 }
        early.cancel()
        try await early.value
        let again = scene.another()
        try await scene.running(again) {
            // Several reads of the store fail meanwhile, which nothing says.
            try await Task.sleep(for: .milliseconds(500))
            #expect(receiver.deliveries.isEmpty && scene.lines.metadata(of: message).count == 1)
            try scene.change("ALTER TABLE elsewhere RENAME TO presentation")
            try await until("what the store had") { receiver.deliveries.count >= 40 }
            try await until("an empty store") { await scene.archive.pendingDeliveries()?.isEmpty == true }
            #expect(Set(receiver.deliveries).count == 40 && receiver.deliveries.count == 40)
        }
    }

    @Test("A result that the store does not record as delivered is delivered once, up to a limit")
    func unrecorded() async throws {
        let scene = try WebhookScene(Self.answered)
        let receiver = try HookReceiver(at: scene.healthy, answers: true)
        defer { receiver.end() }
        for number in 0..<100 { _ = try await scene.end("\(number)", by: "till", at: scene.healthy) }
        try scene.change(
            "CREATE TRIGGER full BEFORE UPDATE ON presentation BEGIN SELECT RAISE(ABORT, 'full'); END")
        try await scene.running {
            try await until("as many as may be unrecorded") {
                receiver.deliveries.count >= WebhookShares.mostUnrecorded
            }
            // The queue delivers what another caller sends, and no more of this one.
            for number in 0..<4 {
                try await scene.send("other-\(number)", by: "other", at: scene.healthy)
                try await until("the other's delivery") { receiver.deliveries.contains("other-\(number)") }
            }
            #expect(receiver.deliveries.count == WebhookShares.mostUnrecorded + 4)
            #expect(Set(receiver.deliveries).count == receiver.deliveries.count)
            try scene.change("DROP TRIGGER full")
            try await until("an empty store") { await scene.archive.pendingDeliveries()?.isEmpty == true }
            #expect(Set(receiver.deliveries).count == 104 && receiver.deliveries.count == 104)
        }
    }
}
