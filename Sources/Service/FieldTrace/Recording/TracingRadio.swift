package import BlueZTransport
package import NDEF
internal import Synchronization
package import Transport

/// A Bluetooth radio that records its links.
package struct TracingRadio: BluetoothLERadio {
    private let radio: any BluetoothLERadio
    private let recorder: FieldTraceRecorder

    package init(_ radio: any BluetoothLERadio, _ recorder: FieldTraceRecorder) {
        self.radio = radio
        self.recorder = recorder
    }

    /// Creates the radio of this computer, and records what bluetoothd observes about phones.
    package init(_ configuration: BlueZConfiguration, _ recorder: FieldTraceRecorder) {
        var configuration = configuration
        configuration.observe = { recorder.record(.observation(ObservationFacts($0))) }
        self.init(BlueZRadio(configuration: configuration), recorder)
    }

    package func checkReadiness() async throws(BluetoothLEError) {
        try await radio.checkReadiness()
    }

    package func settingsFault() async -> RadioFault? {
        await radio.settingsFault()
    }

    package func prepare() async throws(BluetoothLEError) {
        try await radio.prepare()
    }

    package func waitUntilReady() async throws(BluetoothLEError) {
        try await radio.waitUntilReady()
    }

    package func serve(_ service: GATTService) async throws(BluetoothLEError) -> any BluetoothLEServer {
        let radio = radio
        let token = recorder.tokens.token(for: service.uuid.bytes[...])
        let server = try await recorder.timed(.advertise, token: token) { () throws(BluetoothLEError) in
            try await radio.serve(service)
        }
        return TracingServer(server: server, token: token, recorder: recorder)
    }

    package func connect(
        to service: GATTService, choosing choice: ChannelChoice?
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        let radio = radio
        return try await recorder.link(.connect, to: service.uuid) { () throws(BluetoothLEError) in
            try await radio.connect(to: service, choosing: choice)
        }
    }

    package func connect(
        to uuid: BluetoothUUID, psm: UInt16
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        let radio = radio
        return try await recorder.link(.connectL2CAP, to: uuid) { () throws(BluetoothLEError) in
            try await radio.connect(to: uuid, psm: psm)
        }
    }
}

/// A GATT server that records the link with its phone, and the withdrawal of its service.
private struct TracingServer: BluetoothLEServer {
    let server: any BluetoothLEServer
    let token: TraceToken?
    let recorder: FieldTraceRecorder

    func setIdent(_ ident: [UInt8]) async {
        await server.setIdent(ident)
    }

    func link() async throws(BluetoothLEError) -> any BluetoothLELink {
        let begin = ContinuousClock.now
        do throws(BluetoothLEError) {
            let link = TracingLink(try await server.link(), recorder)
            await recorder.recordLink(link, by: .accept, token: token, since: begin)
            return link
        } catch {
            recorder.recordFailure(.accept, token: token, since: begin, error: error)
            throw error
        }
    }

    func close() async {
        let begin = ContinuousClock.now
        await server.close()
        recorder.recordAction(.withdraw, token, since: begin)
    }
}

extension FieldTraceRecorder {
    /// Makes a link, and records the link or the error.
    fileprivate func link(
        _ action: RadioFacts.Action, to uuid: BluetoothUUID,
        make: () async throws(BluetoothLEError) -> any BluetoothLELink
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        let begin = ContinuousClock.now
        let token = tokens.token(for: uuid.bytes[...])
        do throws(BluetoothLEError) {
            let link = TracingLink(try await make(), self)
            await recordLink(link, by: action, token: token, since: begin)
            return link
        } catch {
            recordFailure(action, token: token, since: begin, error: error)
            throw error
        }
    }

    /// Performs an operation of the radio that makes no link, and records its duration and its failure.
    fileprivate func timed<Value>(
        _ action: RadioFacts.Action, token: TraceToken?,
        make: () async throws(BluetoothLEError) -> Value
    ) async throws(BluetoothLEError) -> Value {
        let begin = ContinuousClock.now
        do throws(BluetoothLEError) {
            let value = try await make()
            recordAction(action, token, since: begin)
            return value
        } catch {
            recordFailure(action, token: token, since: begin, error: error)
            throw error
        }
    }

    /// Records an operation of the radio that began at `begin` and ends now.
    fileprivate func recordAction(
        _ action: RadioFacts.Action, _ token: TraceToken?, since begin: ContinuousClock.Instant,
        fault: FaultFacts? = nil, link: LinkFacts? = nil
    ) {
        record(
            .radio(
                RadioFacts(
                    action: TraceWord(action), service: token,
                    took: begin.duration(to: .now).traceMilliseconds, fault: fault, link: link)))
    }

    /// Records an operation that failed.
    fileprivate func recordFailure(
        _ action: RadioFacts.Action, token: TraceToken?, since begin: ContinuousClock.Instant,
        error: BluetoothLEError
    ) {
        recordAction(action, token, since: begin, fault: FaultFacts(error))
    }

    /// Records an operation that made a link.
    fileprivate func recordLink(
        _ link: TracingLink, by action: RadioFacts.Action, token: TraceToken?,
        since begin: ContinuousClock.Instant
    ) async {
        recordAction(action, token, since: begin, link: await link.facts)
    }
}

/// A Bluetooth link that records its messages by the number and size of their fragments.
private final class TracingLink: BluetoothLELink {
    private let link: any BluetoothLELink
    private let recorder: FieldTraceRecorder
    private let messages = Mutex(InProgress())

    /// The messages in progress, in both directions.
    private struct InProgress {
        var sent = TracedFragments(.toPhone)
        var received = TracedFragments(.fromPhone)
        var isClosed = false
    }

    init(_ link: any BluetoothLELink, _ recorder: FieldTraceRecorder) {
        self.link = link
        self.recorder = recorder
    }

    var kind: BluetoothLELinkKind { link.kind }

    var packetLimit: Int { get async { await link.packetLimit } }

    /// The facts of this link. Attempts are counted only if this reader made the connection.
    var facts: LinkFacts {
        get async {
            LinkFacts(
                kind: TraceWord(LinkFacts.Kind(kind)), packetLimit: await packetLimit,
                attempts: (link as? any BluetoothLEClientLink)?.attempts)
        }
    }

    func receive() async throws(BluetoothLEError) -> BluetoothLEPacket {
        do throws(BluetoothLEError) {
            let packet = try await link.receive()
            switch packet {
            case .data(let value):
                // The prefix 00 marks the last fragment of a message. L2CAP has no prefixes.
                recordFragment(value.count, isLast: kind != .l2cap && value.first == 0, in: \.received)
            case .state(let value): record(.stateFromPhone, value: value.first.map { Int($0) })
            }
            return packet
        } catch {
            // A transfer cancels this read at each of its deadlines, without losing the link.
            if error != .cancelled { recordLoss(error) }
            throw error
        }
    }

    func interrupt() async {
        await link.interrupt()
    }

    func send(_ head: PacketHead, _ body: ArraySlice<UInt8>) async throws(BluetoothLEError) {
        do throws(BluetoothLEError) {
            try await link.send(head, body)
            // The prefix 00 marks the last fragment of a message.
            recordFragment(head.count + body.count, isLast: head == .byte(0), in: \.sent)
        } catch {
            recordLoss(error)
            throw error
        }
    }

    func signal(_ state: UInt8) async throws(BluetoothLEError) {
        try await link.signal(state)
        record(.stateToPhone, value: Int(state))
    }

    func close() async {
        // A link may be closed twice. The end is recorded once.
        let wasClosed = messages.withLock { messages in
            defer { messages.isClosed = true }
            return messages.isClosed
        }
        await link.close()
        guard !wasClosed else { return }
        flush()
        record(.closed, value: nil)
    }

    // MARK: Recording

    /// Counts a fragment and records its message if the fragment is the last one.
    private func recordFragment(
        _ size: Int, isLast: Bool, in direction: WritableKeyPath<InProgress, TracedFragments>
    ) {
        let whole = messages.withLock { $0[keyPath: direction].add(size, isLast: isLast) }
        if let whole { recorder.record(.fragments(whole)) }
    }

    /// Records the fragments of incomplete messages. Over L2CAP no message counts as complete, so all
    /// fragments that were sent and received are recorded here.
    private func flush() {
        let rest = messages.withLock { [$0.sent.take(), $0.received.take()] }
        for facts in rest.compactMap({ $0 }) { recorder.record(.fragments(facts)) }
    }

    /// Records the loss of the link, and the fragments that came before it.
    private func recordLoss(_ error: BluetoothLEError) {
        flush()
        recorder.record(.link(LinkStateFacts(change: TraceWord(.lost), value: nil, fault: FaultFacts(error))))
    }

    private func record(_ change: LinkStateFacts.Change, value: Int?) {
        recorder.record(.link(LinkStateFacts(change: TraceWord(change), value: value, fault: nil)))
    }
}

/// The fragments of one message until now.
private struct TracedFragments {
    private let direction: FragmentsFacts.Direction
    private var facts: FragmentsFacts
    private var begin = ContinuousClock.now

    init(_ direction: FragmentsFacts.Direction) {
        self.direction = direction
        facts = FragmentsFacts(direction: TraceWord(direction))
    }

    /// Adds a fragment, and returns the message if it is complete.
    mutating func add(_ count: Int, isLast: Bool) -> FragmentsFacts? {
        if facts.fragments == 0 { begin = .now }
        // A very long transfer must not stop the program, so the counters may wrap.
        facts.fragments &+= 1
        facts.bytes &+= UInt32(clamping: count)
        facts.largest = max(facts.largest, UInt32(clamping: count))
        facts.isComplete = isLast
        facts.took = begin.duration(to: .now).traceMilliseconds
        return isLast ? take() : nil
    }

    /// Returns the facts of the fragments until now and begins to count another message. `nil` without
    /// fragments.
    mutating func take() -> FragmentsFacts? {
        defer { self = TracedFragments(direction) }
        return facts.fragments > 0 ? facts : nil
    }
}

extension PacketHead {
    fileprivate var count: Int {
        switch self {
        case .none: 0
        case .byte: 1
        case .length: 4
        }
    }
}

extension LinkFacts.Kind {
    fileprivate init(_ kind: BluetoothLELinkKind) {
        self =
            switch kind {
            case .server: .server
            case .client: .client
            case .l2cap: .l2cap
            }
    }
}
