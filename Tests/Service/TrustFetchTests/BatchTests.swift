import Deadlines
import HTTPSBench
import MdocTrust
import Testing
import TrustFetch

@Suite("Many lists at once")
struct BatchTests {
    private func error(_ result: FetchResult) -> TrustFetchError? {
        if case .failure(let error) = result.outcome { error } else { nil }
    }

    @Test("One result for each target in their order, whatever became of the others")
    func order() async throws {
        let scene = try await FetchScene([
            "/slow": ServedAnswer([.wait(milliseconds: 300)] + ServedAnswer.serving([1]).steps),
            "/fast": .serving([2]), "/broken": ServedAnswer([.close]),
        ])
        let targets = try ["/slow", "/broken", "/none", "/fast", "/fast"].map { try scene.target($0) }
        let results = try await scene.fetcher().fetch(targets, at: FetchScene.now)
        #expect(results.map(\.target) == targets)
        #expect(results.map(error) == [nil, .truncated, .status(404), nil, nil])
    }

    @Test("One at a time is one after the other, whichever host it is")
    func oneByOne() async throws {
        var limits = FetchScene.limits()
        limits.concurrent = 1
        let slow = ServedAnswer([.wait(milliseconds: 300)] + ServedAnswer.serving([1]).steps)
        let scene = try await FetchScene(["/slow": slow])
        let targets = try ["127.0.0.1", "localhost", "127.0.0.1", "localhost"].map {
            try FetchTarget(.vical, name: "https://\($0):\(scene.server.port)/slow")
        }
        let results = try await scene.fetcher(limits).fetch(targets, at: FetchScene.now)
        #expect(results.allSatisfy { error($0) == nil })
        #expect(scene.server.mostAtOnce == 1)
    }

    @Test("The twin: two at a time are two at the same time, and not three")
    func twoByTwo() async throws {
        var limits = FetchScene.limits()
        limits.concurrent = 2
        let slow = ServedAnswer([.wait(milliseconds: 300)] + ServedAnswer.serving([1]).steps)
        let scene = try await FetchScene(["/slow": slow])
        let target = try scene.target("/slow")
        let results = try await scene.fetcher(limits).fetch(
            Array(repeating: target, count: 6), at: FetchScene.now)
        #expect(results.allSatisfy { error($0) == nil })
        #expect(scene.server.mostAtOnce == 2)
    }

    @Test("When the time of all is over, what is not there has run out of it")
    func budget() async throws {
        var limits = FetchScene.limits(short: .batch)
        limits.concurrent = 1
        let scene = try await FetchScene(["/stuck": ServedAnswer([.hold]), "/never": .serving([1])])
        let targets = try ["/stuck", "/never"].map { try scene.target($0) }
        let begin = ContinuousClock.now
        let results = try await scene.fetcher(limits).fetch(targets, at: FetchScene.now)
        #expect(ContinuousClock.now - begin < .seconds(60))
        #expect(results.map(error) == [.timedOut(.batch), .timedOut(.batch)])
        #expect(!scene.server.requests.map(\.path).contains("/never"))
    }

    @Test("All lists together have a limit, which one alone keeps")
    func together() async throws {
        var limits = FetchScene.limits()
        limits.total = 10
        limits.concurrent = 1
        let scene = try await FetchScene()
        let target = try scene.target("/list")
        for _ in 0..<2 {
            let results = try await scene.fetcher(limits).fetch([target, target], at: FetchScene.now)
            #expect(results.map(error) == [nil, .tooLarge(limit: 10)])
        }
    }

    @Test("A cancelled task ends at once and says so")
    func cancelled() async throws {
        let scene = try await FetchScene(["/stuck": ServedAnswer([.hold])])
        let (fetcher, target) = (try scene.fetcher(), try scene.target("/stuck"))
        let task = Task { await fetcher.outcome(of: target) }
        try await until("the request") { [server = scene.server] in !server.requests.isEmpty }
        let begin = ContinuousClock.now
        task.cancel()
        #expect(await task.value == .failure(.cancelled))
        #expect(ContinuousClock.now - begin < .seconds(60))
    }

    @Test("A task that is cancelled while it waits for a handshake ends within the time for it")
    func cancelledWhileConnecting() async throws {
        var limits = FetchScene.limits()
        limits.connect = .seconds(2)
        let scene = try await FetchScene(speaking: .nothing)
        let fetcher = try scene.fetcher(limits)
        let target = try FetchTarget(.vical, name: "https://127.0.0.1:\(scene.server.port)/list")
        let task = Task { await fetcher.outcome(of: target) }
        try await until("the connection") { [server = scene.server] in server.connections > 0 }
        let begin = ContinuousClock.now
        task.cancel()
        #expect(await task.value == .failure(.cancelled))
        #expect(ContinuousClock.now - begin < .seconds(60))
    }

    @Test("Nothing to ask for is nothing")
    func empty() async throws {
        #expect(try await TrustFetcher().fetch([], at: FetchScene.now).isEmpty)
    }
}
