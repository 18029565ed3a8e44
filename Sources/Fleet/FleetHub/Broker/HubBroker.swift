package import Fleet
internal import JSON
package import Logging
internal import MQTTClient
package import MdocModel
internal import OpenSSLCrypto
internal import ReaderStore
internal import ServiceLifecycle
internal import Synchronization

/// A hub's connection to the broker: receives presences (the messages that say whether a kiosk is online),
/// publishes change notices, and manages kiosks' accounts through mosquitto's dynamic security plugin.
///
/// `run` maintains a connection and, twice a second, writes presences to the database and performs the queued
/// tasks. Several hubs do this at the same time. Two hubs may perform the same task, because performing it a
/// second time has no further effect.
///
/// - A task leaves the database only after the broker has acknowledged its message, so a crash repeats a task
///   instead of losing it.
/// - After each new connection, the hub removes the accounts of all kiosks that must have no account, because
///   a broker that was restored from a backup may have such accounts again.
/// - Messages from the broker are untrusted. A message can set only a kiosk's presence and version. Malformed
///   messages are ignored, and logged a limited number of times.
///
/// The state is behind one lock, because the connection's events, the task loop and HTTP requests
/// (`makeAccount`) use the state from different threads.
package final class HubBroker: Service {
    /// The prefix of the account names of kiosks at the broker. The name of the hubs' account must not begin
    /// with this prefix.
    package static let kioskUserPrefix = "kiosk-"

    private static let role = "countersign-hub"
    /// The time between two runs of the task loop. Each run writes the received presences to the database and
    /// performs the queued tasks.
    private static let interval = Duration.milliseconds(500)
    /// The maximum number of tasks that are read from the database at once.
    private static let tasksAtOnce: Int64 = 500
    /// The maximum number of accounts that one message removes.
    private static let removalsAtOnce: Int64 = 50
    /// The maximum number of kiosks' presence messages that wait until they are written to the database.
    /// Above this number, messages of other kiosks are dropped.
    private static let mostPresences = 100_000
    /// The maximum number of kiosks for which one connection logs a malformed presence.
    private static let mostIgnored = 100
    /// The number of kiosks that should send a request to the hubs in one second after a notice to all
    /// kiosks. The time over which the kiosks spread their requests follows from this number.
    private static let kiosksPerSecond: Int64 = 250

    private struct State {
        var connection: BrokerConnection?
        var presences: [FleetName: KioskPresence] = [:]
        /// The tasks whose message the broker has not acknowledged yet, by the message's number.
        var pending: [Int32: BrokerTasks.Entry] = [:]
        /// The numbers of tasks that are done and still in the database.
        var done: Set<Int64> = []
        /// Whether this connection has sent the commands that remove the accounts of all kiosks that must
        /// have no account.
        var isCleared = false
        var remark = BrokerRemark()
        /// The topics for which a malformed presence was logged.
        var ignored: Set<String> = []
    }

    private let settings: FleetBrokerSettings
    private let database: HubDatabase
    private let topics: FleetTopics
    private let log: Logger
    private let now: @Sendable () -> Timestamp
    private let state = Mutex(State())
    private let accounts: BrokerAccounts

    package init(
        _ settings: FleetBrokerSettings, _ database: HubDatabase, log: Logger,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.settings = settings
        self.database = database
        self.log = log
        self.now = now
        topics = FleetTopics(database.chain)
        accounts = BrokerAccounts(topics)
    }

    /// Maintains the connection and performs tasks until the program shuts down.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.stayConnected() }
                group.addTask { await self.work() }
            }
        }
    }

    // MARK: The connection

    /// Connects again and again until the task is cancelled.
    private func stayConnected() async {
        while !Task.isCancelled {
            await connect()
            // The pause is random, so that several hubs do not reconnect to a restarted broker at the same
            // time.
            try? await Task.sleep(for: .seconds(1) * Double.random(in: 0.5...2))
        }
    }

    /// Makes one connection to the broker and handles its events until the connection ends.
    private func connect() async {
        guard let connection = settings.newConnection() else {
            return remark(
                "libmosquitto does not accept the files that authority.certificate and the section \"broker\" name, or this process has no file descriptor left: run countersign-hub doctor"
            )
        }
        connection.start()
        // Whether the broker has accepted or refused this hub. If the connection ends before that, the end is
        // logged.
        var isAnswered = false
        await withTaskCancellationHandler {
            for await event in connection.events {
                switch event {
                case .connected:
                    isAnswered = true
                    begin(on: connection)
                    await accounts.setSender { BrokerCommands.send($0, on: connection) != nil }
                case .refused(let code):
                    isAnswered = true
                    // Return codes of MQTT 3.1.1, section 3.2.2.3: 4 is a bad user name or password, 5 is not
                    // authorised.
                    let advice =
                        code == 4 || code == 5
                        ? "compare broker.user and broker.passwordFile with the hub's account at the broker"
                        : "see the log of mosquitto"
                    remark("the broker refuses this hub with the code \(code): \(advice)")
                case .message(BrokerCommands.answers, let payload, _): await accounts.receive(payload)
                case .message(let topic, let payload, _): receivePresence(topic, payload)
                case .acknowledged(let number): acknowledged(number)
                case .ended where !isAnswered && !Task.isCancelled:
                    remark(
                        "no connection to the broker \(settings.host):\(settings.port): check that mosquitto is running, then run countersign-hub doctor"
                    )
                case .ended: break
                }
            }
        } onCancel: {
            Task { await connection.stop() }
        }
        // Messages that the broker did not acknowledge before the connection ended may be lost. The tasks of
        // these messages are still in the database and are performed again.
        state.withLock { state in
            state.connection = nil
            state.pending = [:]
        }
        await accounts.setSender(nil)
        await connection.stop()
    }

    /// Logs a fault of the broker. A repeated fault is logged only once, until another fault occurs or a
    /// connection is made.
    private func remark(_ text: String) {
        if state.withLock({ $0.remark.isNews(text) }) { log.error("\(text)") }
    }

    /// Gives the hubs' account the rights that it needs, and subscribes to presences and to the plugin's
    /// answers. At a new broker the account lacks these rights until the first hub has connected.
    private func begin(on connection: BrokerConnection) {
        log.notice("connected to the broker")
        let acls = JSONValue.array([
            BrokerCommands.allow("publishClientSend", topics.notice),
            BrokerCommands.allow("publishClientSend", "\(topics.root)/kiosk/+/notice"),
            // A hub that removes a kiosk's account also publishes that the kiosk is offline.
            BrokerCommands.allow("publishClientSend", topics.allPresences),
            BrokerCommands.allow("subscribePattern", topics.allPresences),
        ])
        BrokerCommands.send(
            [
                BrokerCommands.command("createRole", [("rolename", .string(Self.role)), ("acls", acls)]),
                BrokerCommands.command(
                    "addClientRole",
                    [("username", .string(settings.user)), ("rolename", .string(Self.role))]),
            ], on: connection)
        connection.subscribe(to: BrokerCommands.answers)
        connection.subscribe(to: topics.allPresences)
        state.withLock { state in
            state.connection = connection
            state.isCleared = false
            state.remark.clear()
            state.ignored = []
        }
    }

    /// Stores a kiosk's presence until `keepPresences` writes the presence to the database. A malformed
    /// presence is logged once for each topic.
    private func receivePresence(_ topic: String, _ payload: [UInt8]) {
        guard let kiosk = topics.kiosk(ofPresence: topic), let presence = KioskPresence(payload) else {
            let isNews = state.withLock { state in
                state.ignored.count < Self.mostIgnored && state.ignored.insert(topic).inserted
            }
            guard isNews else { return }
            return log.warning(
                "a malformed presence message is ignored", metadata: ["topic": "\(Terminal.safe(topic))"])
        }
        state.withLock { state in
            // A newer presence replaces the waiting presence of the same kiosk. It is therefore stored even
            // if the maximum is reached.
            guard state.presences.count < Self.mostPresences || state.presences[kiosk] != nil else { return }
            state.presences[kiosk] = presence
        }
    }

    // MARK: Kiosks

    /// Creates an account with a new password for a kiosk. Returns `nil` if the broker does not confirm the
    /// account.
    func makeAccount(of kiosk: FleetName) async -> BrokerAccess? {
        guard let password = (try? randomBytes(24))?.hexadecimal,
            await accounts.make(kiosk, password: password)
        else { return nil }
        return BrokerAccess(
            host: settings.host, port: settings.port, user: BrokerCommands.user(of: kiosk), password: password
        )
    }

    // MARK: Tasks

    /// Writes presences to the database and performs tasks, twice a second, until the task is cancelled.
    private func work() async {
        // An error that occurs several times in a row is logged once.
        var last: PostgreSQLError?
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.interval)
            // A fault with presences must not delay tasks, such as the removal of a revoked kiosk's account.
            let keeping = await fault { () throws(PostgreSQLError) in try await keepPresences() }
            let working = await fault { () throws(PostgreSQLError) in try await doTasks() }
            let fault = working ?? keeping
            if let fault, fault != last {
                log.warning(
                    "a database task of the hub failed and is tried again",
                    metadata: ["why": "\(fault.explanation)"])
            }
            last = fault
            // After an error of the database, the next round waits longer.
            if fault != nil { try? await Task.sleep(for: .seconds(2)) }
        }
    }

    /// Runs `body` and returns its error, or `nil` if it succeeds.
    private func fault(_ body: () async throws(PostgreSQLError) -> Void) async -> PostgreSQLError? {
        do throws(PostgreSQLError) {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    /// Writes all waiting presences to the database.
    private func keepPresences() async throws(PostgreSQLError) {
        let presences = state.withLock { state in
            defer { state.presences = [:] }
            return state.presences
        }
        guard !presences.isEmpty else { return }
        do throws(PostgreSQLError) {
            try await database.kiosks.record(presences, at: now())
        } catch {
            // If the database refuses presences because of their content, it would refuse them again, so
            // these presences are dropped. Other presences are tried again, unless a newer presence of the
            // kiosk has arrived.
            if !error.isOfData { state.withLock { $0.presences.merge(presences) { newer, _ in newer } } }
            throw error
        }
    }

    /// Deletes finished tasks and sends the messages of waiting tasks to the broker. Without a connection to
    /// the broker, all tasks wait.
    private func doTasks() async throws(PostgreSQLError) {
        try await finishTasks()
        let (current, isCleared) = state.withLock { ($0.connection, $0.isCleared) }
        guard let connection = current else { return }
        if !isCleared { try await clearAccounts(on: connection) }
        let tasks = try await database.tasks.oldest(atMost: Self.tasksAtOnce)
        guard !tasks.isEmpty else { return }
        let (change, kiosks) = try await database.tasks.nextChange()
        // A task is not sent again while its message is unacknowledged, or while the finished task is still
        // in the database.
        let pending = state.withLock { Set($0.pending.values.map(\.number)).union($0.done) }
        for task in tasks where !pending.contains(task.number) {
            // The lock is held while sending, because the acknowledgement can arrive on another thread before
            // `perform` returns.
            let isSent = state.withLock { state in
                guard let number = perform(task, as: change, among: kiosks, on: connection) else {
                    return false
                }
                state.pending[number] = task
                return true
            }
            guard isSent else { return }
        }
    }

    /// Removes the accounts of all kiosks that must have no account. A broker that was restored from a
    /// backup, or whose disk was full, may have such accounts again.
    private func clearAccounts(on connection: BrokerConnection) async throws(PostgreSQLError) {
        var last = ""
        while true {
            let kiosks = try await database.tasks.kiosksWithoutAccount(
                after: last, atMost: Self.removalsAtOnce)
            guard let next = kiosks.last else { break }
            guard BrokerCommands.send(kiosks.flatMap(BrokerCommands.removeAccount), on: connection) != nil
            else { return }
            last = next.text
        }
        // `connection` may have been replaced in the meantime. On the new connection, no account has been
        // removed yet.
        state.withLock { if $0.connection === connection { $0.isCleared = true } }
    }

    /// Sends the messages of one task to the broker: a change notice, or the removal of a kiosk's account. A
    /// change notice is retained, so that a kiosk that is offline gets it when it connects again.
    ///
    /// - Parameters:
    ///   - change: The number in a change notice.
    ///   - kiosks: The number of active kiosks. It determines for how long the kiosks spread their requests
    ///     after a notice to all kiosks.
    /// - Returns: The number of the last message, which the broker acknowledges, or `nil` without a
    ///   connection.
    private func perform(
        _ task: BrokerTasks.Entry, as change: Int64, among kiosks: Int64, on connection: BrokerConnection
    ) -> Int32? {
        switch (task.kind, task.kiosk) {
        case (.remove, let kiosk?):
            // After the notice, the kiosk sends the hub a request, and learns from the refusal that it is
            // revoked. The broker publishes no will for a client whose account is removed, so the hub itself
            // publishes that the kiosk is offline.
            connection.publish(
                ChangeNotice(change: change, spreadSeconds: 0).payload, to: topics.notice(for: kiosk),
                isRetained: true)
            connection.publish(
                KioskPresence.offline.payload, to: topics.presence(of: kiosk), isRetained: true)
            return BrokerCommands.send(BrokerCommands.removeAccount(of: kiosk), on: connection)
        case (_, let kiosk?):
            let notice = ChangeNotice(change: change, spreadSeconds: 0)
            return connection.publish(notice.payload, to: topics.notice(for: kiosk), isRetained: true)
        // A task without a kiosk is a notice to all kiosks, because a removal always has a kiosk.
        case (_, nil):
            let spread = min(kiosks / Self.kiosksPerSecond, ChangeNotice.widestSpread)
            let notice = ChangeNotice(change: change, spreadSeconds: spread)
            return connection.publish(notice.payload, to: topics.notice, isRetained: true)
        }
    }

    /// Marks the task of an acknowledged message as done. `finishTasks` deletes the task later.
    private func acknowledged(_ number: Int32) {
        state.withLock { state in
            if let task = state.pending.removeValue(forKey: number) { state.done.insert(task.number) }
        }
    }

    /// Deletes finished tasks from the database. Before the deletion, another hub may perform a task once
    /// more. The repeated task has no further effect.
    private func finishTasks() async throws(PostgreSQLError) {
        let done = state.withLock { $0.done }
        guard !done.isEmpty else { return }
        try await database.tasks.finish(done)
        state.withLock { state in state.done.subtract(done) }
    }
}

extension PostgreSQLError {
    /// Whether the error says that the database refuses a value (class 22 of SQLSTATE). Such a value would be
    /// refused again.
    var isOfData: Bool {
        if case .failed(let code) = self { code.hasPrefix("22") } else { false }
    }
}

extension FleetBrokerSettings {
    /// Creates a connection with a unique client identifier, because the broker ends a connection when
    /// another client with its identifier connects. `nil` if libmosquitto does not accept the settings.
    func newConnection() -> BrokerConnection? {
        var own = self
        // If the system supplies no random bytes, two hubs may get the same client identifier. The broker
        // then ends the connection of one hub whenever the other connects, until random bytes are available
        // again.
        own.client += "-" + ((try? randomBytes(8))?.hexadecimal ?? "")
        return BrokerConnection(own.connection)
    }
}
