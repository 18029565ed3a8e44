internal import ErrorMapping
internal import JSON
internal import Logging
internal import MQTTClient
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderIdentityStore

/// A kiosk's connection to the chain's broker: publishes the kiosk's presence and receives change notices.
///
/// `FleetAgent.run` starts the follower and cancels it. When a connection ends, the follower makes a pause
/// and connects again. When the broker refuses the kiosk, the follower requests another password from the
/// hub.
///
/// The broker is not trusted. After a notice the agent only requests the desired state from the hub. A broker
/// that is down or sends false messages can only delay a change until the agent's next regular request.
actor BrokerFollower {
    /// The time over which kiosks that have lost the broker spread their requests to the hub, in seconds. All
    /// kiosks may have lost the broker at the same moment.
    private static let spread: Int64 = 10
    /// The maximum number of topics for which one connection logs a malformed message.
    private static let mostIgnored = 4

    private let settings: KioskSettings
    private let folder: FleetFolder
    private let hub: EnrolledHub
    private let agent: FleetAgent
    private let log: Logger
    private var lastRemark = BrokerRemark()
    /// The topics for which this connection has logged a malformed message.
    private var ignoredTopics: Set<String> = []

    /// - Parameters:
    ///   - hub: The hub, which supplies the kiosk's password for the broker.
    ///   - agent: The agent, which requests the desired state from the hub after a notice, and stops the
    ///     kiosk when the hub says that it is revoked.
    init(
        _ settings: KioskSettings, in folder: FleetFolder, askingAt hub: EnrolledHub, for agent: FleetAgent,
        log: Logger
    ) {
        self.settings = settings
        self.folder = folder
        self.hub = hub
        self.agent = agent
        self.log = log
    }

    /// Connects again and again until the task is cancelled. A pause before each new connection keeps a
    /// starting broker from being overloaded.
    func run() async {
        var access = folder.brokerAccess()
        // The number of attempts since the last connection that the broker accepted.
        var attempt = 0
        while !Task.isCancelled {
            do throws(HubError) {
                // A stopped kiosk makes no new connection, because it may be revoked. The kiosk learns from a
                // later regular request to the hub that the stop has ended. The error leads to the `catch`
                // below, which forgets the password, and then to the pause.
                guard await !agent.isStopped else { throw .unreachable }
                let client = try await hub.enrolledClient()
                let known: BrokerAccess
                if let access {
                    known = access
                } else {
                    let body = try await client.post(
                        "/fleet/v1/broker-password", [], type: "application/json")
                    known = try mapping(BrokerAccess(body)) { (_: JSONFault) in HubError.malformed }
                }
                // A password that was read from the folder is stored there already.
                if access != known { save(known) }
                access = known
                let outcome = await connect(with: known)
                switch outcome {
                case .served:
                    attempt = 0
                    var generator = SystemRandomNumberGenerator()
                    guard await rest(for: outcome.pause(drawnBy: &generator)) else { return }
                case .refused:
                    // A refusal means that the broker account was removed. The request to the hub shows
                    // whether this kiosk is revoked.
                    access = nil
                    save(nil)
                    await agent.askHub(withinSeconds: Self.spread)
                case .failed: break
                }
            } catch {
                // The next attempt asks the hub for a password, because the account of a stopped kiosk may
                // have been removed.
                access = nil
                if await !agent.isStopped, !Task.isCancelled {
                    remark("the kiosk has no password for the broker: \(error.explanation)")
                }
                // A revoked kiosk receives no notice, because the broker no longer accepts it. The hub's
                // error here can therefore be the first sign of the revocation.
                await agent.stop(after: error)
            }
            guard await rest(for: settings.pause(after: attempt)) else { return }
            attempt += 1
        }
    }

    /// Stores the password from the hub, or deletes it if `access` is `nil`. After a restart the kiosk uses
    /// the stored password. Otherwise a thousand kiosks that start together would all request a password from
    /// the hub.
    private func save(_ access: BrokerAccess?) {
        do throws(IdentityStoreError) {
            try folder.save(access)
        } catch {
            remark(
                "STORE/fleet/broker.json cannot be written, so the kiosk may use an old password at its next start: \(error.explanation)"
            )
        }
    }

    /// Logs a fault of the broker. A repeated fault is logged only once, until another fault occurs or a
    /// connection is made.
    private func remark(_ text: String) {
        if lastRemark.isNews(text) { log.warning("\(text)") }
    }

    /// Logs that a topic carried a malformed message, once for each of the first few topics of a connection.
    private func remark(malformed topic: String) {
        guard ignoredTopics.count < Self.mostIgnored, ignoredTopics.insert(topic).inserted else { return }
        log.warning(
            "a malformed notice from the broker is ignored",
            metadata: ["topic": "\(Terminal.safe(topic))"])
    }

    /// The end of a connection.
    enum Outcome: Equatable {
        /// The broker accepted the kiosk. `spreadSeconds` is the time over which the kiosks spread their
        /// requests to the hub, according to the last notice to all kiosks.
        case served(spreadSeconds: Int64)
        /// The broker refused the kiosk, or no connection was made.
        case refused, failed

        /// Records the number of seconds over which a notice to all kiosks spreads their requests to the hub.
        /// A notice to one kiosk is ignored, because its number of seconds is always 0.
        mutating func record(_ notice: ChangeNotice, isToAll: Bool) {
            if isToAll { self = .served(spreadSeconds: notice.spreadSeconds) }
        }

        /// Returns the delay before the next connection. The delay is random, because all kiosks may have
        /// lost the broker at the same moment.
        func pause(drawnBy generator: inout some RandomNumberGenerator) -> Duration {
            guard case .served(let seconds) = self else { return .zero }
            return .milliseconds(Int64.random(in: 0...seconds * 1000, using: &generator))
        }
    }

    /// Makes one connection to the broker, publishes the kiosk's presence, and passes notices to the agent
    /// until the connection ends.
    private func connect(with access: BrokerAccess) async -> Outcome {
        let topics = FleetTopics(settings.membership.chain)
        let kiosk = settings.membership.kiosk
        let connection = BrokerConnection(
            FleetBrokerSettings(
                host: access.host, port: access.port, authority: settings.authority,
                certificate: folder.certificatePath, key: folder.keyPath, user: access.user,
                password: access.password, client: FleetTopics.client(of: kiosk),
                will: (topics.presence(of: kiosk), KioskPresence.offline.payload)
            ).connection)
        guard let connection else {
            remark(
                "libmosquitto does not accept the files in fleet.authority and STORE/fleet, or this process has no file descriptor left: check the files and the limit of open files"
            )
            return .failed
        }
        connection.start()
        var outcome = Outcome.failed
        await withTaskCancellationHandler {
            events: for await event in connection.events {
                switch event {
                case .connected:
                    outcome = .served(spreadSeconds: 0)
                    lastRemark.clear()
                    ignoredTopics = []
                    connection.subscribe(to: topics.notice)
                    connection.subscribe(to: topics.notice(for: kiosk))
                    connection.publish(
                        KioskPresence(isOnline: true, software: settings.software).payload,
                        to: topics.presence(of: kiosk), isRetained: true)
                case .message(let topic, let payload, _):
                    guard let notice = ChangeNotice(payload) else {
                        remark(malformed: topic)
                        continue
                    }
                    outcome.record(notice, isToAll: topic == topics.notice)
                    await agent.askHub(withinSeconds: notice.spreadSeconds)
                case .refused(let code):
                    outcome = .refused
                    remark(
                        "the broker refuses this kiosk with code \(code): the kiosk asks the hub for another password"
                    )
                    break events
                // `ended` is the last event of the stream, so the loop then ends without `break events`.
                case .acknowledged, .ended: break
                }
            }
        } onCancel: {
            // When this task is cancelled, the kiosk itself publishes that it is offline, because the broker
            // publishes the will only if the connection is lost.
            connection.publish(
                KioskPresence.offline.payload, to: topics.presence(of: kiosk), isRetained: true)
            Task { await connection.stop() }
        }
        await connection.stop()
        if outcome == .failed, !Task.isCancelled {
            remark(
                "no connection to the broker \(Terminal.safe(access.host)):\(access.port): check that mosquitto is running, that this computer can reach it, and that its certificate is from fleet.authority. Until then, the kiosk learns of changes only when it asks the hub at regular intervals"
            )
        }
        // The agent asks the hub whether the kiosk is revoked, because the broker also ends the connection of
        // a revoked kiosk, whose account was removed.
        if case .served = outcome { await agent.askHub(withinSeconds: Self.spread) }
        return outcome
    }
}
