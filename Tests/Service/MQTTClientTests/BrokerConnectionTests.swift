import Deadlines
import Foundation
import MQTTClient
import Testing

@Suite("A connection to the broker")
struct BrokerConnectionTests {
    private let files: BrokerFiles

    init() throws {
        files = try BrokerFiles()
    }

    private func settings(_ port: Int32, _ protection: BrokerProtection) -> BrokerConnection.Settings {
        BrokerConnection.Settings(
            host: "127.0.0.1", port: Int64(port), protection: protection,
            login: BrokerLogin(user: "x", password: "x"), client: "test")
    }

    private func settings(_ port: Int32) -> BrokerConnection.Settings {
        settings(port, files.protection(isClient: true))
    }

    @Test("A broker that does not answer is left at once, and holds no thread", arguments: [false, true])
    func mute(_ isFull: Bool) async throws {
        let broker = try SilentServer(isFull: isFull)
        let connection = try #require(BrokerConnection(settings(broker.port)))
        connection.start()
        // Nothing shows that it connects by now.
        try await Task.sleep(for: .milliseconds(300))
        let begin = ContinuousClock.now
        await connection.stop()
        for await event in connection.events { #expect(event == .ended) }
        #expect(ContinuousClock.now - begin < .seconds(20))
    }

    @Test("Files that libmosquitto does not take are refused, again and again; those that it takes are not")
    func refusedFiles() throws {
        #expect(BrokerConnection(settings(1)) != nil)
        #expect(BrokerConnection(settings(1, files.protection())) != nil, "without a client certificate")
        #expect(BrokerConnection(settings(1, .unencrypted)) != nil)
        let absent = settings(1, files.protection("absent.pem", isClient: true))
        // What is freed twice ends the process sooner or later.
        for _ in 0..<100 { #expect(BrokerConnection(absent) == nil) }
    }

    @Test("What is wrong with the broker is said once, again after a connection, and another fault at once")
    func remarks() {
        var remark = BrokerRemark()
        #expect(remark.isNews("one") && !remark.isNews("one") && remark.isNews("two") && remark.isNews("one"))
        remark.clear()
        #expect(remark.isNews("one") && !remark.isNews("one"))
    }

    @Test("Where nobody listens the connection is over at once", arguments: [false, true])
    func refused(_ isEncrypted: Bool) async throws {
        // A port that was free a moment ago.
        let port = try { try SilentServer(isFull: false).port }()
        let protection = isEncrypted ? files.protection() : .unencrypted
        let connection = try #require(BrokerConnection(settings(port, protection)))
        let begin = ContinuousClock.now
        connection.start()
        for await event in connection.events { #expect(event == .ended) }
        #expect(ContinuousClock.now - begin < .seconds(30))
        await connection.stop()
    }

    @Test("A description shows no user and no password")
    func redacted() {
        let login = BrokerLogin(user: "till-7", password: "secret-of-the-till")
        var settings = settings(1)
        settings.login = login
        var dumped = ""
        dump(settings, to: &dumped)
        for text in ["\(login)", "\(settings)", dumped] {
            #expect(!text.contains("till-7") && !text.contains("secret-of-the-till"))
        }
    }
}
