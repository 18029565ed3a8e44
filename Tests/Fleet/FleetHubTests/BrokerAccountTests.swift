import Fleet
import JSON
import Synchronization
import Testing

@testable import FleetHub

@Suite("Accounts at the broker")
struct BrokerAccountTests {
    private let topics: FleetTopics
    private let broker = FakeBroker()

    init() throws { topics = FleetTopics(try #require(FleetName("utopia"))) }

    private func accounts(_ timeout: Duration = .seconds(20)) async -> BrokerAccounts {
        let accounts = BrokerAccounts(topics, answerTimeout: timeout)
        let broker = broker
        await accounts.setSender { commands in broker.take(commands, answeredTo: accounts) }
        return accounts
    }

    private func kiosk(_ name: String) throws -> FleetName { try #require(FleetName(name)) }

    @Test("A kiosk gets its account once the broker has answered")
    func made() async throws {
        let accounts = await accounts()
        let isMade = await accounts.make(try kiosk("till-1"), password: "secret")
        #expect(isMade)
        #expect(broker.passwords == ["kiosk-till-1": "secret"])
        #expect(broker.isAnswered)
    }

    @Test("A kiosk that has an account gets another password")
    func changed() async throws {
        let accounts = await accounts()
        for password in ["first", "second"] {
            let isMade = await accounts.make(try kiosk("till-1"), password: password)
            #expect(isMade)
        }
        #expect(broker.passwords == ["kiosk-till-1": "second"])
    }

    @Test(
        "Without an answer, with a refusal, and with an answer to another question there is no account",
        arguments: [FakeBroker.Kind.silent, .refusing, .confused, .malformed])
    func refused(_ kind: FakeBroker.Kind) async throws {
        broker.become(kind)
        let accounts = await accounts(.milliseconds(200))
        let isMade = await accounts.make(try kiosk("till-1"), password: "secret")
        #expect(!isMade)
        // The next one is made once the broker is as it should be.
        broker.become(.honest)
        let isNextMade = await accounts.make(try kiosk("till-2"), password: "secret")
        #expect(isNextMade)
    }

    @Test("Without a connection nobody waits, and one that ends leaves nobody waiting")
    func unconnected() async throws {
        let accounts = BrokerAccounts(topics)
        let isMade = await accounts.make(try kiosk("till-1"), password: "secret")
        #expect(!isMade)
        await accounts.setSender { _ in
            Task { await accounts.setSender(nil) }
            return true
        }
        let isMadeThen = await accounts.make(try kiosk("till-1"), password: "secret")
        #expect(!isMadeThen)
    }

    @Test("The broker says to all hubs what it answers to one: another hub's answers are not this one's")
    func others() async throws {
        let (own, other) = (await accounts(), BrokerAccounts(topics, answerTimeout: .milliseconds(200)))
        let (broker, kiosk) = (broker, try kiosk("till-1"))
        // The other hub hears what is answered to this one, and its own questions are not answered.
        await own.setSender { commands in broker.take(commands, answeredTo: own, other) }
        await other.setSender { _ in true }
        async let isMade = own.make(kiosk, password: "own")
        async let isMadeByOther = other.make(kiosk, password: "other")
        #expect(await isMade)
        #expect(await !isMadeByOther)
    }

    @Test("Two hundred kiosks at once get their accounts, sixteen of them in one message")
    func many() async throws {
        let accounts = await accounts()
        let names = try (0..<200).map { try kiosk("k\($0)") }
        await withTaskGroup(of: Bool.self) { group in
            for name in names { group.addTask { await accounts.make(name, password: "of-\(name)") } }
            for await isMade in group { #expect(isMade) }
        }
        #expect(broker.passwords.count == 200)
        #expect(broker.passwords["kiosk-k7"] == "of-k7")
        #expect(broker.mostAtOnce <= 16)
    }
}

/// The dynamic security plugin as far as accounts go.
final class FakeBroker: Sendable {
    enum Kind: Sendable { case honest, silent, refusing, confused, malformed }

    private struct State {
        var kind = Kind.honest
        var passwords: [String: String] = [:]
        var mostAtOnce = 0
        var isAnswered = false
    }

    private let state = Mutex(State())

    var passwords: [String: String] { state.withLock { $0.passwords } }
    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }
    var isAnswered: Bool { state.withLock { $0.isAnswered } }

    func become(_ kind: Kind) { state.withLock { $0.kind = kind } }

    func take(_ commands: [JSONValue], answeredTo accounts: BrokerAccounts...) -> Bool {
        let (answers, kind) = state.withLock { state in
            let answers = commands.map { Self.answer($0, &state) }
            state.mostAtOnce = max(
                state.mostAtOnce, commands.filter { $0.text.contains("correlationData") }.count)
            return (answers, state.kind)
        }
        guard kind != .silent else { return true }
        let text = kind == .malformed ? "{\"responses\": [7, {\"correlationData\": 1}]" : ""
        let payload =
            kind == .malformed ? Array(text.utf8) : (["responses": .array(answers)] as JSONValue).utf8
        state.withLock { $0.isAnswered = true }
        Task { for hub in accounts { await hub.receive(payload) } }
        return true
    }

    private static func answer(_ command: JSONValue, _ state: inout State) -> JSONValue {
        let members = Dictionary(uniqueKeysWithValues: Self.texts(of: command))
        var answer: [(String, JSONValue)] = [("command", .string(members["command"] ?? ""))]
        if let text = members["correlationData"] {
            answer.append(("correlationData", .string(state.kind == .confused ? "0.\(text)" : text)))
        }
        let user = members["username"] ?? ""
        switch (members["command"], state.kind) {
        case ("createClient", .honest) where state.passwords[user] == nil,
            ("setClientPassword", .honest) where state.passwords[user] != nil:
            state.passwords[user] = members["password"]
        case ("createRole", _), (_, .confused): break
        default: answer.append(("error", .string("no")))
        }
        return .object(answer)
    }

    private static func texts(of command: JSONValue) -> [(String, String)] {
        guard case .object(let members) = command else { return [] }
        return members.compactMap { name, value in
            if case .string(let text) = value { (name, text) } else { nil }
        }
    }
}
