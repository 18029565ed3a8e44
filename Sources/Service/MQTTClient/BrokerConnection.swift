internal import CMosquitto
internal import Glibc
internal import Synchronization
internal import Transport

/// A connection to an MQTT 3.1.1 broker, from `start()` to the event `ended`. Each connection needs a new
/// object.
///
/// A chain of shops uses connections to its own broker, in kiosks (`BrokerFollower`) and hubs (`HubBroker`).
/// `countersign-accessories` uses a connection to the broker of a house, for example for Home Assistant. Each
/// owner reads `events` in one task.
///
/// - A separate thread waits for the socket with poll(2). libmosquitto's own thread uses select(2), which
///   accepts no descriptor above 1023. A hub with a thousand kiosks could therefore not reconnect to a broker
///   that was restarted.
/// - libmosquitto locks its own state, so `publish`, `subscribe` and `stop` can be called from any thread.
///   They only queue packets and wake the socket's thread.
/// - `stop()` ends the connection with a DISCONNECT, so that the broker does not publish the will of this
///   client.
///
/// Limits: 20 s until the broker accepts the client, a keep-alive of 20 s, messages of at most 16 KiB, and at
/// most `Settings.mostUnread` unread events. `BrokerProtection` says how the two sides are authenticated. The
/// connection never reconnects by itself.
@safe package final class BrokerConnection: @unchecked Sendable {  // libmosquitto locks its own state
    /// The maximum size of a received message, in bytes. Longer messages are dropped.
    package static let longestMessage = 1 << 14
    /// The MQTT keep-alive, in seconds. After this time without a message libmosquitto pings the broker, and
    /// after twice this time the connection counts as lost. The time is short, so that a kiosk in a broken
    /// network notices the loss within a minute. The kiosk then asks the hub whether the kiosk was revoked.
    package static let keepAlive: Int32 = 20
    /// The maximum time until the broker accepts this client. The DNS lookup of the host has no limit.
    package static let connectTimeout = Duration.seconds(20)
    /// The maximum time to wait for the DISCONNECT to be sent.
    private static let stopTimeout = Duration.seconds(2)
    /// The maximum time between two calls of libmosquitto's housekeeping (keep-alive), in milliseconds.
    private static let interval: Int32 = 1000
    /// The maximum number of socket events until the broker accepts this client; about a dozen are normal. A
    /// server that is no broker cannot keep the socket's thread busy for longer.
    private static let mostSteps = 200

    /// Whether libmosquitto could be initialised. The first use of this value initialises the library, once
    /// in the process.
    private static let isLibraryReady = mosquitto_lib_init() == Int32(MOSQ_ERR_SUCCESS.rawValue)

    /// The events of the connection in the order in which they occurred. Only one task may read them.
    package let events: AsyncStream<BrokerEvent>
    private let box: EventBox
    private let address: (host: String, port: Int32)
    private let client: OpaquePointer
    private let thread = WorkerThread()
    private let wake: WakePipe
    private let state = Mutex(State())

    private struct State {
        var isRunning = false
        /// The time at which the connection ends even if the DISCONNECT was not sent. `nil` until `stop()` is
        /// called.
        var end: ContinuousClock.Instant?
        /// The callers of `stop()` that wait for the end.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Prepares a connection. `nil` if libmosquitto does not accept the settings, or if the process has no
    /// file descriptor left.
    package init?(_ settings: Settings) {
        guard Self.isLibraryReady, let port = Int32(exactly: settings.port), let wake = WakePipe() else {
            return nil
        }
        self.wake = wake
        address = (settings.host, port)
        let (events, continuation) = AsyncStream.makeStream(
            of: BrokerEvent.self, bufferingPolicy: .bufferingNewest(settings.mostUnread))
        self.events = events
        box = EventBox(continuation)
        // libmosquitto does not retain the box. `box` lives as long as this object, which destroys the
        // client.
        let context = unsafe Unmanaged.passUnretained(box).toOpaque()
        // `true` requests a clean session, in which the broker keeps no subscriptions or messages of earlier
        // connections.
        guard let client = unsafe mosquitto_new(settings.client, true, context) else { return nil }
        unsafe self.client = client
        // `prepare` is called after the last stored property is set, so that `deinit` frees the client if
        // `prepare` fails.
        guard unsafe Self.prepare(client, settings) else { return nil }
        unsafe Self.listen(on: client)
    }

    deinit { unsafe mosquitto_destroy(client) }

    /// Gives libmosquitto's client the credentials, the TLS settings and the will. Returns whether
    /// libmosquitto accepts them all.
    private static func prepare(_ client: OpaquePointer, _ settings: Settings) -> Bool {
        let success = Int32(MOSQ_ERR_SUCCESS.rawValue)
        guard
            // In this mode, calls from other threads only queue their packets, so that one thread alone
            // writes to the socket.
            unsafe mosquitto_threaded_set(client, true) == success,
            unsafe protect(client, settings.protection)
        else { return false }
        if let login = settings.login,
            unsafe mosquitto_username_pw_set(client, login.user, login.password) != success
        {
            return false
        }
        guard let will = settings.will else { return true }
        // The will has QoS 1 and is retained.
        return unsafe mosquitto_will_set(
            client, will.topic, Int32(will.payload.count), will.payload, 1, true) == success
    }

    /// Gives libmosquitto's client the TLS settings. Returns whether libmosquitto accepts them.
    private static func protect(_ client: OpaquePointer, _ protection: BrokerProtection) -> Bool {
        let success = Int32(MOSQ_ERR_SUCCESS.rawValue)
        switch protection {
        case .unencrypted: return true
        case .tls(let roots, let own):
            return unsafe mosquitto_tls_set(client, roots.path, nil, own?.certificate, own?.key, nil)
                == success
                // The value 1 requires verification of the broker's certificate. libmosquitto verifies the
                // host name in the certificate by default.
                && mosquitto_tls_opts_set(client, 1, "tlsv1.2", nil) == success
        }
    }

    /// Registers callbacks, which run on the socket's thread.
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
            // A message that is too long is dropped.
            guard let message = unsafe message?.pointee, let topic = unsafe message.topic,
                (0...Int32(BrokerConnection.longestMessage)).contains(unsafe message.payloadlen)
            else { return }
            let payload = unsafe UnsafeRawBufferPointer(
                start: message.payload, count: Int(message.payloadlen))
            unsafe EventBox.yield(
                .message(
                    topic: String(cString: topic), payload: Array(payload), isRetained: message.retain),
                to: context)
        }
    }

    /// Starts the connection. Its events appear in `events`.
    package func start() {
        state.withLock { $0.isRunning = true }
        thread.perform { [self] in
            let connected = unsafe mosquitto_connect_async(
                client, address.host, address.port, Self.keepAlive)
            if connected == Int32(MOSQ_ERR_SUCCESS.rawValue) { follow() }
            // libmosquitto does not report the end of a connection that was never made. A second `ended` has
            // no effect, because the first closes the stream.
            box.yield(.ended)
            let waiting = state.withLock { state in
                state.isRunning = false
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    /// Serves the socket until the connection ends.
    private func follow() {
        let deadline = ContinuousClock.now + Self.connectTimeout
        var steps = 0
        while true {
            let end = state.withLock { $0.end }
            // Before the broker has accepted the client, there is no DISCONNECT to wait for.
            if let end, !box.isConnected || end < .now { return }
            if !box.isConnected, deadline < .now || steps == Self.mostSteps { return }
            guard serve() else { return }
            if !box.isConnected { steps += 1 }
        }
    }

    /// Waits for the socket once, and reads and writes what is pending. Returns `false` if the connection has
    /// ended.
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
        // The connection ends here if its TCP connection was refused, because libmosquitto would continue to
        // wait.
        guard box.isConnected || found & (POLLERR | POLLHUP) == 0 else { return false }
        var code = Int32(MOSQ_ERR_SUCCESS.rawValue)
        // Read for any event but `POLLOUT`, because reading also reports an error or a hangup. During the TLS
        // handshake, only `mosquitto_loop_read` makes progress, even if the socket is only writable. (The
        // argument 1 of both calls has no effect in libmosquitto.)
        if found & ~POLLOUT != 0 || (found != 0 && !box.isConnected) {
            code = unsafe mosquitto_loop_read(client, 1)
        }
        // A woken thread also writes, because the caller that woke the thread has only queued its packet.
        if code == Int32(MOSQ_ERR_SUCCESS.rawValue), found & POLLOUT != 0 || isWoken {
            code = unsafe mosquitto_loop_write(client, 1)
        }
        guard code == Int32(MOSQ_ERR_SUCCESS.rawValue) else { return false }
        return unsafe mosquitto_loop_misc(client) == Int32(MOSQ_ERR_SUCCESS.rawValue)
    }

    /// Ends the connection with a DISCONNECT, so that the broker publishes no will, and waits up to 2 s until
    /// the DISCONNECT is sent. If the broker has not accepted the client yet, the connection ends immediately
    /// without a DISCONNECT.
    package func stop() async {
        guard box.isConnected else {
            state.withLock { $0.end = .now }
            // The events must end even if the connection was never started.
            box.yield(.ended)
            return wake.write()
        }
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            let isRunning = state.withLock { state in
                // A second call of `stop` must not extend the time limit.
                if state.end == nil { state.end = .now + Self.stopTimeout }
                if state.isRunning { state.waiting.append(done) }
                return state.isRunning
            }
            // The connection has already ended, so no other code would resume this caller.
            guard isRunning else { return done.resume() }
            unsafe mosquitto_disconnect(client)
            wake.write()
        }
    }

    /// Publishes a message with QoS 1.
    ///
    /// - Returns: The message's number, which the event `acknowledged` repeats after the broker has received
    ///   the message. `nil` without a connection.
    @discardableResult
    package func publish(_ payload: [UInt8], to topic: String, isRetained: Bool) -> Int32? {
        var number: Int32 = 0
        let code = unsafe mosquitto_publish(
            client, &number, topic, Int32(payload.count), payload, 1, isRetained)
        wake.write()
        return code == Int32(MOSQ_ERR_SUCCESS.rawValue) ? number : nil
    }

    /// Subscribes to a topic pattern with QoS 1. The call fails only if there is no connection. The event
    /// `ended` reports that case.
    package func subscribe(to pattern: String) {
        _ = unsafe mosquitto_subscribe(client, nil, pattern, 1)
        wake.write()
    }
}

/// A pipe that interrupts the `poll` call of the socket's thread.
private final class WakePipe: Sendable {
    let reader: Int32
    private let writer: Int32

    /// Creates the pipe. `nil` if the process has no file descriptor left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        // The pipe is non-blocking, so that `write` to a full pipe and `drain` of an empty pipe return
        // immediately.
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

    /// Interrupts the `poll` call. The write can fail only if the pipe is full; the thread wakes in that case
    /// too.
    func write() {
        var one: UInt8 = 1
        _ = unsafe Glibc.write(writer, &one, 1)
    }

    /// Empties the pipe. Bytes beyond the first 64 stay in the pipe and also interrupt the next `poll` call.
    func drain() {
        var sink = [UInt8](repeating: 0, count: 64)
        _ = unsafe read(reader, &sink, sink.count)
    }
}

/// A box that passes the events of the socket's thread to the reader of the stream.
private final class EventBox: Sendable {
    private let continuation: AsyncStream<BrokerEvent>.Continuation
    private let connected = Mutex(false)

    /// Whether the broker has accepted this client.
    var isConnected: Bool { connected.withLock { $0 } }

    init(_ continuation: AsyncStream<BrokerEvent>.Continuation) {
        self.continuation = continuation
    }

    /// Passes an event to the stream's reader. The event `ended` closes the stream, so later events have no
    /// effect.
    func yield(_ event: BrokerEvent) {
        if event == .connected { connected.withLock { $0 = true } }
        continuation.yield(event)
        if event == .ended { continuation.finish() }
    }

    /// Passes an event to the stream's reader. Called by the callbacks of libmosquitto, whose `context` is an
    /// `EventBox`.
    static func yield(_ event: BrokerEvent, to context: UnsafeMutableRawPointer?) {
        guard let context = unsafe context else { return }
        unsafe Unmanaged<EventBox>.fromOpaque(context).takeUnretainedValue().yield(event)
    }
}
