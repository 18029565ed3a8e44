import Deadlines
import Foundation
import HTTPSBench
import OpenSSLCrypto
import TestCredentials
import Testing

@testable import HTTPClient

@Suite("Requests through libcurl")
struct CurlClientTests {
    private static let body = Array("a list".utf8)
    private static let limits = ClientLimits(
        connect: .seconds(30), head: .seconds(30), progress: .seconds(30), whole: .seconds(60),
        bodySize: 1 << 16)

    private let authority: BenchAuthority
    private let server: ListServer

    init() async throws {
        authority = try BenchAuthority()
        server = try await ListServer.start(
            .tls(authority, showing: .itself),
            [
                "/list": .serving(Self.body), "/stuck": ServedAnswer([.hold]),
                "/dripping": .head(length: 1000, then: [.sendForever([0x61], everyMilliseconds: 20)]),
                "/long": .head(500, length: 1000, then: [.hold]),
            ])
    }

    private func request(_ path: String) -> ClientRequest {
        ClientRequest(server.url(path), headers: [("User-Agent", "Test")], limits: Self.limits)
    }

    private func client(_ keepsConnections: Duration? = nil) -> CurlClient {
        CurlClient(ClientTrust(.pem(authority.pem)), keepsConnections: keepsConnections)
    }

    private func error(_ body: () async throws(ClientError) -> ClientResponse) async -> ClientError? {
        do throws(ClientError) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "A URL that could add a header is refused before libcurl has it, with headers and without",
        arguments: ["\r\nX-More: 1", "\n", "\0", "\u{7f}"])
    func urlThatAddsAHeader(_ text: String) async {
        for headers in [[], [("User-Agent", "Test")]] {
            let request = ClientRequest(server.url("/list\(text)"), headers: headers, limits: Self.limits)
            let error = await error { () async throws(ClientError) in try await client().send(request) }
            #expect(error == .malformed)
        }
        #expect(server.requests.isEmpty)
    }

    @Test("A POST sends just its headers and its body, an empty one too")
    func post() async throws {
        let client = client()
        for body in [Array("{\"id\": \"7\"}".utf8), [], [UInt8](repeating: 0, count: 1 << 21)] {
            var post = request("/list")
            post.body = body
            post.headers.append(("Content-Type", "application/json"))
            #expect(try await client.send(post).body == Self.body)
            let seen = try #require(server.requests.last)
            #expect(seen.body == body && seen.lines.first == "POST /list HTTP/1.1")
            #expect(
                Set(seen.lines.dropFirst().map { $0.lowercased() }) == [
                    "host: 127.0.0.1:\(server.port)", "user-agent: test", "content-type: application/json",
                    "content-length: \(body.count)",
                ])
        }
        await client.close()
    }

    @Test("A connection serves the next request where it is kept, and only there")
    func reuse() async throws {
        for (keeps, connections) in [(Duration.seconds(60), 1), (nil, 3)] {
            let client = client(keeps)
            let before = server.connections
            for _ in 0..<3 { #expect(try await client.send(request("/list")).body == Self.body) }
            #expect(server.connections - before == connections)
            await client.close()
        }
    }

    @Test("A connection that was idle for its time is closed, without a further request")
    func idle() async throws {
        let client = client(.seconds(1))
        let before = server.connections
        _ = try await client.send(request("/list"))
        #expect(server.connections == before + 1)
        try await until("the end of the connection") { [server] in server.open == 0 }
        _ = try await client.send(request("/list"))
        await client.close()
    }

    @Test("A cancelled request ends at once, and the others continue")
    func cancelled() async throws {
        let client = client()
        let tasks = ["/stuck", "/dripping"].map { path in
            Task { await error { () throws(ClientError) in try await client.send(request(path)) } }
        }
        try await until("both requests") { [server] in server.requests.count == 2 }
        tasks[0].cancel()
        #expect(await tasks[0].value == .cancelled)
        #expect(try await client.send(request("/list")).status == 200)
        await client.close()
        #expect(await tasks[1].value == .cancelled)
        #expect(
            await error { () throws(ClientError) in try await client.send(request("/list")) } == .cancelled)
        try await until("the end of all connections") { [server] in server.open == 0 }
    }

    @Test("A task that is cancelled before it sends sends nothing")
    func cancelledBefore() async throws {
        let client = client()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await error { () throws(ClientError) in try await client.send(request("/list")) }
        }
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(server.requests.isEmpty)
        await client.close()
    }

    @Test("A client that is released without being closed leaves no connection")
    func released() async throws {
        var client: CurlClient? = client(.seconds(3600))
        _ = try await client?.send(request("/list"))
        #expect(server.open == 1)
        client = nil
        try await until("the end of the connection") { [server] in server.open == 0 }
    }

    @Test("A body that is not wanted is not waited for")
    func unwanted() async throws {
        let client = client(.seconds(60))
        var long = request("/long")
        long.wantsBody = { $0.status == 200 }
        #expect(try await client.send(long).status == 500)
        #expect(try await client.send(request("/list")).body == Self.body)
        await client.close()
    }

    @Test("Many requests at once all end, and a host has no more connections than it may")
    func many() async throws {
        let slow = ServedAnswer([.wait(milliseconds: 50)] + ServedAnswer.serving(Self.body).steps)
        server.answer("/slow", with: slow)
        let client = CurlClient(
            ClientTrust(.pem(authority.pem)), keepsConnections: .seconds(60), connectionsPerHost: 4)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<40 { group.addTask { try await client.send(request("/slow")).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == [Int](repeating: 200, count: 40))
        #expect(server.connections <= 4 && server.mostAtOnce <= 4 && server.mostAtOnce > 1)
        await client.close()
    }

    @Test("A certificate below a root ends no chain, though it is among the roots")
    func partialChain() async throws {
        let below = try BenchAuthority(below: authority)
        let other = try await ListServer.start(.tls(below, showing: .itself), ["/list": .serving(Self.body)])
        let request = ClientRequest(other.url("/list"), headers: [], limits: Self.limits)
        let client = CurlClient(ClientTrust(.pem(below.pem)))
        #expect(
            await error { () throws(ClientError) in try await client.send(request) }
                == .tls(.certificateRefused))
        #expect(other.requests.isEmpty)
        await client.close()
    }

    @Test("A certificate that does not belong to its key is not shown, and nothing is asked")
    func credentials() async throws {
        let keys = [try TestKey(), try TestKey()]
        let certificate = try authority.clientCertificate(
            for: keys[0].privateKey.publicKey(), from: 0, to: 2_500_000_000)
        for (key, expected) in zip(keys, [nil, ClientError.credentialsUnreadable]) {
            let credentials = ClientCredentials(
                certificates: certificate, key: try key.privateKey.unprotectedPEM())
            let client = CurlClient(ClientTrust(.pem(authority.pem), showing: credentials))
            #expect(
                await error { () throws(ClientError) in try await client.send(request("/list")) } == expected)
            await client.close()
        }
        #expect(server.requests.count == 1)
    }

    @Test("Roots that OpenSSL cannot read verify nobody")
    func roots() async throws {
        let client = CurlClient(ClientTrust(.pem(Array("no certificate".utf8))))
        let found = await error { () throws(ClientError) in try await client.send(request("/list")) }
        #expect(found == .rootsUnreadable || found == .tls(.certificateRefused))
        #expect(server.requests.isEmpty)
        await client.close()
    }

    @Test(
        "Another scheme than HTTP's, a user name and a URL that is none are not asked",
        arguments: [
            "file:///etc/hostname", "ftp://127.0.0.1/list", "https://me@127.0.0.1/list", "nothing", "",
        ])
    func scheme(_ url: String) async throws {
        let client = client()
        let request = ClientRequest(url, headers: [], limits: Self.limits)
        #expect(await error { () throws(ClientError) in try await client.send(request) } != nil)
        await client.close()
    }
}
