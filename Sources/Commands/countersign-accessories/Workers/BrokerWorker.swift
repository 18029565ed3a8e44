internal import Accessories
internal import AccessoryDevices
internal import MQTTClient

/// The worker of an MQTT broker: publishes the lanes' states and outcomes, and passes commands to the daemon.
///
/// `HomeAssistantPresenter` decides what is published. A connection that ends is made again after a pause that doubles up
/// to a minute.
struct BrokerWorker {
    private static let longestPause = Duration.seconds(60)

    private let desk: WorkerDesk
    private let settings: MQTTOutput
    private var presenter: HomeAssistantPresenter
    /// The outputs whose event was sent, by the message's number.
    private var sent: [Int32: DueOutput] = [:]
    /// The outputs in progress, by number.
    private var outputs: [Int64: DueOutput] = [:]

    /// `nil` for an accessory that is no broker, or whose topics cannot be topics.
    init?(_ desk: WorkerDesk, software: String) {
        guard case .mqtt(let settings)? = desk.accessory.output?.device,
            let presenter = HomeAssistantPresenter(desk.accessory, software: software)
        else { return nil }
        self.desk = desk
        self.settings = settings
        self.presenter = presenter
    }

    /// Runs until the message `stop`.
    mutating func run() {
        var pause = WorkerDesk.pause
        while true {
            do throws(DeviceFault) {
                let connection = try connect()
                var isRefused = false
                guard
                    serve(connection, connected: { pause = WorkerDesk.pause }, refused: { isRefused = true })
                else { return }
                // The state of a refusal stays until the broker accepts a connection.
                if !isRefused { desk.report(AccessoryState.absent) }
            } catch {
                desk.report(error)
            }
            guard wait(pause) else { return }
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Prepares a connection.
    private func connect() throws(DeviceFault) -> BrokerConnection {
        let will = presenter.will
        let connection = BrokerConnection(
            BrokerConnection.Settings(
                host: settings.host, port: Int64(settings.port),
                protection: settings.isSecure
                    ? .tls(roots: settings.authority.map { .file($0) } ?? .system, certificate: nil)
                    : .unencrypted,
                login: try login(), client: presenter.client, will: (will.topic, will.payload)))
        guard let connection else {
            throw .misconfigured(
                "the broker's settings are not accepted: check authority, and the limit of open files")
        }
        return connection
    }

    private func login() throws(DeviceFault) -> BrokerLogin? {
        guard let path = settings.userFile else { return nil }
        let lines = String(decoding: try SecretFile.read(path), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 2 else {
            throw .misconfigured(
                "userFile must have a line with the user's name and a line with the password")
        }
        return BrokerLogin(user: String(lines[0]), password: String(lines[1]))
    }

    /// Serves one connection until it ends.
    ///
    /// - Returns: false after the message `stop`.
    private mutating func serve(
        _ connection: BrokerConnection, connected: () -> Void, refused: () -> Void
    ) -> Bool {
        let mailbox = desk.mailbox
        let forwarding = Task { for await event in connection.events { mailbox.post(.broker(event)) } }
        defer { forwarding.cancel() }
        connection.start()
        while true {
            var waiting = WaitSet()
            waiting.add(mailbox.descriptor)
            // The call fails only without memory; the next turn waits again.
            _ = try? waiting.wait(atMost: nil)
            for message in mailbox.takeAll() {
                switch message {
                case .stop:
                    perform(presenter.stop(), on: connection)
                    Self.stop(connection)
                    return false
                case .broker(.connected):
                    connected()
                    desk.report(.ready)
                    perform(presenter.connected(), on: connection)
                case .broker(.refused(let code)):
                    refused()
                    desk.note(
                        .misconfigured("the broker refuses the login with the code \(code): check userFile"))
                    desk.report(code == 4 || code == 5 ? AccessoryState.notPermitted : .notAnswering)
                case .broker(.ended):
                    perform(presenter.disconnected(), on: connection)
                    endOutputs()
                    return true
                case .broker(.message(let topic, let payload, let isRetained)):
                    perform(
                        presenter.received(topic, payload, isRetained: isRetained, at: .now), on: connection)
                case .broker(.acknowledged(let number)):
                    guard let output = sent.removeValue(forKey: number) else { break }
                    perform(presenter.acknowledged(output.number), on: connection)
                case .output(let output): perform(due(output), on: connection)
                case .claimed(let answer, let number):
                    if answer == .failed, let output = outputs[number] {
                        // The daemon may have marked the output as given.
                        desk.daemon.finish(output, as: .unknown)
                    }
                    if answer != .given { outputs[number] = nil }
                    perform(presenter.claimed(number, isGranted: answer == .given, at: .now), on: connection)
                // A broker is not tried, and gets no such message.
                case .attempt: break
                case .lane, .lanes, .daemonLost, .reportAgain: perform(follow(message), on: connection)
                }
            }
        }
    }

    private mutating func due(_ output: DueOutput) -> [HomeAssistantPresenter.Action] {
        let bytes = (0..<EventIdentifier.length).map { _ in UInt8.random(in: 0...255) }
        guard let identifier = EventIdentifier(randomBytes: bytes) else { return [] }
        outputs[output.number] = output
        return presenter.due(output, identifier, at: .now)
    }

    /// Ends the outputs of a connection that is left. The daemon refuses the end of an output that was not given.
    private mutating func endOutputs() {
        for output in outputs.values { desk.daemon.finish(output, as: .unknown) }
        (sent, outputs) = ([:], [:])
    }

    /// Follows a message about the daemon, with or without a connection.
    private mutating func follow(_ message: WorkerMessage) -> [HomeAssistantPresenter.Action] {
        switch message {
        case .lane(let news):
            return presenter.enter(news.lane, news.state, isPaused: news.isPaused)
                + presenter.setProblem(news.lane, news.hasProblem)
        case .lanes(let lanes): return presenter.setLanes(lanes.map { (name: $0.name, presets: $0.presets) })
        case .daemonLost: return presenter.daemonLost()
        case .reportAgain:
            desk.reportAgain()
            return []
        case .stop, .output, .claimed, .attempt, .broker: return []
        }
    }

    private mutating func perform(
        _ actions: [HomeAssistantPresenter.Action], on connection: BrokerConnection
    ) {
        for action in actions {
            switch action {
            case .subscribe(let pattern): connection.subscribe(to: pattern)
            case .publish(let message):
                connection.publish(message.payload, to: message.topic, isRetained: message.isRetained)
            case .claim(let output): desk.claim(output)
            case .announce(let event, let number):
                guard let output = outputs[number] else { break }
                let message = event.message
                if let packet = connection.publish(
                    message.payload, to: message.topic, isRetained: message.isRetained)
                {
                    sent[packet] = output
                } else {
                    perform(presenter.unsent(number), on: connection)
                }
            case .finish(let number, let end):
                if let output = outputs.removeValue(forKey: number) { desk.daemon.finish(output, as: end) }
            case .ask(let lane, let preset):
                desk.daemon.ask(preset, at: lane, by: desk.accessory.name)
            }
        }
    }

    /// Waits before the next connection. Outputs are refused meanwhile.
    ///
    /// - Returns: false after the message `stop`.
    private mutating func wait(_ time: Duration) -> Bool {
        var missed: [WorkerMessage] = []
        let isOn = desk.wait(time) { missed.append($0) }
        // Without a connection the presenter has no actions.
        for message in missed {
            if case .claimed(let answer, let number) = message {
                // `endOutputs` has reported the end already.
                _ = presenter.claimed(number, isGranted: answer == .given, at: .now)
            } else {
                _ = follow(message)
            }
        }
        return isOn
    }

    /// Disconnects, so that the broker publishes no will, and waits for the end.
    private static func stop(_ connection: BrokerConnection) {
        let done = Completion()
        Task {
            await connection.stop()
            done.complete()
        }
        // `stop` itself waits at most 2 s.
        _ = done.wait(until: .now + .seconds(3))
    }
}
