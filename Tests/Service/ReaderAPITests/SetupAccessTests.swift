import Testing

@testable import ReaderAPI

@Suite("The one browser page of setup")
struct SetupAccessTests {
    private let start = ContinuousClock.Instant.now

    private func refuses(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return false
        } catch {
            return error is APIProblem
        }
    }

    /// The routes of a page that runs programs with `run`.
    private func routes(
        run: @escaping @Sendable ([String], [UInt8]) async -> SetupPrograms.Ended
    ) throws -> SetupRoutes {
        SetupRoutes(
            access: try SetupAccess(at: start), page: PageFiles(),
            programs: SetupPrograms(
                config: "/run/page/made.json", store: "/run/page/store", logo: "/run/page/logo.png",
                trust: "/run/page/trust", hasWallet: false, runsCommands: true, run: run),
            host: "127.0.0.1:8412", report: { _ in })
    }

    @Test("The code works once, and only its secret is accepted")
    func once() throws {
        let access = try SetupAccess(at: start)
        #expect(refuses { try access.check(secret: nil, at: start) })
        let secret = try access.redeem(access.code, at: start)
        try access.check(secret: secret, at: start)
        #expect(refuses { _ = try access.redeem(access.code, at: start) })
        #expect(refuses { try access.check(secret: access.code, at: start) })
        #expect(refuses { try access.check(secret: nil, at: start) })
        try access.check(secret: secret, at: start)
    }

    @Test("Five wrong codes end the page, and four do not", arguments: [4, 5])
    func guesses(_ count: Int) async throws {
        let access = try SetupAccess(at: start)
        for _ in 0..<count { #expect(refuses { _ = try access.redeem("0", at: start) }) }
        #expect(refuses { _ = try access.redeem(access.code, at: start) } == (count == 5))
        access.end(.finished)
        var ends: [SetupAccess.End] = []
        for await end in access.ends { ends.append(end) }
        #expect(ends == [count == 5 ? .guessed : .finished])
    }

    @Test("After the code was used, neither wrong codes nor the code itself end the page")
    func triesAfterUse() throws {
        let access = try SetupAccess(at: start)
        let secret = try access.redeem(access.code, at: start)
        for code in ["0", access.code] {
            for _ in 0..<5 { #expect(refuses { _ = try access.redeem(code, at: start) }) }
        }
        try access.check(secret: secret, at: start)
    }

    @Test(
        "Answers of the page are those of its own questions, and read no file but the uploaded ones",
        arguments: [
            (#"{"logo": "/run/page/logo.png"}"#, true), (#"{"logo": "/etc/shadow"}"#, false),
            (#"{"replace": true}"#, true), (#"{"trust": "/etc"}"#, false), (#"{"fix": true}"#, false),
            (#"{"trust": "/run/page/trust"}"#, true), (#"{"trust": "/run/page/trust-check"}"#, false),
            (#"{"\u0066ix": true}"#, false), (#"{"brand": "utopia"}"#, false), (#"{"new": 1}"#, false),
            (#"{"role": "rental", "days": 2}"#, true), (#"{"ages": [16, 18]}"#, true), ("[]", false),
        ])
    func answers(_ text: String, _ isAccepted: Bool) throws {
        let routes = try routes { _, _ in SetupPrograms.Ended(status: 0, output: "{}", errors: "") }
        #expect(refuses { try routes.checkAnswers(Array(text.utf8)) } == !isAccepted)
    }

    @Test("What the computer lacks is asked without the store, which root cannot judge")
    func findings() async throws {
        let (runs, ran) = AsyncStream<[String]>.makeStream()
        let routes = try routes { words, _ in
            ran.yield(words)
            return SetupPrograms.Ended(status: 0, output: "{}", errors: "")
        }
        #expect(await routes.facts().hasPrefix(#"{"readers": {}, "doctor": {}, "#))
        ran.finish()
        var doctors: [[String]] = []
        for await words in runs where words.contains("doctor") { doctors.append(words) }
        #expect(
            doctors.map { $0.prefix(5) } == [
                ["countersign", "doctor", "--without-store", "--json", "--store"]
            ])
    }

    @Test("A command that the user completes first is not run")
    func incomplete() throws {
        let output = #"{"next": ["true", "import FILE", "false"], "incomplete": [1]}"#
        #expect(try SetupRoutes.steps(of: output) == ["true", nil, "false"])
        let complete = #"{"next": ["true"], "incomplete": []}"#
        #expect(try SetupRoutes.steps(of: complete) == ["true"])
    }

    @Test("One command runs at a time, and the next one after its end")
    func alone() async throws {
        let (begins, begun) = AsyncStream<Void>.makeStream()
        let (ends, ended) = AsyncStream<Void>.makeStream()
        let routes = try routes { _, _ in
            begun.yield()
            for await _ in ends {}
            return SetupPrograms.Ended(status: 0, output: "", errors: "")
        }
        async let first = routes.runAlone("first")
        for await _ in begins { break }
        let second = await routes.runAlone("second")
        #expect(second == nil)
        ended.finish()
        let (done, third) = (await first, await routes.runAlone("third"))
        #expect(done?.status == 0 && third?.status == 0)
    }

    @Test("The page ends after 30 minutes, and not before")
    func overdue() async throws {
        let access = try SetupAccess(at: start)
        let secret = try access.redeem(access.code, at: start)
        try access.check(secret: secret, at: start + .seconds(30 * 60 - 1))
        #expect(refuses { try access.check(secret: secret, at: start + .seconds(30 * 60)) })
        #expect(refuses { try access.check(secret: secret, at: start) })
        var ends: [SetupAccess.End] = []
        for await end in access.ends { ends.append(end) }
        #expect(ends == [.overdue])
        let late = try SetupAccess(at: start)
        #expect(refuses { _ = try late.redeem(late.code, at: start + .seconds(30 * 60)) })
    }
}
