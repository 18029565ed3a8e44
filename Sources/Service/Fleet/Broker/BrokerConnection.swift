internal import CMosquitto
internal import Dispatch

/// What happens on a connection to the broker.
package enum BrokerEvent: Equatable, Sendable {
    case connected
    /// The broker does not let this client in: its code of MQTT 3.1.1, 3.2.2.3.
    case refused(code: Int32)
    /// There is no connection, or none any more. Nothing follows.
    case ended
    case message(topic: String, payload: [UInt8])
    /// The broker has taken a message of this number.
    case acknowledged(Int32)
}

/// One connection to an MQTT 3.1.1 broker over TLS, from its start to its end: who wants another one makes another. libmosquitto
/// has a thread for it.
@safe package final class BrokerConnection: @unchecked Sendable {  // libmosquitto locks its own state
    /// Where the broker is and as whom to connect.
    package struct Settings: Equatable, Sendable {
        package var host: String
        package var port: Int32
        /// The file with the roots of the broker's certificate, PEM.
        package var authority: String
        /// The files with the client's certificate and key, PEM.
        package var certificate: String
        package var key: String
        package var user: String
        package var password: String
        package var client: String
        /// What the broker publishes, retained, once this client is lost.
        package var will: (topic: String, payload: [UInt8])?

        package init(
            host: String, port: Int32, authority: String, certificate: String, key: String, user: String,
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

        package static func == (one: Settings, other: Settings) -> Bool {
            one.host == other.host && one.port == other.port && one.user == other.user
                && one.password == other.password && one.client == other.client
        }
    }

    /// The longest message that is handed on, in bytes; longer ones are dropped.
    package static let longestMessage = 1 << 14
    /// After how many seconds without a word the broker takes this client for lost.
    package static let keepAlive: Int32 = 30
    /// Messages that wait for who reads the events; the oldest go first.
    private static let mostWaiting = 4096

    private static let isLibraryReady = mosquitto_lib_init() == Int32(MOSQ_ERR_SUCCESS.rawValue)

    package let events: AsyncStream<BrokerEvent>
    private let box: EventBox
    private let client: OpaquePointer
    private let queue = DispatchQueue(label: "countersign.fleet.broker")

    /// Nil where libmosquitto does not take the settings.
    package init?(_ settings: Settings) {
        guard Self.isLibraryReady else { return nil }
        let (events, continuation) = AsyncStream.makeStream(
            of: BrokerEvent.self, bufferingPolicy: .bufferingNewest(Self.mostWaiting))
        self.events = events
        box = EventBox(continuation)
        let context = unsafe Unmanaged.passUnretained(box).toOpaque()
        guard let client = unsafe mosquitto_new(settings.client, true, context) else { return nil }
        unsafe self.client = client
        guard unsafe Self.prepare(client, settings) else {
            unsafe mosquitto_destroy(client)
            return nil
        }
        unsafe Self.listen(on: client)
    }

    deinit { unsafe mosquitto_destroy(client) }

    private static func prepare(_ client: OpaquePointer, _ settings: Settings) -> Bool {
        let success = Int32(MOSQ_ERR_SUCCESS.rawValue)
        guard
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

    /// The callbacks run on libmosquitto's thread.
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
    package func start(_ settings: Settings) {
        queue.async { [self] in
            let connected = unsafe mosquitto_connect(client, settings.host, settings.port, Self.keepAlive)
            guard connected == Int32(MOSQ_ERR_SUCCESS.rawValue),
                unsafe mosquitto_loop_start(client) == Int32(MOSQ_ERR_SUCCESS.rawValue)
            else { return box.yield(.ended) }
        }
    }

    /// Ends the connection as MQTT does, so that the broker publishes no will, and waits for its thread.
    package func stop() async {
        await withCheckedContinuation { done in
            queue.async { [self] in
                unsafe mosquitto_disconnect(client)
                unsafe mosquitto_loop_stop(client, false)
                box.yield(.ended)
                done.resume()
            }
        }
    }

    /// Publishes with QoS 1. Nil where nobody is connected.
    ///
    /// - Returns: the number that is acknowledged once the broker has it.
    @discardableResult
    package func publish(_ payload: [UInt8], to topic: String, isRetained: Bool) -> Int32? {
        var number: Int32 = 0
        let code = unsafe mosquitto_publish(
            client, &number, topic, Int32(payload.count), payload, 1, isRetained)
        return code == Int32(MOSQ_ERR_SUCCESS.rawValue) ? number : nil
    }

    /// Subscribes with QoS 1.
    package func subscribe(to pattern: String) {
        _ = unsafe mosquitto_subscribe(client, nil, pattern, 1)
    }
}

/// Takes what libmosquitto's thread says to whoever reads the events.
private final class EventBox: Sendable {
    private let continuation: AsyncStream<BrokerEvent>.Continuation

    init(_ continuation: AsyncStream<BrokerEvent>.Continuation) {
        self.continuation = continuation
    }

    func yield(_ event: BrokerEvent) {
        continuation.yield(event)
        if event == .ended { continuation.finish() }
    }

    static func yield(_ event: BrokerEvent, to context: UnsafeMutableRawPointer?) {
        guard let context = unsafe context else { return }
        unsafe Unmanaged<EventBox>.fromOpaque(context).takeUnretainedValue().yield(event)
    }
}
