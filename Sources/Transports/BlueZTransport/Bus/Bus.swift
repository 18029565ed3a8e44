internal import CSystemdBus
internal import Dispatch
internal import Glibc
internal import Transport

/// A connection to a D-Bus message bus through libsystemd's sd-bus.
///
/// sd-bus is not safe for several threads. The actor's executor is a ``BusQueue``, and every call into sd-bus
/// and every callback from it runs on this queue. Objects that hold references of sd-bus release them on the
/// queue too.
///
/// After each operation that may have sent or received, ``work()`` runs sd-bus until it has nothing left to
/// do. Then the actor waits for the socket, or for the nearest deadline of sd-bus.
///
/// - ``call(_:_:_:_:within:answered:)`` calls a method and waits for its answer, the limit, or the
///   cancellation of the task. The message of a cancelled call has already been sent.
/// - ``observe(_:_:)`` receives signals, and ``export(_:_:)`` receives method calls, until the returned
///   ``Registration`` is released.
/// - ``close()``, or the loss of the connection, ends every pending call with `disconnected` and calls the
///   functions of ``whenDisconnected(_:_:)``. A bus is never reconnected: `BlueZRadio` makes a new one.
///
/// The bus does not check who sent a signal or a call. `Daemon` and `GATTServer` accept only signals and
/// calls of bluetoothd.
@safe actor Bus {
    nonisolated let queue: BusQueue
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

    private nonisolated(unsafe) let connection: OpaquePointer
    private nonisolated(unsafe) var reading: SocketPoller.Watch?
    private nonisolated(unsafe) var writing: SocketPoller.Watch?
    /// The deadline of the timer that is set, in microseconds of CLOCK_MONOTONIC.
    private var timerDeadline = UInt64.max
    private(set) var isConnected = true
    private var isWorking = false
    private var calls: [UInt64: PendingCall] = [:]
    private var lastCall: UInt64 = 0
    /// The functions of ``whenDisconnected(_:_:)``, by their owners.
    private var endings: [ObjectIdentifier: @Sendable () -> Void] = [:]

    private init(_ connection: OpaquePointer, queue: BusQueue) {
        unsafe self.connection = connection
        self.queue = queue
    }

    /// Connects to the bus at `address`; by default to the system bus, whose address may be in
    /// `DBUS_SYSTEM_BUS_ADDRESS`.
    ///
    /// This opens the socket. Authentication happens in the background.
    static func connect(to address: String? = nil) async throws(BusError) -> Bus {
        // The poller fails only if the process has no descriptor left.
        guard let poller = try? SocketPoller.shared else { throw BusError(code: -EMFILE) }
        var connection: OpaquePointer?
        let status = unsafe address.map { unsafe open($0, &connection) } ?? sd_bus_open_system(&connection)
        guard status >= 0, let connection = unsafe connection else { throw BusError(code: status) }
        unsafe sd_bus_set_close_on_exit(connection, 0)
        let bus = unsafe Bus(connection, queue: BusQueue(poller))
        await bus.work()
        return bus
    }

    /// Opens a connection to the bus at an address. Returns the status of the first call to sd-bus that
    /// fails. If no call fails, returns the status of the last call.
    private static func open(_ address: String, _ connection: inout OpaquePointer?) -> Int32 {
        var status = unsafe sd_bus_new(&connection)
        if status >= 0 { status = unsafe sd_bus_set_address(connection, address) }
        if status >= 0 { status = unsafe sd_bus_set_bus_client(connection, 1) }
        if status >= 0 { status = unsafe sd_bus_start(connection) }
        if status < 0 { unsafe connection = unsafe sd_bus_unref(connection) }
        return status
    }

    deinit {
        if isConnected { closeOnQueue() }
    }

    /// Ends the connection. Pending calls end with `disconnected`.
    func close() {
        guard isConnected else { return }
        isConnected = false
        closeOnQueue()
        for call in calls.values { call.end(.failure(.disconnected)) }
        calls = [:]
        let endings = endings.values
        self.endings = [:]
        for ending in endings { ending() }
    }

    /// Calls `body` once when the connection is lost or closed, unless `forget(_:)` is called with `owner`
    /// first.
    func whenDisconnected(_ owner: AnyObject, _ body: @escaping @Sendable () -> Void) {
        endings[ObjectIdentifier(owner)] = body
    }

    func forget(_ owner: AnyObject) {
        endings[ObjectIdentifier(owner)] = nil
    }

    /// Closes the connection on the queue, after a callback of sd-bus that may be running has returned.
    private nonisolated func closeOnQueue() {
        queue.forget(unsafe reading)
        queue.forget(unsafe writing)
        nonisolated(unsafe) let connection = unsafe connection
        queue.queue.async { unsafe sd_bus_close_unref(connection) }
    }

    /// Runs sd-bus until it has nothing left to do, then waits for the socket and for the nearest deadline.
    private func work() {
        // A callback from sd-bus runs inside another call of `work`, which continues after the callback.
        guard isConnected, !isWorking else { return }
        isWorking = true
        var status: Int32
        repeat { status = unsafe sd_bus_process(connection, nil) } while status > 0 && isConnected
        isWorking = false
        guard isConnected else { return }
        let isOpen = unsafe sd_bus_is_open(connection) > 0
        guard status >= 0, isOpen else { return close() }
        watch()
        setTimer()
    }

    /// Waits for received bytes, and for room in the socket while sd-bus has something to write.
    private func watch() {
        let descriptor = unsafe sd_bus_get_fd(connection)
        if unsafe reading == nil {
            unsafe reading = queue.whenReady(for: .readable, on: descriptor) { [weak self] in
                self?.assumeIsolated {
                    unsafe $0.reading = nil
                    $0.work()
                }
            }
        }
        let events = unsafe sd_bus_get_events(connection)
        guard events >= 0, events & POLLOUT != 0, unsafe writing == nil else { return }
        unsafe writing = queue.whenReady(for: .writable, on: descriptor) { [weak self] in
            self?.assumeIsolated {
                unsafe $0.writing = nil
                $0.work()
            }
        }
    }

    /// Sets a timer for sd-bus's nearest deadline, unless an earlier timer is set.
    private func setTimer() {
        var deadline: UInt64 = 0
        guard unsafe sd_bus_get_timeout(connection, &deadline) >= 0, deadline < timerDeadline else { return }
        timerDeadline = deadline
        // sd-bus counts microseconds, the timer nanoseconds. `&*` does not trap when the product for a
        // deadline in the far future overflows.
        queue.queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: deadline &* 1000)) { [weak self] in
            self?.assumeIsolated {
                $0.timerDeadline = .max
                $0.work()
            }
        }
    }
}

// MARK: - Calls

extension Bus {
    /// Calls a method and waits for its answer.
    ///
    /// - Parameter answered: called on the queue with the answer, before a later message is handled.
    func call(
        _ service: String, _ path: String, _ method: BusMember, _ arguments: [BusValue] = [],
        within limit: Duration, answered: (@Sendable ([BusValue]) -> Void)? = nil
    ) async throws(BusError) -> [BusValue] {
        let identifier = lastCall + 1
        lastCall = identifier
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(
                    PendingCall(identifier, method.name, continuation, answered, bus: self),
                    to: service, path: path, method: method, arguments: arguments, within: limit)
            }
        } onCancel: {
            Task { await self.end(identifier, .failure(.cancelled)) }
        }
        return try answer.get()
    }

    /// Sends the message of a call. If this is not possible, the call ends immediately with an error.
    private func begin(
        _ pending: PendingCall, to service: String, path: String, method: BusMember,
        arguments: [BusValue], within limit: Duration
    ) {
        guard isConnected else { return pending.end(.failure(.disconnected)) }
        guard !Task.isCancelled else { return pending.end(.failure(.cancelled)) }
        do throws(BusError) {
            var created: OpaquePointer?
            let status = unsafe sd_bus_message_new_method_call(
                connection, &created, service, path, method.interface, method.name)
            guard status >= 0, let created = unsafe created else { throw BusError(code: status) }
            let message = unsafe BusMessage(owning: created, on: queue)
            try message.append(arguments)
            try send(message, for: pending, within: limit)
        } catch {
            pending.end(.failure(error))
        }
        work()
    }

    /// Passes a message to sd-bus, which later calls `answered` with the answer or an error.
    private func send(
        _ message: BusMessage, for pending: PendingCall, within limit: Duration
    ) throws(BusError) {
        calls[pending.identifier] = pending
        let (seconds, attoseconds) = limit.components
        // sd-bus would treat 0 as its default of 25 s.
        let microseconds = max(seconds * 1_000_000 + attoseconds / 1_000_000_000_000, 1)
        // The dictionary `calls` keeps `pending` alive while the slot exists.
        let status = unsafe sd_bus_call_async(
            connection, &pending.slot, message.pointer,
            { answer, context, _ in
                guard let answer = unsafe answer, let context = unsafe context else { return 0 }
                let pending = unsafe Unmanaged<PendingCall>.fromOpaque(context).takeUnretainedValue()
                guard let bus = pending.bus else { return 1 }
                let message = unsafe BusMessage(sharing: answer, on: bus.queue)
                bus.assumeIsolated { $0.answered(pending.identifier, message) }
                return 1
            }, Unmanaged.passUnretained(pending).toOpaque(), UInt64(microseconds))
        guard status >= 0 else {
            calls[pending.identifier] = nil
            throw BusError(code: status)
        }
    }

    /// Ends a call with the values or the error of its answer.
    private func answered(_ identifier: UInt64, _ message: BusMessage) {
        if let error = message.error(answering: calls[identifier]?.method ?? "") {
            // When the connection is lost, sd-bus ends pending calls with a timeout.
            let isOpen = unsafe sd_bus_is_open(connection) > 0
            return end(identifier, .failure(isOpen ? error : .disconnected))
        }
        do throws(BusError) {
            let values = try message.values()
            calls[identifier]?.answered?(values)
            end(identifier, .success(values))
        } catch {
            end(identifier, .failure(error))
        }
    }

    private func end(_ identifier: UInt64, _ result: Result<[BusValue], BusError>) {
        calls.removeValue(forKey: identifier)?.end(result)
    }
}

/// A call that waits for its answer. Used only on the bus's queue.
@safe private final class PendingCall: @unchecked Sendable {  // used on the bus's queue only
    let identifier: UInt64
    /// The name of the method, for errors.
    let method: String
    private(set) weak var bus: Bus?
    let answered: (@Sendable ([BusValue]) -> Void)?
    var slot: OpaquePointer?
    private var continuation: CheckedContinuation<Result<[BusValue], BusError>, Never>?

    init(
        _ identifier: UInt64, _ method: String,
        _ continuation: CheckedContinuation<Result<[BusValue], BusError>, Never>,
        _ answered: (@Sendable ([BusValue]) -> Void)?, bus: Bus
    ) {
        self.identifier = identifier
        self.method = method
        self.continuation = continuation
        self.answered = answered
        self.bus = bus
    }

    func end(_ result: Result<[BusValue], BusError>) {
        unsafe sd_bus_slot_unref(slot)
        unsafe slot = nil
        continuation.take()?.resume(returning: result)
    }
}

/// The interface and the name of a method or signal.
struct BusMember: Hashable, Sendable {
    let interface: String
    let name: String

    init(_ interface: String, _ name: String) {
        self.interface = interface
        self.name = name
    }
}

// MARK: - Signals and objects

extension Bus {
    /// A match rule or exported objects, which are removed when this object is released.
    @safe final class Registration: @unchecked Sendable {  // its slot is set and freed on the bus's queue
        fileprivate var slot: OpaquePointer?
        fileprivate let handler: Handler
        private let bus: Bus

        fileprivate init(bus: Bus, _ handle: @escaping @Sendable (BusMessage) -> Bool) {
            self.bus = bus
            handler = Handler(handle, on: bus.queue)
        }

        deinit {
            guard let slot = unsafe slot else { return }
            nonisolated(unsafe) let last = unsafe slot
            // sd-bus is used on its queue only, and may call the handler until the slot is released there.
            // The bus must outlive the slot.
            let (bus, handler) = (bus, handler)
            bus.queue.queue.async {
                unsafe sd_bus_slot_unref(last)
                withExtendedLifetime(handler) { bus.assumeIsolated { $0.work() } }
            }
        }
    }

    fileprivate final class Handler: Sendable {
        let handle: @Sendable (BusMessage) -> Bool
        let queue: BusQueue

        init(_ handle: @escaping @Sendable (BusMessage) -> Bool, on queue: BusQueue) {
            self.handle = handle
            self.queue = queue
        }
    }

    /// Calls `body` for each signal that `rule` matches, until the registration is released.
    func observe(
        _ rule: String, _ body: @escaping @Sendable (BusMessage) -> Void
    ) throws(BusError) -> Registration {
        guard isConnected else { throw .disconnected }
        let registration = Registration(bus: self) { message in
            body(message)
            // `false` lets sd-bus pass the signal on to other registrations that match it too.
            return false
        }
        let status = unsafe sd_bus_add_match_async(
            connection, &registration.slot, rule, dispatchMessage, nil,
            Unmanaged.passUnretained(registration.handler).toOpaque())
        guard status >= 0 else { throw BusError(code: status) }
        work()
        return registration
    }

    /// Calls `body` for each method call to `path` or below, until the registration is released.
    ///
    /// - Parameter body: answers the call, immediately or later. If it returns `false`, sd-bus refuses the
    ///   call.
    func export(
        _ path: String, _ body: @escaping @Sendable (BusMessage) -> Bool
    ) throws(BusError) -> Registration {
        guard isConnected else { throw .disconnected }
        let registration = Registration(bus: self, body)
        let status = unsafe sd_bus_add_fallback(
            connection, &registration.slot, path, dispatchMessage,
            Unmanaged.passUnretained(registration.handler).toOpaque())
        guard status >= 0 else { throw BusError(code: status) }
        return registration
    }

    /// Sends the result of a method call.
    func answer(_ call: BusMessage, _ values: [BusValue]) {
        guard isConnected else { return }
        var created: OpaquePointer?
        guard unsafe sd_bus_message_new_method_return(call.pointer, &created) >= 0,
            let created = unsafe created
        else { return }
        let reply = unsafe BusMessage(owning: created, on: queue)
        // Without an answer the caller would wait until its time limit.
        guard (try? reply.append(values)) != nil else {
            return refuse(call, "org.freedesktop.DBus.Error.Failed")
        }
        unsafe sd_bus_send(connection, reply.pointer, nil)
        work()
    }

    /// Answers a method call with an error.
    func refuse(_ call: BusMessage, _ name: String, _ detail: String = "") {
        guard isConnected else { return }
        var error = unsafe sd_bus_error()
        defer { unsafe sd_bus_error_free(&error) }
        unsafe sd_bus_error_set(&error, name, detail)
        var created: OpaquePointer?
        guard unsafe sd_bus_message_new_method_error(call.pointer, &created, &error) >= 0,
            let created = unsafe created
        else { return }
        let reply = unsafe BusMessage(owning: created, on: queue)
        unsafe sd_bus_send(connection, reply.pointer, nil)
        work()
    }

    /// Sends the signal that a property of an exported object has changed.
    func propertyChanged(_ path: String, _ interface: String, _ name: String, _ value: BusValue) {
        // The last list is for changed properties whose new values are not in the signal. It is empty here.
        emit(
            path, BusMember("org.freedesktop.DBus.Properties", "PropertiesChanged"),
            [.string(interface), .map([name: value]), .strings([])])
    }

    /// Sends a signal to all programs on the bus that subscribed to it. Does nothing if the message cannot be
    /// built.
    func emit(_ path: String, _ member: BusMember, _ values: [BusValue]) {
        guard isConnected else { return }
        var created: OpaquePointer?
        guard
            unsafe sd_bus_message_new_signal(connection, &created, path, member.interface, member.name) >= 0,
            let created = unsafe created
        else { return }
        let signal = unsafe BusMessage(owning: created, on: queue)
        guard (try? signal.append(values)) != nil else { return }
        unsafe sd_bus_send(connection, signal.pointer, nil)
        work()
    }
}

/// Passes a message from sd-bus to its handler. Returns 1 if the handler has dealt with the message;
/// otherwise 0, and sd-bus passes the message to the next handler.
private func dispatchMessage(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message = unsafe message, let context = unsafe context else { return 0 }
    let handler = unsafe Unmanaged<Bus.Handler>.fromOpaque(context).takeUnretainedValue()
    let received = unsafe BusMessage(sharing: message, on: handler.queue)
    return handler.handle(received) ? 1 : 0
}
