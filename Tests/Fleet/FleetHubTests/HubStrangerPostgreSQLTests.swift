import Deadlines
import Foundation
import HTTPServing
import Logging
import MdocModel
import PKIX
import ReaderStore
import Synchronization
import Testing
import Transport

@testable import Fleet
@testable import FleetHub

/// Callers without a certificate, at a hub over TLS with a real PostgreSQL.
@Suite("Strangers keep no kiosk out of a hub")
struct HubStrangerPostgreSQLTests {
    struct Crowd: Sendable, CustomTestStringConvertible {
        let places: Int
        let count: Int
        let habit: StrangerCrowd.Habit

        var testDescription: String { "\(count) \(habit) at \(places) places" }

        static let all =
            StrangerCrowd.Habit.allCases.map { Crowd(places: 16, count: 400, habit: $0) } + [
                Crowd(places: 16, count: 16, habit: .slowHandshake),
                Crowd(places: 4096, count: 4300, habit: .idle),
                Crowd(places: 512, count: 600, habit: .slowHandshake),
            ]
    }

    /// The time that a connection of a stranger may take and stay. The tests decide by the number of connections who
    /// loses a place. On a slow machine a handshake among thousands of strangers may take longer than the hub's own
    /// limits, and then these would decide.
    private static let patience = Duration.seconds(900)

    /// The kiosk's connections are new ones: its client is a new one each time.
    private static func newClient(of kiosk: EnrolledKiosk) throws -> HubClient {
        try HubClient(
            kiosk.settings.hubs, authority: kiosk.settings.authority,
            as: FleetFolder(store: kiosk.settings.store), timeout: .seconds(240))
    }

    @Test(
        "A kiosk gets its state and pushes its receipts although strangers occupy every place again and again",
        arguments: Crowd.all)
    func crowd(_ crowd: Crowd) async throws {
        try #require(StrangerCrowd.makeRoom(for: crowd.count), "raise the hard limit of open files")
        try await RunningHub.run(
            places: crowd.places, strangerLifetime: Self.patience, idle: Self.patience
        ) { hub in
            let kiosk = try await hub.enrolled()
            let first = try Self.newClient(of: kiosk)
            #expect(try await !HubState(first.get("/fleet/v1/state")).isStopped)
            let receipts = try ReceiptStore(receipts: 3)
            let pem = try receipts.store.receiptKeys().flatMap { try $0.pem() }
            let strangers = StrangerCrowd(crowd.count, crowd.habit, at: hub.port)
            defer { strangers.end() }
            // The hub's places for strangers. After all strangers came, the others have made room.
            let most = max(crowd.places / 2, 256)
            try await until("the crowd", within: .seconds(300)) {
                strangers.openedCount >= crowd.count && strangers.closedCount >= crowd.count - most
            }
            for round in 0..<5 {
                // At most as many new strangers during this handshake as leave the kiosk its place on any
                // machine. With as many as the hub has places, the outcome would depend on who is faster.
                let before = strangers.openedCount
                strangers.reopen(most * 3 / 4)
                // With fewer strangers than places, the hub closes none, so none comes again.
                if crowd.count > most {
                    try await until("new strangers") { strangers.openedCount > before }
                }
                let client = try Self.newClient(of: kiosk)
                let state = await refusal(client) { try await $0.get("/fleet/v1/state") }
                #expect(state.hasSuffix(" bytes"), "round \(round): \(state)")
                if round == 0 {
                    let pushed = await refusal(client) {
                        _ = try await $0.post(
                            "/fleet/v1/receipt-keys", pem, type: "application/x-pem-file")
                        return try await $0.post(
                            "/fleet/v1/receipts", ReceiptChain(receipts.links).encoded(),
                            type: "application/cbor")
                    }
                    #expect(pushed.hasSuffix(" bytes"), "\(pushed)")
                    #expect(try await hub.database.receipts.count(of: kiosk.name) == 3)
                }
                await client.end()
            }
            // The client that the kiosk had before the crowd came is as good as a new one.
            strangers.reopen(0)
            #expect(try await !HubState(first.get("/fleet/v1/state")).isStopped)
            await first.end()
        }
    }

    @Test(
        "A stranger's connection ends soon whatever is asked on it; that of a kiosk or an operator does not")
    func lifetime() async throws {
        try await RunningHub.run(strangerLifetime: .seconds(2)) { hub in
            let stranger = try await RawClient.open(hub.port)
            let known = try await RawClient.open(hub.port)
            defer { for client in [stranger, known] { client.close() } }
            let began = ContinuousClock.now
            while stranger.isOpen, ContinuousClock.now - began < .seconds(20) {
                stranger.send("GET /page/look.css HTTP/1.1\r\nHost: hub\r\n\r\n")
                known.send(
                    "GET /metrics HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer \(RunningHub.operatorToken)\r\n\r\n"
                )
                try await Task.sleep(for: .milliseconds(200))
            }
            #expect(!stranger.isOpen)
            #expect(stranger.beginning.hasPrefix("HTTP/1.1 200 "))
            let before = known.count
            known.send("GET /page/look.css HTTP/1.1\r\nHost: hub\r\n\r\n")
            try await until("an answer") { known.count > before }
        }
    }

    @Test(
        "One kiosk's key gets only a share of the places, and each further connection closes its own oldest one"
    )
    func share() async throws {
        try await RunningHub.run(places: 64) { hub in
            let (greedy, other) = (try await hub.enrolled(), try await hub.enrolled())
            var clients: [RawClient] = []
            defer { for client in clients { client.close() } }
            for _ in 0..<60 {
                let client = try await RawClient.open(hub.port, as: greedy)
                client.send("GET /fleet/v1/state HTTP/1.1\r\nHost: hub\r\n\r\n")
                try await until("the state") { client.beginning.hasPrefix("HTTP/1.1 200 ") }
                clients.append(client)
            }
            let all = clients
            try await until("the oldest connections to end") { all.count { $0.isOpen } <= 16 }
            #expect(all.last?.isOpen == true && all.first?.isOpen == false)
            #expect(try await !HubState(other.client.get("/fleet/v1/state")).isStopped)
        }
    }

    @Test(
        "Kiosks and strangers have separate places, and the client with the most connections loses its oldest one"
    )
    func knownPlaces() async throws {
        try await RunningHub.run(places: 4) { hub in
            var kiosks: [EnrolledKiosk] = []
            for _ in 0..<3 { kiosks.append(try await hub.enrolled()) }
            var clients: [(kiosk: Int, client: RawClient)] = []
            defer { for one in clients { one.client.close() } }
            for (kiosk, count) in [(0, 10), (1, 2)] {
                for _ in 0..<count {
                    let client = try await RawClient.open(hub.port, as: kiosks[kiosk])
                    client.send("GET /fleet/v1/state HTTP/1.1\r\nHost: hub\r\n\r\n")
                    try await until("the state") { client.beginning.hasPrefix("HTTP/1.1 200 ") }
                    clients.append((kiosk, client))
                }
            }
            let all = clients
            try await until("the oldest to end") { all.count { $0.client.isOpen } <= 4 }
            #expect(all.filter { $0.kiosk == 1 }.allSatisfy { $0.client.isOpen })
            #expect(all.count { $0.kiosk == 0 && $0.client.isOpen } == 2 && all[9].client.isOpen)
            #expect(try await !HubState(kiosks[2].client.get("/fleet/v1/state")).isStopped)
        }
    }

    @Test(
        "At the limit, a kiosk's second connection replaces its first, and a new kiosk replaces the oldest connection"
    )
    func onePlaceEach() async throws {
        let lines = LogLines()
        try await RunningHub.run(audit: Logger(label: "test") { _ in lines.handler }, places: 16) { hub in
            var clients: [RawClient] = []
            defer { for client in clients { client.close() } }
            func connect(_ kiosk: EnrolledKiosk) async throws {
                let client = try await RawClient.open(hub.port, as: kiosk)
                client.send("GET /fleet/v1/state HTTP/1.1\r\nHost: hub\r\n\r\n")
                try await until("the state") { client.beginning.hasPrefix("HTTP/1.1 200 ") }
                clients.append(client)
            }
            var kiosks: [EnrolledKiosk] = []
            for _ in 0..<17 { kiosks.append(try await hub.enrolled()) }
            for kiosk in kiosks.prefix(16) { try await connect(kiosk) }
            #expect(clients.allSatisfy { $0.isOpen })
            for _ in 0..<3 {
                try await connect(kiosks[8])
                let all = clients
                try await until("one to end") { all.count { $0.isOpen } == 16 }
            }
            let others = clients.prefix(16).enumerated().filter { $0.offset != 8 }
            #expect(others.allSatisfy { $0.element.isOpen })
            #expect(clients.last?.isOpen == true)
            // The twin: nobody has two, so that a further kiosk needs the place of another.
            try await connect(kiosks[16])
            let all = clients
            try await until("the oldest to end") { !all[0].isOpen }
            #expect(all.count { $0.isOpen } == 16 && all.last?.isOpen == true)
            #expect(
                lines.count(
                    "all places for connections are taken: a connection was closed, or a new one was refused")
                    == 4
            )
        }
    }

    @Test("A stranger that says nothing makes room before older ones that began a handshake")
    func silent() async throws {
        try await RunningHub.run(places: 16, strangerLifetime: Self.patience, idle: Self.patience) { hub in
            let kiosk = try await hub.enrolled()
            // With the two below as many as the hub has places for strangers.
            let slow = StrangerCrowd(254, .slowHandshake, at: hub.port)
            defer { slow.end() }
            try await until("the slow ones") { slow.openedCount == 254 }
            let silent = StrangerCrowd(1, .idle, at: hub.port)
            defer { silent.end() }
            try await until("the silent one") { silent.openedCount == 1 }
            // The hub accepts connections in the order of their arrival. After an answer on a later one, it has
            // accepted the silent one too, however slow the machine is.
            let last = try await RawClient.open(hub.port)
            defer { last.close() }
            last.send("GET /page/look.css HTTP/1.1\r\nHost: hub\r\n\r\n")
            try await until("an answer", within: .seconds(300)) { last.beginning.hasPrefix("HTTP/1.1 200 ") }
            // A stranger has two seconds to say something.
            try await Task.sleep(for: .milliseconds(2500))
            let client = try Self.newClient(of: kiosk)
            #expect(try await !HubState(client.get("/fleet/v1/state")).isStopped)
            try await until("room", within: .seconds(300)) { silent.closedCount == 1 }
            #expect(slow.closedCount == 0)
            // The twin: with no silent one the oldest makes room. The kiosk's place is none of the strangers'.
            let more = StrangerCrowd(2, .slowHandshake, at: hub.port)
            defer { more.end() }
            try await until("room again", within: .seconds(300)) { slow.closedCount == 1 }
            #expect(more.closedCount == 0)
            await client.end()
        }
    }

    @Test(
        "A kiosk can renew its certificate although strangers occupy and wait for every place for first certificates"
    )
    func renewal() async throws {
        try await RunningHub.run { hub in
            let kiosk = try await hub.enrolled()
            let later: @Sendable () -> Timestamp = { hub.now().advanced(bySeconds: 86_400 * 10) }
            let (isOver, entered) = (Counter(), Counter())
            let strangers = Task {
                await withDiscardingTaskGroup { group in
                    for _ in 0..<(4 + 256) {
                        group.addTask {
                            guard await hub.routes.enrolments.enter() else { return }
                            entered.add(1)
                            while isOver.count == 0 { try? await Task.sleep(for: .milliseconds(10)) }
                            hub.routes.enrolments.leave()
                        }
                    }
                }
            }
            defer {
                isOver.add(1)
                strangers.cancel()
            }
            try await until("the strangers") { entered.count == 4 }
            let stranger = try HubClient(
                kiosk.settings.hubs, authority: kiosk.settings.authority, as: nil, timeout: .seconds(1))
            let request = try Self.request(of: kiosk)
            try await until("every place to be taken") {
                await refusal(stranger) {
                    try await $0.post("/fleet/v1/certificates", request, type: "application/pkcs10")
                } == "503 tooManyEnrolments"
            }
            let settings = hub.settings(kiosk.name, now: later)
            let folder = try FleetFolder(store: settings.store)
            #expect(try await KioskEnrolment(settings, in: folder, log: RunningHub.log).renew())
            await stranger.end()
        }
    }

    /// A certification request of a kiosk, by its key.
    private static func request(of kiosk: EnrolledKiosk) throws -> [UInt8] {
        let subject = DistinguishedName([
            (.organizationName, kiosk.settings.membership.chain.text), (.commonName, kiosk.name.text),
        ])
        return try CertificationRequest(subject: subject).sign(
            with: FleetFolder(store: kiosk.settings.store).key())
    }

    @Test(
        "A text with a NUL, or bytes that are no UTF-8, is refused as such, and never a fault of the database",
        arguments: [
            ("?after=%00", 400), ("?after=till-1%00", 400), ("?after=%ff", 400), ("?after=%C0%80", 400),
            ("?after=%ED%A0%80", 400), ("?after=%", 400), ("?after=%zz", 400), ("?after=A%20B", 400),
            ("?x=%00", 400), ("/%00", 400), ("", 200), ("?after=", 200), ("?after=till-1", 200),
            ("?after=till%2D1", 200),
        ])
    func texts(_ end: String, _ status: Int) async throws {
        try await RunningHub.run { hub in
            let client = try await RawClient.open(hub.port)
            defer { client.close() }
            client.send(
                "GET /fleet/v1/operator/kiosks\(end) HTTP/1.1\r\nHost: hub\r\n"
                    + "Authorization: Bearer \(RunningHub.operatorToken)\r\n\r\n")
            try await until("the answer") { client.beginning.contains("\r\n\r\n") }
            #expect(client.beginning.hasPrefix("HTTP/1.1 \(status) "), "\(client.beginning)")
            if status == 400 {
                try await until("the problem") { client.beginning.contains(#""id":"queryRefused""#) }
            }
        }
    }

    @Test("Who is refused again and again fills no log: the lines that were not written are counted")
    func refusals() async throws {
        let lines = LogLines()
        let log = LimitedLog(Logger(label: "test") { _ in lines.handler }, period: .milliseconds(300))
        let till = try #require(FleetName("till-1"))
        for number in 0..<100 { log.warning("a code is refused", ["number": "\(number)"]) }
        // One kiosk's lines leave out no other's.
        log.warning("a code is refused", of: till.text)
        #expect(lines.count("a code is refused") == LimitedLog.most + 1)
        try await until("the count of the others") { lines.has("notLogged", "\(100 - LimitedLog.most)") }
        log.warning("a code is refused")
        #expect(lines.count("a code is refused") == LimitedLog.most + 2)
    }

    @Test("The hub's log gets only ten lines for a hundred refused codes")
    func refusedCodes() async throws {
        let lines = LogLines()
        try await RunningHub.run(audit: Logger(label: "test") { _ in lines.handler }) { hub in
            let kiosk = try await hub.enrolled()
            let request = try Self.request(of: kiosk)
            let client = try HubClient(
                kiosk.settings.hubs, authority: kiosk.settings.authority, as: nil)
            for _ in 0..<100 {
                let found = await refusal(client) {
                    try await $0.post(
                        "/fleet/v1/certificates", request, type: "application/pkcs10",
                        headers: [("Authorization", "Bearer wrong")])
                }
                #expect(found == "403 codeRefused")
            }
            await client.end()
        }
        #expect(lines.count("a code is refused") == LimitedLog.most)
    }

    @Test("However many clients ask for the hub's health, the hub asks the database only now and then")
    func health() async throws {
        let asked = Atomic(0)
        let clock = SteppedClock()
        let health = HubHealth(now: { clock.now }) { () throws(PostgreSQLError) in
            asked.add(1, ordering: .relaxed)
            try? await Task.sleep(for: .milliseconds(50))
        }
        await withDiscardingTaskGroup { group in
            for _ in 0..<200 { group.addTask { _ = try? await health.current() } }
        }
        #expect(asked.load(ordering: .relaxed) == 1)
        clock.advance(by: HubHealth.lifetime - .milliseconds(1))
        _ = try await health.current()
        #expect(asked.load(ordering: .relaxed) == 1)
        clock.advance(by: .milliseconds(1))
        _ = try await health.current()
        #expect(asked.load(ordering: .relaxed) == 2)
        // The twin: a database that does not answer is no healthy one, and is asked no more often.
        let failing = HubHealth(now: { clock.now }) { () throws(PostgreSQLError) in
            asked.add(1, ordering: .relaxed)
            throw .unreachable
        }
        for _ in 0..<20 {
            await #expect(throws: HubProblem.databaseUnavailable(.unreachable)) {
                try await failing.current()
            }
        }
        #expect(asked.load(ordering: .relaxed) == 3)
    }
}

/// A number that several tasks count up.
private final class Counter: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .relaxed) }

    func add(_ number: Int) { value.add(number, ordering: .relaxed) }
}

/// The lines that a logger was given.
private final class LogLines: Sendable {
    private let lines = Mutex<[(message: String, metadata: Logger.Metadata)]>([])

    var handler: any LogHandler { Handler(lines: self) }

    func count(_ message: String) -> Int { lines.withLock { $0.count { $0.message == message } } }

    func has(_ name: String, _ value: String) -> Bool {
        lines.withLock { $0.contains { $0.metadata[name] == "\(value)" } }
    }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.lines.withLock { $0.append((event.message.description, event.metadata ?? [:])) }
        }
    }
}
