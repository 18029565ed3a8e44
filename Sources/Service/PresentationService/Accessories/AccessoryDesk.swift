internal import Accessories
internal import JSON

/// The accessories of the configuration, their reported states, and the event streams of the programs that serve
/// them.
///
/// A program `countersign-accessories` opens one stream. The stream begins with the accessories of the program's
/// lanes, these lanes with their presets, and the state of each lane. Afterwards it reports changes, the outputs
/// that become due, and the operator's tries. An output or a try is sent once: a stream that is opened later never
/// receives it. A second stream of the same caller replaces the first one, whose connection is then dead in all
/// likelihood.
///
/// An accessory has the state `notAnswering` unless the program of an open stream has reported another state.
///
/// `PresentationCoordinator` owns the only desk. The value reads no clock and starts no task.
struct AccessoryDesk {
    /// The maximum number of streams.
    static let mostStreams = 16
    /// The number of unread events after which a slow program is disconnected.
    private static let mostBehind = 256

    private struct Stream {
        let caller: KnownCaller
        let continuation: AsyncStream<String>.Continuation
        /// Called when the program is disconnected because it reads too slowly.
        let lost: @Sendable () -> Void
    }

    private struct LaneState: Equatable {
        var state: String
        var takesCode: Bool
        /// Whether the standing order of the lane is paused.
        var isPaused = false
        /// Whether the reader or an accessory of the lane is not ready.
        var hasProblem = false

        static let idle = LaneState(state: PresentationCoordinator.idle, takesCode: false)
    }

    private(set) var accessories: [Accessory]
    private var acceptsTestDocuments: Bool
    private var reported: [String: (state: AccessoryState, stream: Int)] = [:]
    /// The lanes of the daemon with their presets, in their order.
    private var described: [(name: String, presets: [String])] = []
    private var lanes: [String: LaneState] = [:]
    private var streams: [Int: Stream] = [:]
    private var nextStream = 0
    /// The latest rule for who may listen, or `nil` before the rules changed for the first time.
    private var mayListen: (@Sendable (KnownCaller) -> Bool)?

    init(_ accessories: [Accessory], acceptsTestDocuments: Bool) {
        self.accessories = accessories
        self.acceptsTestDocuments = acceptsTestDocuments
    }

    // MARK: Accessories

    subscript(name: String) -> Accessory? { accessories.first { $0.name == name } }

    /// The accessories of a lane, with the accessories that serve all lanes.
    func accessories(at lane: String) -> [Accessory] {
        accessories.filter { $0.lane == nil || $0.lane == lane }
    }

    /// The outputs of a lane, with the outputs that serve all lanes.
    func outputs(at lane: String) -> [Accessory] { accessories(at: lane).filter { $0.output != nil } }

    /// The state of an accessory.
    func state(of accessory: Accessory) -> AccessoryState {
        reported[accessory.name]?.state ?? .notAnswering
    }

    /// The first required output of a lane that cannot act, or `nil` if there is none.
    func unusableOutput(at lane: String) -> Accessory? {
        outputs(at: lane).first { $0.output?.isRequired == true && !state(of: $0).isUsable }
    }

    /// Whether an accessory of a lane cannot be used. A broker serves all lanes, and counts for none: while it
    /// is away, nobody reads there that it is away.
    func hasUnusableAccessory(at lane: String) -> Bool {
        accessories.contains { $0.lane == lane && !state(of: $0).isUsable }
    }

    /// Whether a program publishes the problems of lanes at a broker. Somebody then has to look for problems of
    /// readers, also while no page listens.
    var publishesProblems: Bool {
        !streams.isEmpty
            && accessories.contains { accessory in
                if case .mqtt? = accessory.output?.device { true } else { false }
            }
    }

    /// Replaces the accessories, and reports them to all streams if anything changed.
    ///
    /// - Returns: `ended` has the names of the accessories that were removed or changed: nobody may act by their
    ///   old descriptions any more. `lanes` has the lanes of all accessories that differ; `nil` in it stands for
    ///   all lanes.
    mutating func replace(
        _ new: [Accessory], acceptsTestDocuments: Bool
    ) -> (ended: Set<String>, lanes: [String?]) {
        guard new != accessories || acceptsTestDocuments != self.acceptsTestDocuments else { return ([], []) }
        let old = accessories.filter { !new.contains($0) }
        let added = new.filter { !accessories.contains($0) }
        accessories = new
        self.acceptsTestDocuments = acceptsTestDocuments
        // The program opens the devices of a changed accessory again, and then reports their states.
        for accessory in old { reported[accessory.name] = nil }
        for (key, stream) in streams { send(list(for: stream.caller), to: key) }
        return (Set(old.map(\.name)), (old + added).map(\.lane))
    }

    /// Replaces the lanes, and reports them to all streams.
    ///
    /// - Parameter lanes: the name of each lane, and the names of its presets that ask for no data.
    mutating func describe(_ lanes: [(name: String, presets: [String])]) {
        described = lanes
        for (key, stream) in streams { send(laneList(for: stream.caller), to: key) }
    }

    // MARK: Streams

    /// Opens the stream of a program. The caller ends an earlier stream of the same caller first (`key(of:)`).
    ///
    /// - Parameters:
    ///   - ended: called with the stream's key when the stream is released.
    /// - Throws: `tooManyListeners`.
    mutating func open(
        by caller: KnownCaller, lost: @escaping @Sendable () -> Void,
        ended: @escaping @Sendable (Int) -> Void
    ) throws(PresentationServiceError) -> AsyncStream<String> {
        guard streams.count < Self.mostStreams else { throw .tooManyListeners }
        let (frames, continuation) = AsyncStream<String>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.mostBehind))
        nextStream += 1
        let key = nextStream
        streams[key] = Stream(caller: caller, continuation: continuation, lost: lost)
        continuation.yield(list(for: caller))
        continuation.yield(laneList(for: caller))
        for (name, _) in described where caller.covers(lane: name) {
            continuation.yield(frame(of: name, lanes[name] ?? .idle))
        }
        continuation.onTermination = { _ in ended(key) }
        return frames
    }

    /// The key of a caller's open stream, or `nil` if the caller has none.
    func key(of caller: KnownCaller) -> Int? { streams.first { $1.caller.name == caller.name }?.key }

    func isOpen(_ key: Int) -> Bool { streams[key] != nil }

    /// The key of the open stream whose program reported that an accessory can act, or `nil` if it cannot act.
    func stream(serving accessory: Accessory) -> Int? {
        guard let (state, stream) = reported[accessory.name], state.isUsable, isOpen(stream) else {
            return nil
        }
        return stream
    }

    /// Ends a stream. The accessories whose states it reported no longer answer.
    ///
    /// - Returns: the lanes of these accessories; `nil` stands for all lanes. An empty list if the stream has
    ///   ended already.
    mutating func close(_ key: Int) -> [String?] {
        streams.removeValue(forKey: key)?.continuation.finish()
        let names = reported.filter { $1.stream == key }.map(\.key)
        for name in names { reported[name] = nil }
        return accessories.filter { names.contains($0.name) }.map(\.lane)
    }

    /// Ends the streams of callers who may no longer listen, now and at each later `beat`.
    mutating func endStreams(unless mayListen: @escaping @Sendable (KnownCaller) -> Bool) {
        self.mayListen = mayListen
        for stream in streams.values where !mayListen(stream.caller) { stream.continuation.finish() }
    }

    /// Sends every stream a comment line, and ends the streams of callers who may no longer listen.
    mutating func beat() {
        if let mayListen { endStreams(unless: mayListen) }
        for key in streams.keys { send(": beat\n\n", to: key) }
    }

    /// Ends all streams.
    mutating func close() {
        for stream in streams.values { stream.continuation.finish() }
    }

    // MARK: Reports

    /// Records the state that a program reports of an accessory. A trial accessory that is ready has the state
    /// `trial`, and only a trial accessory has that state.
    ///
    /// - Returns: whether the state has changed.
    mutating func record(_ state: AccessoryState, of accessory: Accessory, from stream: Int) -> Bool {
        let state: AccessoryState =
            state.isUsable ? accessory.isTrial ? .trial : .ready : state
        let before = self.state(of: accessory)
        reported[accessory.name] = (state, stream)
        return before != state
    }

    /// Records the state of a lane, and reports a change to the streams.
    mutating func record(lane name: String, state: String, takesCode: Bool) {
        change(lane: name) { lane in
            lane.state = state
            lane.takesCode = takesCode
        }
    }

    /// Records whether the standing order of a lane is paused, and whether the reader or an accessory of the lane
    /// is not ready. Reports a change to the streams.
    mutating func record(lane name: String, isPaused: Bool, hasProblem: Bool) {
        change(lane: name) { lane in
            lane.isPaused = isPaused
            lane.hasProblem = hasProblem
        }
    }

    private mutating func change(lane name: String, _ change: (inout LaneState) -> Void) {
        let before = lanes[name] ?? .idle
        var new = before
        change(&new)
        guard new != before else { return }
        lanes[name] = new
        for (key, stream) in streams where stream.caller.covers(lane: name) {
            send(frame(of: name, new), to: key)
        }
    }

    /// Whether a lane was last reported as `idle`.
    func isIdle(lane name: String) -> Bool { (lanes[name] ?? .idle).state == PresentationCoordinator.idle }

    /// Sends an output that is due to the streams of its lane.
    func announce(_ output: DueOutput) {
        for (key, stream) in streams where stream.caller.covers(lane: output.lane) {
            send(Self.frame("output", output.json), to: key)
        }
    }

    /// Sends a try to the program that serves its accessory.
    func announce(_ attempt: AccessoryTry, to key: Int) {
        send(Self.frame("try", attempt.json), to: key)
    }

    // MARK: Frames

    /// Sends a frame to a stream. A program that reads too slowly is disconnected. The stream itself is removed
    /// when it is released.
    private func send(_ frame: String, to key: Int) {
        guard let stream = streams[key], case .dropped = stream.continuation.yield(frame) else { return }
        stream.lost()
        stream.continuation.finish()
    }

    private static func frame(_ name: String, _ data: JSONValue) -> String {
        "event: \(name)\ndata: \(data.line)\n\n"
    }

    private func list(for caller: KnownCaller) -> String {
        let own = accessories.filter { $0.lane.map(caller.covers) ?? true }
        return Self.frame(
            "accessories",
            [
                "accessories": .array(own.map(\.source)),
                "acceptsTestDocuments": .boolean(acceptsTestDocuments),
            ])
    }

    private func laneList(for caller: KnownCaller) -> String {
        let own = described.filter { caller.covers(lane: $0.name) }
        return Self.frame(
            "lanes",
            [
                "lanes": .array(
                    own.map {
                        ["name": .string($0.name), "presets": .array($0.presets.map(JSONValue.string))]
                    })
            ])
    }

    private func frame(of lane: String, _ state: LaneState) -> String {
        Self.frame(
            "lane",
            [
                "lane": .string(lane), "state": .string(state.state), "takesCode": .boolean(state.takesCode),
                "paused": .boolean(state.isPaused), "problem": .boolean(state.hasProblem),
            ])
    }
}

extension AccessoryTry {
    /// The data of the event `try`.
    fileprivate var json: JSONValue {
        [
            "try": .integer(number), "accessory": .string(accessory), "lane": .string(lane),
            "action": .string(action.rawValue),
        ]
    }
}

extension DueOutput {
    /// The data of the event `output`.
    fileprivate var json: JSONValue {
        [
            "output": .integer(number), "accessory": .string(accessory), "lane": .string(lane),
            "presentation": .string(presentation), "outcome": .string(outcome.rawValue),
            "test": .boolean(isTest), "age": age.map { .integer(Int64($0)) } ?? .null, "code": .string(code),
        ]
    }
}
