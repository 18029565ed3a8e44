internal import Glibc
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// The setup of a listener's connections: HTTP/1.1 for a limited number of connections.
///
/// A connection above the limit receives an answer with the reason and is closed. If such a connection were
/// not accepted, it would wait in the system's queue without an answer, and delay later connections.
struct BoundedConnections: ServerChildChannel {
    /// A connection after its setup.
    enum Value: ServerChildChannelValue {
        case served(AcceptedConnection)
        case refused(any Channel)

        var channel: any Channel {
            switch self {
            case .served(let served): served.channel
            case .refused(let channel): channel
            }
        }
    }

    private let http: HTTP1Channel
    private let served: OpenConnectionBook
    /// The count of connections that are being refused with an answer.
    private let refused = ConnectionCount(limit: OpenConnections.refused)
    private let tls: ServerTLS?
    private let limits: ConnectionLimits
    private let refusal: String
    private let caller: @Sendable (_ certificate: [UInt8]) -> String?

    /// Creates the setup.
    ///
    /// - Parameters:
    ///   - tls: the certificate; `nil` for plain HTTP.
    ///   - refusal: the complete response to a connection above the limit.
    ///   - caller: returns the name of the caller to whom a verified client certificate (DER) belongs, or
    ///     `nil` if the certificate names no caller.
    init(
        _ http: HTTP1Channel, served: OpenConnectionBook, tls: ServerTLS?, limits: ConnectionLimits,
        refusal: String, caller: @escaping @Sendable (_ certificate: [UInt8]) -> String?
    ) {
        self.http = http
        self.served = served
        self.tls = tls
        self.limits = limits
        self.refusal = refusal
        self.caller = caller
    }

    /// Counts an accepted connection and adds its handlers, or refuses the connection.
    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        switch served.enter(channel) {
        case .refused:
            return channel.eventLoop.makeCompletedFuture {
                // Before the TLS handshake the refusal cannot be sent.
                if tls == nil { try refuse(channel) } else { channel.close(promise: nil) }
                return .refused(channel)
            }
        case .served(let leaving):
            if let leaving { makeRoom(leaving) }
            do {
                if let time = limits.write {
                    try channel.pipeline.syncOperations.addHandler(WriteDeadline(time))
                }
                try channel.pipeline.syncOperations.addHandler(
                    FirstBytes { served.recordFirstBytes(on: channel) })
                if let tls { try add(tls, to: channel) }
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
            return http.setup(channel: channel, logger: logger).flatMapThrowing { value throws -> Value in
                let accepted = AcceptedConnection(value, of: http)
                try readAbsoluteTargets(on: channel)
                return .served(accepted)
            }
        }
    }

    /// Adds TLS, and the handler that recognises a caller by the client's certificate.
    private func add(_ tls: ServerTLS, to channel: any Channel) throws {
        let operations = channel.pipeline.syncOperations
        try operations.addHandler(tls.handler)
        try operations.addHandler(
            HandshakeWatch { certificate in
                if let name = caller(certificate) { served.identify(channel, as: name) }
            })
    }

    /// Adds `AbsoluteTarget` behind the HTTP decoder.
    private func readAbsoluteTargets(on channel: any Channel) throws {
        let operations = channel.pipeline.syncOperations
        let decoder = try operations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try operations.addHandler(AbsoluteTarget(), position: .after(decoder))
    }

    /// Ends a connection that has to make room for a new one.
    private func makeRoom(_ channel: any Channel) {
        channel.eventLoop.execute {
            // While the connection's last request is being answered, the request may already have changed
            // something. A refusal would tell the caller that nothing was done.
            guard !served.isAnsweringLast(on: channel), isReadyForAnswer(channel) else {
                return channel.closeAtOnce()
            }
            do { try refuse(channel) } catch { channel.closeAtOnce() }
        }
    }

    /// Whether an answer can be sent, which is possible only after a TLS handshake.
    private func isReadyForAnswer(_ channel: any Channel) -> Bool {
        guard tls != nil else { return true }
        let watch = try? channel.pipeline.syncOperations.handler(type: HandshakeWatch.self)
        return watch?.isComplete == true
    }

    /// Sends the refusal and closes the connection. Call this function on the channel's event loop.
    private func refuse(_ channel: any Channel) throws {
        // If too many connections are refused at the same time, further connections are closed without a
        // delay, and their clients may lose the answer.
        let timeout = refused.enter(channel) ? ConnectionEnd.timeout : .zero
        try ConnectionEnd(saying: refusal, timeout: timeout).begin(on: channel)
    }

    func handle(value: Value, logger: Logger) async {
        // A refused connection is ended by `ConnectionEnd`, or is closed already.
        guard case .served(let accepted) = value else { return }
        guard limits.answersOnEventLoop else { return await accepted.handle(logger) }
        await withTaskExecutorPreference(EventLoopExecutor(accepted.channel.eventLoop)) {
            await accepted.handle(logger)
        }
    }
}

/// A connection that is set up for HTTP.
///
/// The writer of a connection must be finished before it is released; otherwise NIO stops the process.
/// `deinit` therefore finishes a connection that was accepted while the listener ended and that nobody
/// handled.
final class AcceptedConnection: Sendable {
    private let value: HTTP1Channel.Value
    private let http: HTTP1Channel
    private let isHandled = Atomic(false)

    fileprivate init(_ value: HTTP1Channel.Value, of http: HTTP1Channel) {
        self.value = value
        self.http = http
    }

    var channel: any Channel { value.channel }

    /// Serves the requests of the connection until it ends.
    func handle(_ logger: Logger) async {
        isHandled.store(true, ordering: .relaxed)
        await http.handle(value: value, logger: logger)
    }

    deinit {
        guard !isHandled.load(ordering: .relaxed) else { return }
        value.channel.closeAtOnce()
        // The listener has ended, and no request can be answered. Only the writer has to be finished.
        Task { [value] in try? await value.executeThenClose { _, _ in } }
    }
}

/// A count of open connections, up to a limit.
final class ConnectionCount: Sendable {
    private let limit: Int
    private let open = Mutex(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// Counts a connection until it is closed.
    ///
    /// - Returns: false if the limit is reached.
    func enter(_ channel: any Channel) -> Bool {
        let isCounted = open.withLock { open in
            guard open < limit else { return false }
            open += 1
            return true
        }
        if isCounted {
            channel.closeFuture.whenComplete { _ in self.open.withLock { $0 -= 1 } }
        }
        return isCounted
    }
}

/// The limits on open connections, and on the file descriptors that they need.
package enum OpenConnections {
    /// The maximum number of connections that a listener refuses with an answer at the same time.
    static let refused = 256

    /// The maximum number of connections that a listener accepts, including the connections that are being
    /// refused or closed. Further connections stay in the system's queue, because a listener without a free
    /// file descriptor would end and not start again.
    private static func most(for connections: Int) -> Int { connections + 2 * refused }

    /// The object that stops the listener from accepting connections beyond `most`.
    static func delegate(for connections: Int) -> any AvailableConnectionsDelegate {
        let silent = Logger(label: "connections") { _ in SwiftLogNoOpLogHandler() }
        return MaximumAvailableConnections(most(for: connections), logger: silent)
    }

    /// The number of file descriptors for the rest of the daemon: the store, card readers, D-Bus, webhooks
    /// and portrait decoders.
    private static let others = 256

    /// Raises this process's limit of open files to the number that the listeners need, as far as the system
    /// permits.
    package static func makeRoom(for connections: Int, listeners: Int) {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(resource, &limit) == 0 else { return }
        let needed = rlim_t(listeners * most(for: connections) + others)
        guard limit.rlim_cur < needed else { return }
        limit.rlim_cur = min(needed, limit.rlim_max)
        _ = unsafe setrlimit(resource, &limit)
    }
}

/// A task executor on the event loop of a connection. Without this executor, a request would change threads
/// several times. These changes would take longer than most requests.
final class EventLoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
