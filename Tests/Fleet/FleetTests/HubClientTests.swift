import Foundation
import HTTPSBench
import Testing

@testable import Fleet

@Suite("A kiosk's questions to its hubs")
struct HubClientTests {
    private static let path = "/fleet/v1/state"

    /// Asks hubs that answer so, one after the other.
    private func ask(
        _ answers: [ServedAnswer], timeout: Duration = .seconds(300)
    ) async throws -> Result<[UInt8], HubError> {
        try await ask(answers, questions: 1, timeout: timeout)[0]
    }

    /// Asks hubs that answer so several questions at the same time.
    private func ask(
        _ answers: [ServedAnswer], questions: Int, timeout: Duration = .seconds(300), dropped: Int = 0
    ) async throws -> [Result<[UInt8], HubError>] {
        let store = FleetStore()
        try FileManager.default.createDirectory(atPath: store.path, withIntermediateDirectories: true)
        let authority = try BenchAuthority()
        let roots = "\(store.path)/authority.pem"
        try Data(authority.pem).write(to: URL(filePath: roots))
        var servers: [ListServer] = []
        for answer in answers {
            servers.append(
                try await ListServer.start(
                    .tls(authority, showing: .itself), [Self.path: answer], droppingFirst: dropped))
        }
        let client = try HubClient(
            servers.map { $0.url("") }, authority: roots, as: nil, timeout: timeout)
        let results = await withTaskGroup { group in
            for _ in 0..<questions {
                group.addTask { () async -> Result<[UInt8], HubError> in
                    do throws(HubError) {
                        return .success(try await client.get(Self.path))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        await client.end()
        for server in servers { await server.stop() }
        return results
    }

    @Test(
        "A hub that ends the handshake, as one does that strangers crowd, is asked three times and no more",
        arguments: [(2, Result<[UInt8], HubError>.success([1])), (3, .failure(.unreachable))])
    func dropped(_ count: Int, expected: Result<[UInt8], HubError>) async throws {
        #expect(try await ask([.serving([1])], questions: 1, dropped: count) == [expected])
    }

    /// Announces two megabytes, and sends one byte after the other for as long as somebody listens.
    private static let dripping = ServedAnswer.head(
        length: 2_000_000, then: [.sendForever([0], everyMilliseconds: 50)])

    @Test("A hub that answers byte by byte has no more time than another, and the next hub is asked")
    func dripping() async throws {
        // Without an end of its own it would take a day.
        #expect(try await ask([Self.dripping], timeout: .seconds(1)) == .failure(.unreachable))
        #expect(
            try await ask([Self.dripping, .serving([1, 2])], timeout: .seconds(1)) == .success([1, 2]))
    }

    @Test("An answer that takes its time and comes within it is read to its end")
    func slow() async throws {
        let parts = (1...10).flatMap { [ServedAnswer.Step.wait(milliseconds: 50), .send([UInt8($0)])] }
        #expect(
            try await ask([.head(length: 10, then: parts)]) == .success((1...10).map { UInt8($0) }))
    }

    @Test(
        "What is no answer is told apart: refused, too many, too long, cut",
        arguments: [
            (.status(403), .refused(status: 403, id: "")),
            (.status(429, ["Retry-After: 7"]), .tooMany(retryAfter: 7)),
            (.status(429, ["Retry-After: 999999999"]), .tooMany(retryAfter: 86_400)),
            (.status(429), .refused(status: 429, id: "")),
            (.serving([UInt8](repeating: 0, count: (1 << 21) + 1)), .malformed),
            (.head(length: 10, then: [.send([1]), .cut]), .unreachable),
            (ServedAnswer([.cut]), .unreachable),
        ] as [(ServedAnswer, HubError)])
    func refused(_ answer: ServedAnswer, _ error: HubError) async throws {
        #expect(try await ask([answer]) == .failure(error))
    }

    @Test(
        "What a hub says of a refusal is kept as one line that steers no terminal and has 300 characters at most"
    )
    func detail() async throws {
        let words = "the code was used: run countersign-hub kiosk invite"
        let (long, short) = (String(repeating: "a", count: 5000), String(repeating: "a", count: 300))
        let known = HubError.refused(status: 403, id: "codeRefused", detail: words)
        let bare = HubError.refused(status: 403, id: "")
        for (body, error) in [
            (#"{"id": "codeRefused", "detail": "\#(words)"}"#, known),
            (
                #"{"id": "a\u001b", "detail": "\u001b[2J\nforged"}"#,
                .refused(status: 403, id: "a\u{fffd}", detail: "\u{fffd}[2J\u{fffd}forged")
            ),
            (
                #"{"id": "x", "detail": "\#(long)"}"#,
                .refused(status: 403, id: "x", detail: "\(short)…")
            ),
            ("{}", bare), ("<html>", bare), (#"{"id": 7, "detail": [8]}"#, bare),
        ] {
            let bytes = Array(body.utf8)
            let answer = try await ask([.head(403, length: bytes.count, then: [.send(bytes)])])
            #expect(answer == .failure(error), "\(body)")
        }
        #expect(known.explanation == "the hub refused the request with status 403 codeRefused: \(words)")
        #expect(bare.explanation == "the hub refused the request with status 403: see the hub's log")
    }

    @Test("Of questions that meet a failing hub at the same time each asks the hub that works")
    func together() async throws {
        // All of them are on their way before the first hub has failed one.
        let failing = ServedAnswer([.wait(milliseconds: 500)] + ServedAnswer.status(503).steps)
        for questions in 1...4 {
            let results = try await ask([failing, .serving([1])], questions: questions)
            #expect(results == Array(repeating: .success([1]), count: questions), "\(questions)")
        }
    }

    @Test("Where a hub fails the next is asked; where it refuses it is not")
    func next() async throws {
        #expect(try await ask([.status(503), .serving([1])]) == .success([1]))
        #expect(try await ask([.status(503), .status(500)]) == .failure(.refused(status: 500, id: "")))
        #expect(try await ask([.status(403), .serving([1])]) == .failure(.refused(status: 403, id: "")))
    }
}
