import Deadlines
import MQTTClient
import Testing

@Suite("A real broker", .enabled(if: RunningBroker.isThere, RunningBroker.missing))
struct MosquittoTests {
    /// The events until the broker has accepted or refused the client, or the connection has ended.
    private func firstEvent(_ settings: BrokerConnection.Settings) async throws -> BrokerEvent? {
        let connection = try #require(BrokerConnection(settings))
        connection.start()
        let first = try await withDeadline("the broker's answer") {
            await connection.events.first { _ in true }
        }
        await connection.stop()
        return first
    }

    @Test("TLS without a client certificate connects if the roots and the host name are right")
    func serverTLS() async throws {
        let files = try BrokerFiles()
        let broker = try await RunningBroker.withTLS(files)
        #expect(try await firstEvent(broker.settings(files.protection())) == .connected)
        #expect(try await firstEvent(broker.settings(files.protection("other-root.pem"))) == .ended)
        #expect(try await firstEvent(broker.settings(.unencrypted)) == .ended)
        let elsewhere = try await RunningBroker.withTLS(files, certificate: "elsewhere")
        #expect(try await firstEvent(elsewhere.settings(files.protection())) == .ended)
    }

    @Test("The system's roots do not vouch for a broker with a certificate authority of its own")
    func systemRoots() async throws {
        let files = try BrokerFiles()
        let broker = try await RunningBroker.withTLS(files)
        let settings = broker.settings(.tls(roots: .system, certificate: nil))
        // Without ca-certificates libmosquitto refuses the settings, and there is no connection either.
        guard BrokerConnection(settings) != nil else { return }
        #expect(try await firstEvent(settings) == .ended)
    }

    @Test("A broker that requires a client certificate accepts the client that has one")
    func clientTLS() async throws {
        let files = try BrokerFiles()
        let broker = try await RunningBroker.withTLS(files, requiresClient: true)
        #expect(try await firstEvent(broker.settings(files.protection(isClient: true))) == .connected)
        #expect(try await firstEvent(broker.settings(files.protection())) == .ended)
    }

    @Test("A broker that knows its users refuses a wrong password, and a client without a name")
    func login() async throws {
        let broker = try await RunningBroker(users: ["till": "secret"])
        let logins = [
            BrokerLogin(user: "till", password: "secret"), BrokerLogin(user: "till", password: "wrong"), nil,
        ]
        var events: [BrokerEvent?] = []
        for login in logins { events.append(try await firstEvent(broker.settings(login: login))) }
        #expect(events == [.connected, .refused(code: 5), .refused(code: 5)])
    }

    @Test("A stored message is marked as such; a message that comes while subscribed is not")
    func retained() async throws {
        let broker = try await RunningBroker()
        try broker.publish("old", to: "a", isRetained: true)
        let connection = try #require(BrokerConnection(broker.settings()))
        connection.start()
        let messages = try await withDeadline("two messages") {
            var messages: [BrokerEvent] = []
            for await event in connection.events {
                switch event {
                case .connected: connection.subscribe(to: "a")
                case .message:
                    messages.append(event)
                    if messages.count == 2 { return messages }
                    // The broker stores this message too, and passes it on as a live one.
                    try broker.publish("new", to: "a", isRetained: true)
                default: break
                }
            }
            return messages
        }
        await connection.stop()
        #expect(
            messages == [
                .message(topic: "a", payload: Array("old".utf8), isRetained: true),
                .message(topic: "a", payload: Array("new".utf8), isRetained: false),
            ])
    }
}
