internal import CMosquitto
internal import Glibc
internal import Synchronization
internal import Transport

/// What happens on a connection to the broker.
package enum BrokerEvent: Equatable, Sendable {
    case connected
    /// The broker does not accept this client: its code of MQTT 3.1.1, 3.2.2.3.
    case refused(code: Int32)
    /// There is no connection, or no longer one. Nothing follows.
    case ended
    case message(topic: String, payload: [UInt8])
    /// The broker has taken a message of this number.
    case acknowledged(Int32)
}

/// What a log said of the broker last: attempts come every few seconds, and each condition is said once, until there is another one
/// or a connection.
package struct BrokerRemark: Sendable {
    private var last = ""

    package init() {}

    /// Whether this is to be said now.
    package mutating func isNews(_ text: String) -> Bool {
        defer { last = text }
        return text != last
    }

    /// There is a connection.
    package mutating func clear() { last = "" }
}

/// One connection to an MQTT 3.1.1 broker over TLS, from its start to its end: who wants another one makes another.
///
/// A separate thread waits for the socket with poll(2). libmosquitto's own thread waits with select(2), which takes no descriptor
/// above 1023: a hub with a thousand kiosks would not come back to a broker that was restarted.
@safe package final class BrokerConnection: @unchecked Sendable {  // libmosquitto locks its own state
    /// Where the broker is and as whom to connect.
    package struct Settings: Sendable {
        package var host: String
        package var port: Int64
        /// The file with the roots of the broker's certificate, PEM.
        package var authority: String
        /// The files with the client's certificate and key, PEM.
        package var certificate: String
        package var key: String
        package var user: String
        package var password: String
        /// The client's name, by which the broker knows a connection: who comes with it ends the one before.
        package var client: String
        /// What the broker publishes, retained, once this client is lost.
        package var will: (topic: String, payload: [UInt8])?

        package init(
            host: String, port: Int64, authority: String, certificate: String, key: String, user: String,
            password: String, client: String, will: (topic: String, payload: [UInt8])? = nil
        ) {
            self.host = host
            self.port = port
            self.authority = authority
            self.certificate = certificate
            self.key = key
            self.user = user
            self.password = password
            self.client = client
            self.will = will
        }
    }

    /// The longest message that is handed on, in bytes; longer ones are dropped.
    package static let longestMessage = 1 << 14
    /// After how many seconds without a word the other side is asked for one, and after as many without it is taken for lost:
    /// a kiosk that a broken network keeps from hearing of its revocation asks the hub within a minute.
    package static let keepAlive: Int32 = 20
    /// How long it may take until the broker accepts this client. Only the search for the host's address is not ended by it.
    package static let connectTimeout = Duration.seconds(20)
    /// How long the broker may take to read that this client leaves.
    private static let stopTimeout = Duration.seconds(2)
    /// How often libmosquitto looks whether it is time for a word to the broker, in milliseconds.
    private static let interval: Int32 = 1000
    /// How often the socket may have something until the broker has accepted this client: a dozen times serve.
    private static let mostSteps = 200
    /// Events that wait for their reader; the oldest are dropped. A hub hears of each kiosk at once when it connects.
    private static let mostWaiting = 1 << 17

    private static let isLibraryReady = mosquitto_lib_init() == Int32(MOSQ_ERR_SUCCESS.rawValue)

    package let events: AsyncStream<BrokerEvent>
    private let box: EventBox
    private let address: (host: String, port: Int32)
    private let client: OpaquePointer
    private let thread = WorkerThread()
    private let wake: WakePipe
    private let state = Mutex(State())

    private struct State {
        var isRunning = false
        /// When the connection ends without a word to the broker; nil while it is to stay.
        var end: ContinuousClock.Instant?
        /// Who waits for the end.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Nil if libmosquitto does not take the settings.
    package init?(_ settings: Settings) {
        guard Self.isLibraryReady, let port = Int32(exactly: settings.port), let wake = WakePipe() else {
            return nil
        }
        self.wake = wake
        address = (settings.host, port)
        let (events, continuation) = AsyncStream.makeStream(
            of: BrokerEvent.self, bufferingPolicy: .bufferingNewest(Self.mostWaiting))
        self.events = events
        box = EventBox(continuation)
        let context = unsafe Unmanaged.passUnretained(box).toOpaque()
        guard let client = unsafe mosquitto_new(settings.client, true, context) else { return nil }
        unsafe self.client = client
        // Where this fails all members are there, so that deinit frees the client.
        guard unsafe Self.prepare(client, settings) else { return nil }
        unsafe Self.listen(on: client)
    }

    deinit { unsafe mosquitto_destroy(client) }

    private static func prepare(_ client: OpaquePointer, _ settings: Settings) -> Bool {
        let success = Int32(MOSQ_ERR_SUCCESS.rawValue)
        guard
            // Others than the thread of the socket only queue what is to be sent.
            unsafe mosquitto_threaded_set(client, true) == success,
            unsafe mosquitto_username_pw_set(client, settings.user, settings.password) == success,
            unsafe mosquitto_tls_set(
                client, settings.authority, nil, settings.certificate, settings.key, nil) == success,
            // 1: the broker's certificate is verified, and its name by libmosquitto's default.
            unsafe mosquitto_tls_opts_set(client, 1, "tlsv1.2", nil) == success
        else { return false }
        guard let will = settings.will else { return true }
        return unsafe mosquitto_will_set(
            client, will.topic, Int32(will.payload.count), will.payload, 1, true) == success
    }

    /// The callbacks run on the socket's thread.
    private static func listen(on client: OpaquePointer) {
        unsafe mosquitto_connect_callback_set(client) { _, context, code in
            unsafe EventBox.yield(code == 0 ? .connected : .refused(code: code), to: context)
        }
        unsafe mosquitto_disconnect_callback_set(client) { _, context, _ in
            unsafe EventBox.yield(.ended, to: context)
        }
        unsafe mosquitto_publish_callback_set(client) { _, context, number in
            unsafe EventBox.yield(.acknowledged(number), to: context)
        }
        unsafe mosquitto_message_callback_set(client) { _, context, message in
            guard let message = unsafe message?.pointee, let topic = unsafe message.topic,
                (0...Int32(BrokerConnection.longestMessage)).contains(unsafe message.payloadlen)
            else { return }
            let payload = unsafe UnsafeRawBufferPointer(
                start: message.payload, count: Int(message.payloadlen))
            unsafe EventBox.yield(
                .message(topic: String(cString: topic), payload: Array(payload)), to: context)
        }
    }

    /// Connects, and yields what comes of it.
    package func start() {
        state.withLock { $0.isRunning = true }
        thread.perform { [self] in
            let connected = unsafe mosquitto_connect_async(
                client, address.host, address.port, Self.keepAlive)
            if connected == Int32(MOSQ_ERR_SUCCESS.rawValue) { follow() }
            box.yield(.ended)
            let waiting = state.withLock { state in
                state.isRunning = false
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    /// Serves the socket until the connection is over.
    private func follow() {
        let deadline = ContinuousClock.now + Self.connectTimeout
        var steps = 0
        while true {
            let end = state.withLock { $0.end }
            if let end, !box.isConnected || end < .now { return }
            if !box.isConnected, deadline < .now || steps == Self.mostSteps { return }
            guard serve() else { return }
            if !box.isConnected { steps += 1 }
        }
    }

    /// Waits for the socket once; false if the connection is over.
    private func serve() -> Bool {
        let socket = unsafe mosquitto_socket(client)
        guard socket >= 0 else { return false }
        let writes = unsafe mosquitto_want_write(client)
        var entries = [
            pollfd(fd: socket, events: Int16(writes ? POLLIN | POLLOUT : POLLIN), revents: 0),
            pollfd(fd: wake.reader, events: Int16(POLLIN), revents: 0),
        ]
        guard unsafe poll(&entries, nfds_t(entries.count), Self.interval) >= 0 || errno == EINTR else {
            return false
        }
        let (found, isWoken) = (Int32(entries[0].revents), entries[1].revents != 0)
        if isWoken { wake.drain() }
        // libmosquitto would wait on where the system refused the connection.
        guard box.isConnected || found & (POLLERR | POLLHUP) == 0 else { return false }
        var code = Int32(MOSQ_ERR_SUCCESS.rawValue)
        // Until the broker accepts this client, reading is what continues TLS.
        if found & ~POLLOUT != 0 || (found != 0 && !box.isConnected) {
            code = unsafe mosquitto_loop_read(client, 1)
        }
        if code == Int32(MOSQ_ERR_SUCCESS.rawValue), found & POLLOUT != 0 || isWoken {
            code = unsafe mosquitto_loop_write(client, 1)
        }
        guard code == Int32(MOSQ_ERR_SUCCESS.rawValue) else { return false }
        return unsafe mosquitto_loop_misc(client) == Int32(MOSQ_ERR_SUCCESS.rawValue)
    }

    /// Ends the connection as MQTT does, so that the broker publishes no will, and waits until the broker has read that. One that
    /// the broker has not accepted yet is not waited for.
    package func stop() async {
        guard box.isConnected else {
            state.withLock { $0.end = .now }
            box.yield(.ended)
            return wake.write()
        }
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            let isRunning = state.withLock { state in
                if state.end == nil { state.end = .now + Self.stopTimeout }
                if state.isRunning { state.waiting.append(done) }
                return state.isRunning
            }
            guard isRunning else { return done.resume() }
            unsafe mosquitto_disconnect(client)
            wake.write()
        }
    }

    /// Publishes with QoS 1. Nil if nobody is connected.
    ///
    /// - Returns: the number that is acknowledged once the broker has it.
    @discardableResult
    package func publish(_ payload: [UInt8], to topic: String, isRetained: Bool) -> Int32? {
        var number: Int32 = 0
        let code = unsafe mosquitto_publish(
            client, &number, topic, Int32(payload.count), payload, 1, isRetained)
        wake.write()
        return code == Int32(MOSQ_ERR_SUCCESS.rawValue) ? number : nil
    }

    /// Subscribes with QoS 1.
    package func subscribe(to pattern: String) {
        _ = unsafe mosquitto_subscribe(client, nil, pattern, 1)
        wake.write()
    }
}

/// Ends the wait of the socket's thread.
private final class WakePipe: Sendable {
    let reader: Int32
    private let writer: Int32

    /// Nil if the process has no descriptor left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        close(reader)
        close(writer)
    }

    /// Fails only where the pipe is full, and the thread is about to wake anyway.
    func write() {
        var one: UInt8 = 1
        _ = unsafe Glibc.write(writer, &one, 1)
    }

    func drain() {
        var sink = [UInt8](repeating: 0, count: 64)
        _ = unsafe read(reader, &sink, sink.count)
    }
}

/// Takes what happens on the socket's thread to whoever reads the events.
private final class EventBox: Sendable {
    private let continuation: AsyncStream<BrokerEvent>.Continuation
    private let connected = Mutex(false)

    /// Whether the broker has accepted this client.
    var isConnected: Bool { connected.withLock { $0 } }

    init(_ continuation: AsyncStream<BrokerEvent>.Continuation) {
        self.continuation = continuation
    }

    func yield(_ event: BrokerEvent) {
        if event == .connected { connected.withLock { $0 = true } }
        continuation.yield(event)
        if event == .ended { continuation.finish() }
    }

    static func yield(_ event: BrokerEvent, to context: UnsafeMutableRawPointer?) {
        guard let context = unsafe context else { return }
        unsafe Unmanaged<EventBox>.fromOpaque(context).takeUnretainedValue().yield(event)
    }
}
