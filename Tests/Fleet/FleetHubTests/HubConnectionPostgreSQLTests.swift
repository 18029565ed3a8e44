import Deadlines
import Fleet
import ReaderStore
import Testing

@testable import FleetHub

@Suite("Connections to a hub, with a real PostgreSQL")
struct HubConnectionPostgreSQLTests {
    @Test(
        "A client that requests much and reads nothing is disconnected; a client that reads gets the whole answer"
    )
    func unread() async throws {
        try await RunningHub.run(writeTimeout: .seconds(1)) { hub in
            let requests = 2000
            for isReading in [true, false] {
                let client = try await RawClient.open(hub.port)
                defer { client.close() }
                let request = "GET /page/look.css HTTP/1.1\r\nHost: hub\r\n\r\n"
                client.send(request)
                try await until("an answer") { client.count > 10_000 }
                try await client.setReading(isReading)
                client.send(String(repeating: request, count: requests))
                guard !isReading else {
                    try await until("all answers") { client.count > 10_000 * requests }
                    continue
                }
                try await Task.sleep(for: .seconds(4))
                // Now it reads what was on its way, and the end.
                try await client.setReading(true)
                try await until("the end", within: .seconds(10)) { !client.isOpen }
                #expect(client.count < 10_000 * requests)
            }
        }
    }

    @Test(
        "After a problem, the hub reads only the part of the body that is on its way, and answers no further request",
        arguments: ["POST /fleet/v1/receipts", "POST /nowhere"])
    func endlessBody(_ request: String) async throws {
        try await RunningHub.run { hub in
            let client = try await RawClient.open(hub.port)
            defer { client.close() }
            client.send("\(request) HTTP/1.1\r\nHost: hub\r\nContent-Length: 1000000000000\r\n\r\n")
            let sending = Task {
                while client.isOpen {
                    client.send(String(repeating: "x", count: 1000))
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            defer { sending.cancel() }
            try await until("the end", within: .seconds(10)) { !client.isOpen }
            #expect(client.beginning.hasPrefix("HTTP/1.1 40"))
            #expect(client.beginning.lowercased().contains("connection: close"))
        }
    }

    @Test("An operator's token follows Bearer in capital or small letters, and no other scheme")
    func operatorToken() async throws {
        try await RunningHub.run { hub in
            let token = RunningHub.operatorToken
            for (credentials, status) in [
                ("Bearer \(token)", 200), ("bearer \(token)", 200), ("BEARER \(token)", 200),
                ("Basic \(token)", 401), ("Bearer \(token)x", 401), (token, 401),
            ] {
                let client = try await RawClient.open(hub.port)
                defer { client.close() }
                client.send("GET /metrics HTTP/1.1\r\nHost: hub\r\nAuthorization: \(credentials)\r\n\r\n")
                try await until("the answer") { client.beginning.contains("\r\n\r\n") }
                #expect(client.beginning.hasPrefix("HTTP/1.1 \(status) "), "\(credentials)")
            }
        }
    }

    @Test("A question that comes with one that is refused gets no answer")
    func afterProblem() async throws {
        try await RunningHub.run { hub in
            let client = try await RawClient.open(hub.port)
            defer { client.close() }
            client.send("GET /nowhere HTTP/1.1\r\nHost: hub\r\n\r\n")
            try await until("the answer") { client.beginning.contains("notFound") }
            client.send("GET /healthz HTTP/1.1\r\nHost: hub\r\n\r\n")
            try await until("the end", within: .seconds(10)) { !client.isOpen }
            #expect(!client.beginning.contains("200 OK"))
        }
    }

    @Test(
        "A hub whose database takes no changes is not healthy; one whose database does is, and nothing is changed"
    )
    func unwritable() async throws {
        for isReadOnly in [false, true] {
            let bench = try await HubBench(isReadOnly ? " options='-c default_transaction_read_only=on'" : "")
            let number = "SELECT last_value, is_called FROM countersign_fleet_change"
            let before = try await bench.pool.rows(number)
            if isReadOnly {
                await #expect(throws: PostgreSQLError.failed(code: "25006")) {
                    try await bench.database.ping()
                }
            } else {
                try await bench.database.ping()
            }
            #expect(try await bench.pool.rows(number) == before)
        }
    }
}
