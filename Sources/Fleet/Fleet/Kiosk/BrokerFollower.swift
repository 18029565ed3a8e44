internal import ErrorMapping
internal import JSON
internal import Logging
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderIdentityStore

/// Keeps a connection to the chain's broker for a kiosk: says that the kiosk is there, and hears that the hub has something new.
actor BrokerFollower {
    /// Over how many seconds kiosks that have lost the broker spread their questions: it may have lost all of them.
    private static let spread: Int64 = 10
    /// Of how many topics a connection says that something malformed came.
    private static let mostIgnored = 4

    private let settings: KioskSettings
    private let folder: FleetFolder
    private let hub: EnrolledHub
    private let agent: FleetAgent
    private let log: Logger
    private var lastRemark = BrokerRemark()
    /// Topics of the present connection of which something malformed came.
    private var ignoredTopics: Set<String> = []

    /// - Parameters:
    ///   - hub: Gives the kiosk its password at the broker.
    ///   - agent: Asks the hub where the broker has a notice, and stops where the hub says that the kiosk is revoked.
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

    /// Keeps a connection until it is cancelled, and makes the next one after a pause: a broker that starts is not stormed.
    func run() async {
        var access = folder.brokerAccess()
        var attempt = 0
        while !Task.isCancelled {
            do throws(HubError) {
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
                if access != known { keep(known) }
                access = known
                let outcome = await connect(with: known)
                switch outcome {
                case .served:
                    attempt = 0
                    var generator = SystemRandomNumberGenerator()
                    guard await rest(for: outcome.pause(drawnBy: &generator)) else { return }
                case .refused:
                    // The account was removed: the hub says whether this kiosk is revoked.
                    access = nil
                    keep(nil)
                    await agent.notice(spread: Self.spread)
                case .failed: break
                }
            } catch {
                access = nil
                if await !agent.isStopped, !Task.isCancelled {
                    remark("the kiosk has no password for the broker: \(error.explanation)")
                }
                // No notice of it comes to a kiosk that the broker does not let in.
                await agent.stop(after: error)
            }
            guard await rest(for: settings.pause(after: attempt)) else { return }
            attempt += 1
        }
    }

    /// A password that the broker took is used again after a restart: a thousand kiosks that start at once need not all ask.
    private func keep(_ access: BrokerAccess?) {
        do throws(IdentityStoreError) {
            try folder.keep(access)
        } catch {
            remark(
                "broker.json of the folder fleet in the store cannot be written: the kiosk may begin with an old password at its next start: \(error.explanation)"
            )
        }
    }

    /// Says what is wrong with the broker, once until that changes.
    private func remark(_ text: String) {
        if lastRemark.isNews(text) { log.warning("\(text)") }
    }

    /// Says of a few topics of a connection that something malformed came.
    private func remark(malformed topic: String) {
        guard ignoredTopics.count < Self.mostIgnored, ignoredTopics.insert(topic).inserted else { return }
        log.warning(
            "a notice of the broker is malformed, and is ignored",
            metadata: ["topic": "\(Terminal.safe(topic))"])
    }

    /// How a connection ended.
    enum Outcome: Equatable {
        /// Over how many seconds the hub has all kiosks spread what they do.
        case served(spreadSeconds: Int64)
        case refused, failed

        /// What a notice says of the spread: one to this kiosk alone says nothing.
        mutating func record(_ notice: ChangeNotice, isToAll: Bool) {
            if isToAll { self = .served(spreadSeconds: notice.spreadSeconds) }
        }

        /// How long the next connection waits before all else: all kiosks may have lost the broker at once.
        func pause(drawnBy generator: inout some RandomNumberGenerator) -> Duration {
            guard case .served(let seconds) = self else { return .zero }
            return .milliseconds(Int64.random(in: 0...seconds * 1000, using: &generator))
        }
    }

    /// One connection to its end.
    private func connect(with access: BrokerAccess) async -> Outcome {
        let topics = FleetTopics(settings.membership.chain)
        let kiosk = settings.membership.kiosk
        let connection = BrokerConnection(
            BrokerConnection.Settings(
                host: access.host, port: access.port, authority: settings.authority,
                certificate: folder.certificatePath, key: folder.keyPath, user: access.user,
                password: access.password, client: FleetTopics.client(of: kiosk),
                will: (topics.presence(of: kiosk), KioskPresence.offline.payload)))
        guard let connection else {
            remark(
                "libmosquitto does not take the files of fleet.authority and of the folder fleet, or this process has no file descriptor left"
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
                case .message(let topic, let payload):
                    guard let notice = ChangeNotice(payload) else {
                        remark(malformed: topic)
                        continue
                    }
                    outcome.record(notice, isToAll: topic == topics.notice)
                    await agent.notice(spread: notice.spreadSeconds)
                case .refused(let code):
                    outcome = .refused
                    remark(
                        "the broker refuses this kiosk with the code \(code): the hub is asked for another password"
                    )
                    break events
                case .acknowledged, .ended: break
                }
            }
        } onCancel: {
            connection.publish(
                KioskPresence.offline.payload, to: topics.presence(of: kiosk), isRetained: true)
            Task { await connection.stop() }
        }
        await connection.stop()
        if outcome == .failed, !Task.isCancelled {
            remark(
                "no connection to the broker \(Terminal.safe(access.host)):\(access.port): check that mosquitto runs, that this computer may reach it, and that its certificate is of fleet.authority. Until then changes come with the regular questions to the hub"
            )
        }
        // Where the account was removed the hub says that the kiosk is revoked.
        if case .served = outcome { await agent.notice(spread: Self.spread) }
        return outcome
    }
}
