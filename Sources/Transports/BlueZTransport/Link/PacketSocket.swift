internal import Dispatch
internal import Glibc
internal import Transport

/// A non-blocking socket that moves packets: a socket through which bluetoothd passes the values of one
/// characteristic, or an L2CAP channel.
///
/// Used only on the queue that it was created with. Reading stops while the owner has no room, so that a peer
/// that sends without end fills the kernel's buffers and not this process's memory.
@safe final class PacketSocket: @unchecked Sendable {  // used on the bus's queue only
    private let descriptor: Int32
    private let queue: BusQueue
    /// The size of the read buffer: more than the longest packet, so that no packet is truncated.
    private let capacity: Int
    private var reading: SocketPoller.Watch?
    private var writing: SocketPoller.Watch?
    private var isPaused = false
    private var isOpen = true
    private var received: ([UInt8]) -> Bool = { _ in true }
    private var ended: () -> Void = {}
    private var writers: [() -> Void] = []

    /// Takes ownership of a descriptor.
    ///
    /// - Parameter descriptor: the socket, which is closed with this object.
    /// - Parameter longest: the length in bytes of the longest packet.
    init(owning descriptor: Int32, longest: Int, queue: BusQueue) {
        self.descriptor = descriptor
        self.queue = queue
        capacity = longest + 1
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        close()
    }

    /// Starts to read.
    ///
    /// - Parameter received: called with each packet. Returns whether there is room for more.
    /// - Parameter ended: called once when the other side has closed the socket.
    func start(received: @escaping ([UInt8]) -> Bool, ended: @escaping () -> Void) {
        self.received = received
        self.ended = ended
        read()
    }

    /// Starts to wait for the next packet, unless a wait is in progress or the owner has no room.
    private func read() {
        guard isOpen, !isPaused, reading == nil else { return }
        reading = queue.whenReady(for: .readable, on: descriptor) { [weak self] in
            guard let self else { return }
            reading = nil
            drain()
            read()
        }
    }

    /// Reads the packets that have arrived, until there is no room.
    func drain() {
        while isOpen && !isPaused {
            switch readOnce() {
            case .success(let packet?):
                isPaused = !received(packet)
            case .success(nil): return
            case .failure:
                close()
                ended()
            }
        }
    }

    /// Reads the packets that have arrived, even if the owner has no room. Called at the end of a link, and
    /// when the peer writes the State characteristic: data that the peer sent earlier must be delivered
    /// first.
    ///
    /// - Parameter packets: the maximum number of packets, which is more than the system keeps for one
    ///   socket.
    func drainAll(packets: Int = 8192) {
        for _ in 0..<packets where isOpen {
            guard case .success(let packet?) = readOnce() else { break }
            _ = received(packet)
        }
    }

    /// Continues to read when the owner has room again.
    func proceed() {
        guard isOpen, isPaused else { return }
        isPaused = false
        drain()
        read()
    }

    /// Whether the other side has read every packet that was sent.
    var isEmptied: Bool {
        guard isOpen else { return true }
        var unread: Int32 = 0
        // A socket whose state the system does not report counts as emptied.
        return unsafe ioctl(descriptor, UInt(TIOCOUTQ), &unread) < 0 || unread == 0
    }

    /// Closes the socket and resumes all senders that wait for room.
    func close() {
        guard isOpen else { return }
        isOpen = false
        // Releases the objects that the closure refers to. `ended` stays, since `drain` calls it after this
        // function.
        received = { _ in true }
        queue.forget(reading)
        queue.forget(writing)
        _ = Glibc.close(descriptor)
        writable()
    }

    /// Reads one packet; `nil` if no packet has arrived yet.
    private func readOnce() -> Result<[UInt8]?, SocketEnd> {
        var count = 0
        let packet = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
            unsafe count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            filled = max(count, 0)
        }
        if count > 0 { return .success(packet) }
        guard count == 0 || errno == EAGAIN || errno == EINTR else { return .failure(.closed) }
        // `recv` returns 0 for an empty packet and for the end of the socket. It returns EAGAIN for a socket
        // without a packet and for a channel whose end was already reported. Only POLLHUP distinguishes the
        // end of the socket from these cases.
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // If poll fails, the packet is read when the descriptor is ready again.
        guard unsafe poll(&state, 1, 0) >= 0 else { return .success(nil) }
        let events = Int32(state.revents)
        if count == 0 { return events & (POLLHUP | POLLERR) != 0 ? .failure(.closed) : .success([]) }
        return events & (POLLHUP | POLLERR) != 0 && events & POLLIN == 0 ? .failure(.closed) : .success(nil)
    }

    private enum SocketEnd: Error { case closed }

    /// The result of one attempt to send a packet: the system accepted it (`taken`), the socket has no room
    /// now (`full`), or the other side has closed the socket.
    enum Sending { case taken, full, closed }

    /// Sends one packet without waiting.
    func send(_ head: PacketHead, _ body: ArraySlice<UInt8>) -> Sending {
        guard isOpen else { return .closed }
        // Head and body are two parts of one packet, so that the body is not copied.
        let sent = unsafe body.withUnsafeBytes { body in
            unsafe head.withBytes { head in
                unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { parts in
                    unsafe parts[0] = iovec(
                        iov_base: UnsafeMutableRawPointer(mutating: head.baseAddress), iov_len: head.count)
                    unsafe parts[1] = iovec(
                        iov_base: UnsafeMutableRawPointer(mutating: body.baseAddress), iov_len: body.count)
                    var message = unsafe msghdr()
                    unsafe message.msg_iov = parts.baseAddress
                    unsafe message.msg_iovlen = parts.count
                    return unsafe sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
                }
            }
        }
        if sent >= 0 { return .taken }
        return errno == EAGAIN || errno == EINTR || errno == ENOBUFS ? .full : .closed
    }

    /// Waits until the socket may have room or is closed, or until the task is cancelled.
    func room(isolation: isolated (any Actor)? = #isolation) async {
        await withTaskCancellationHandler {
            // A closure is isolated to the actor only if it captures the actor. On another executor the
            // socket could become writable unnoticed.
            _ = isolation
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume() }
                whenWritable { continuation.resume() }
            }
        } onCancel: {
            queue.queue.async { self.writable() }
        }
    }

    /// Calls `body` once when the socket may have room or is closed.
    func whenWritable(_ body: @escaping () -> Void) {
        guard isOpen else { return body() }
        writers.append(body)
        guard writing == nil else { return }
        writing = queue.whenReady(for: .writable, on: descriptor) { [weak self] in self?.writable() }
    }

    /// Resumes all senders that wait for room. Each sender then tries again.
    func writable() {
        queue.forget(writing)
        writing = nil
        let waiting = writers
        writers = []
        for writer in waiting { writer() }
    }
}

extension PacketHead {
    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        switch self {
        case .none: unsafe body(UnsafeRawBufferPointer(start: nil, count: 0))
        case .byte(let byte): unsafe withUnsafeBytes(of: byte, body)
        case .length(let length): unsafe withUnsafeBytes(of: length.bigEndian, body)
        }
    }

    var count: Int {
        switch self {
        case .none: 0
        case .byte: 1
        case .length: 4
        }
    }
}
