/// The machine that tells an MQTT broker, and Home Assistant behind it, about the lanes.
///
/// A driver owns one value for each MQTT output. The driver connects to the broker and to the daemon, feeds
/// the machine, and carries out each `Action` in order. The machine does no I/O, reads no clock and draws no
/// random numbers. Times are durations since an arbitrary start, by a monotonic clock.
///
/// Feeds:
/// - of the broker: `connected`, `disconnected`, `received`, `acknowledged`, `unsent`;
/// - of the daemon: `setLanes`, `enter`, `setProblem`, `due`, `claimed`, `daemonLost`;
/// - of the program: `stop`.
///
/// **State.** The machine keeps what it was fed, so that each new connection begins with all retained
/// messages: the discovery of each lane, its state, its problem, and whether it is available. A lane is
/// available while its state is known. The broker publishes `will` if it loses the program.
///
/// **Outcomes.** An outcome is an output that is given at most once. The machine claims the output first,
/// and publishes the event only after the daemon has granted the claim within `ClaimAnswer.limit`. The output is
/// `done` when the broker has acknowledged the event, and `unknown` if that cannot be known. Without a
/// connection the output is refused at once: an event that is published later would be about somebody else.
/// Test documents have events only if the accessory is a trial.
///
/// **Commands.** Subscribers may start presets only if the configuration has `buttons`. A command is dropped
/// without an answer if it is retained, names no preset of the lane, comes within `commandInterval` after
/// the last accepted command of the lane, or comes while the lane is not available. The daemon decides
/// whether the lane is free.
package struct HomeAssistantPresenter: Sendable {
    package enum Action: Equatable, Sendable {
        case subscribe(to: String)
        case publish(MQTTMessage)
        /// Ask the daemon whether the output may be given, and feed the answer to `claimed`.
        case claim(DueOutput)
        /// Publish the event of the output with this number. Feed its acknowledgement to `acknowledged`, or
        /// call `unsent` if it could not be sent.
        case announce(OutcomeEvent, output: Int64)
        /// Report the end of the output with this number to the daemon.
        case finish(Int64, OutputEnd)
        /// Start a preset of a lane at the daemon.
        case ask(lane: String, preset: String)
    }

    /// The minimum time between two accepted commands for one lane, and between two answers to Home
    /// Assistant's start.
    package static let commandInterval = Duration.seconds(2)
    /// The maximum number of outputs that are claimed or announced at one time.
    static let mostOutputs = 64

    private struct Lane {
        var topics: HomeAssistantLane
        /// The state, or `nil` while it is not known.
        var state: HomeAssistantState?
        var hasProblem = false
        /// The time of the last accepted command.
        var lastCommand: Duration?
    }

    private enum OutputState {
        case claimed(DueOutput, EventIdentifier, since: Duration)
        case announced
    }

    private let accessory: String
    private let rule: OutputRule
    private let isTrial: Bool
    private let base: String
    private let hasButtons: Bool
    private let discovery: HomeAssistantDiscovery?
    private var isConnected = false
    /// The lanes in the order of the daemon.
    private var lanes: [Lane] = []
    private var outputs: [Int64: OutputState] = [:]
    /// The time at which Home Assistant's start was answered last.
    private var lastStart: Duration?

    /// - Parameter software: The version of this program, for the discovery.
    /// - Returns: `nil` if the accessory is no MQTT output, or if its topics cannot be topics.
    package init?(_ accessory: Accessory, software: String) {
        guard let output = accessory.output, case .mqtt(let settings) = output.device,
            MQTTTopic.isName(settings.base), settings.discovery.map(MQTTTopic.isName) != false
        else { return nil }
        self.accessory = accessory.name
        rule = output.rule
        isTrial = accessory.isTrial
        base = settings.base
        hasButtons = settings.hasButtons
        discovery = settings.discovery.map { prefix in
            HomeAssistantDiscovery(
                prefix: prefix, programTopic: Self.programTopic(base: settings.base),
                isTrial: accessory.isTrial, hasButtons: settings.hasButtons, software: software)
        }
    }

    private static func programTopic(base: String) -> String { "\(base)/available" }

    /// The client identifier at the broker. Two programs with one base would overwrite each other's messages.
    /// Because they have the same identifier too, the broker ends the connection of the first when the second
    /// connects, and the mistake shows.
    package var client: String { "countersign-" + MQTTTopic.discoveryPart(base) }

    /// The message that the broker publishes if it loses the program.
    package var will: MQTTMessage { .availability(false, topic: Self.programTopic(base: base)) }

    // MARK: The broker

    /// Records that the broker has accepted the program, and returns all subscriptions and retained messages.
    package mutating func connected() -> [Action] {
        isConnected = true
        var actions = (discovery.map { [$0.statusTopic] } ?? []).map(Action.subscribe)
        actions += lanes.flatMap { subscriptions(of: $0.topics) }
        actions += lanes.flatMap { discoveryMessages(of: $0.topics) + Self.messages(of: $0) }.map(
            Action.publish)
        return actions + [.publish(.availability(true, topic: Self.programTopic(base: base)))]
    }

    /// Records that the connection to the broker has ended. Events without an acknowledgement may have been
    /// delivered or not.
    package mutating func disconnected() -> [Action] {
        isConnected = false
        return finishAnnounced()
    }

    /// Returns the actions before the program disconnects, after which the broker publishes no will.
    package mutating func stop() -> [Action] {
        guard isConnected else { return [] }
        isConnected = false
        return [.publish(will)] + finishAnnounced()
    }

    private mutating func finishAnnounced() -> [Action] {
        let numbers = outputs.filter { if case .announced = $0.value { true } else { false } }.keys.sorted()
        for number in numbers { outputs[number] = nil }
        return numbers.map { .finish($0, .unknown) }
    }

    private func subscriptions(of lane: HomeAssistantLane) -> [Action] {
        (discovery.map { [$0.buttons(of: lane)] } ?? []).map(Action.subscribe)
            + (hasButtons ? [.subscribe(to: lane.askTopic)] : [])
    }

    private func discoveryMessages(of lane: HomeAssistantLane) -> [MQTTMessage] {
        discovery?.messages(for: lane) ?? []
    }

    private static func messages(of lane: Lane) -> [MQTTMessage] {
        (lane.state.map { [lane.topics.message($0)] } ?? [])
            + [lane.topics.message(hasProblem: lane.hasProblem), availability(of: lane)]
    }

    private static func availability(of lane: Lane) -> MQTTMessage {
        lane.topics.message(isAvailable: lane.state != nil)
    }

    // MARK: The lanes

    /// Replaces the lanes. A lane that stays keeps its state. The retained messages of a lane that went, and
    /// of a preset that went, are removed. A name that cannot be part of a topic is left out.
    ///
    /// - Parameter descriptions: The name of each lane, and the names of its presets that ask for no data.
    package mutating func setLanes(_ descriptions: [(name: String, presets: [String])]) -> [Action] {
        let before = lanes
        lanes = descriptions.compactMap { name, presets in
            guard let topics = HomeAssistantLane(name, presets: presets, base: base) else { return nil }
            var lane = before.first { $0.topics.name == name } ?? Lane(topics: topics)
            lane.topics = topics
            return lane
        }
        guard isConnected else { return [] }
        let new = lanes.filter { lane in !before.contains { $0.topics.name == lane.topics.name } }
        let gone = before.filter { lane in !lanes.contains { $0.topics.name == lane.topics.name } }
        let messages = lanes.flatMap { discoveryMessages(of: $0.topics) }
        let topics = Set(messages.map(\.topic))
        let removals = before.flatMap { discoveryMessages(of: $0.topics) }.map(\.topic)
            .filter { !topics.contains($0) }.map(MQTTMessage.removal)
        return new.flatMap { subscriptions(of: $0.topics) }
            + (removals + gone.flatMap(\.topics.removals) + messages + new.flatMap(Self.messages))
            .map(Action.publish)
    }

    /// Records the state of a lane. An unknown lane and an unknown word are ignored.
    ///
    /// - Parameters:
    ///   - apiState: The state in the words of the HTTP API.
    ///   - isPaused: Whether the lane's standing order is paused.
    package mutating func enter(_ lane: String, _ apiState: String, isPaused: Bool = false) -> [Action] {
        guard let index = index(of: lane),
            let state = HomeAssistantState(apiState: apiState, isPaused: isPaused),
            lanes[index].state != state
        else { return [] }
        let wasAvailable = lanes[index].state != nil
        lanes[index].state = state
        guard isConnected else { return [] }
        return
            ([lanes[index].topics.message(state)]
            + (wasAvailable ? [] : [Self.availability(of: lanes[index])]))
            .map(Action.publish)
    }

    /// Records whether the reader or an accessory of a lane is not ready. An unknown lane is ignored.
    package mutating func setProblem(_ lane: String, _ hasProblem: Bool) -> [Action] {
        guard let index = index(of: lane), lanes[index].hasProblem != hasProblem else { return [] }
        lanes[index].hasProblem = hasProblem
        return isConnected ? [.publish(lanes[index].topics.message(hasProblem: hasProblem))] : []
    }

    /// Records that the connection to the daemon has ended. No lane's state is known any more, and no claim
    /// can be granted. The daemon itself settles the outputs that were given.
    package mutating func daemonLost() -> [Action] {
        outputs = [:]
        let known = lanes.indices.filter { lanes[$0].state != nil }
        for index in known { lanes[index].state = nil }
        return isConnected ? known.map { .publish(Self.availability(of: lanes[$0])) } : []
    }

    private func index(of lane: String) -> Int? { lanes.firstIndex { $0.topics.name == lane } }

    // MARK: Outcomes

    /// Receives an output that is due.
    ///
    /// - Parameters:
    ///   - identifier: The random identifier of the event.
    ///   - now: The current time.
    package mutating func due(_ output: DueOutput, _ identifier: EventIdentifier, at now: Duration)
        -> [Action]
    {
        guard outputs[output.number] == nil else { return [] }
        guard isConnected, outputs.count < Self.mostOutputs, index(of: output.lane) != nil, acts(on: output)
        else { return [.finish(output.number, .refused)] }
        outputs[output.number] = .claimed(output, identifier, since: now)
        return [.claim(output)]
    }

    /// Returns whether the output is one of this accessory, and on what the accessory may act. The daemon has
    /// checked it already. This second check must hold even if the daemon is wrong.
    private func acts(on output: DueOutput) -> Bool {
        output.accessory == accessory && OutputRule.acts(output, rule: rule, isTrial: isTrial)
    }

    /// Receives the daemon's answer to a claim.
    ///
    /// - Parameter isGranted: Whether the daemon has recorded the output as given. `false` too if no answer
    ///   came.
    package mutating func claimed(_ number: Int64, isGranted: Bool, at now: Duration) -> [Action] {
        guard case .claimed(let output, let identifier, let since)? = outputs[number] else { return [] }
        outputs[number] = nil
        guard isGranted else { return [] }
        guard isConnected, now - since <= ClaimAnswer.limit, let index = index(of: output.lane) else {
            return [.finish(number, .unknown)]
        }
        outputs[number] = .announced
        let event = lanes[index].topics.event(output.outcome, identifier, isTest: output.isTest)
        return [.announce(event, output: number)]
    }

    /// Records that the broker has acknowledged the event of an output.
    package mutating func acknowledged(_ number: Int64) -> [Action] { end(number, .done) }

    /// Records that the event of an output could not be sent.
    package mutating func unsent(_ number: Int64) -> [Action] { end(number, .unknown) }

    private mutating func end(_ number: Int64, _ end: OutputEnd) -> [Action] {
        guard case .announced? = outputs[number] else { return [] }
        outputs[number] = nil
        return [.finish(number, end)]
    }

    // MARK: Messages

    /// Receives a message on a subscribed topic.
    ///
    /// - Parameter isRetained: Whether the broker had stored the message before the program subscribed.
    package mutating func received(
        _ topic: String, _ payload: [UInt8], isRetained: Bool, at now: Duration
    ) -> [Action] {
        guard isConnected else { return [] }
        if let index = lanes.firstIndex(where: { $0.topics.askTopic == topic }) {
            return command(payload, toLane: index, isRetained: isRetained, at: now)
        }
        guard let discovery else { return [] }
        if topic == discovery.statusTopic { return homeAssistantStarted(payload, at: now) }
        guard isRetained, !payload.isEmpty,
            let lane = lanes.first(where: { discovery.isButton(topic, of: $0.topics) }),
            !discovery.messages(for: lane.topics).contains(where: { $0.topic == topic })
        else { return [] }
        // A button of an earlier configuration, whose preset does not exist any more, or which the owner has
        // switched off.
        return [.publish(.removal(of: topic))]
    }

    private mutating func command(
        _ payload: [UInt8], toLane index: Int, isRetained: Bool, at now: Duration
    ) -> [Action] {
        let lane = lanes[index]
        // A retained command would start a presentation whenever this program connects.
        guard hasButtons, !isRetained, lane.state != nil, let preset = lane.topics.preset(named: payload),
            Self.isOver(lane.lastCommand, at: now)
        else { return [] }
        lanes[index].lastCommand = now
        return [.ask(lane: lane.topics.name, preset: preset)]
    }

    /// Answers Home Assistant's message that it has started. It may have lost its entities, for example
    /// because the broker has no disk.
    private mutating func homeAssistantStarted(_ payload: [UInt8], at now: Duration) -> [Action] {
        guard payload.elementsEqual("online".utf8), Self.isOver(lastStart, at: now) else { return [] }
        lastStart = now
        return lanes.flatMap { discoveryMessages(of: $0.topics) + Self.messages(of: $0) }.map(Action.publish)
    }

    private static func isOver(_ last: Duration?, at now: Duration) -> Bool {
        last.map { now - $0 >= commandInterval } ?? true
    }
}
