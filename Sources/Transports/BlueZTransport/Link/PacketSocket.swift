internal import Dispatch
internal import Glibc
internal import Transport

/// A socket of packets: one that bluetoothd passes values of a characteristic through, or an L2CAP channel.
///
/// For the queue it was made with only. Reading stops while the reader has too much unread, so that a peer that never
/// ends fills the kernel's buffers and not ours.
@safe final class PacketSocket: @unchecked Sendable {  // used on the bus's queue only
    private let descriptor: Int32
    private let queue: BusQueue
    /// Room for the longest packet and one byte more.
    private let capacity: Int
    private var reading: SocketPoller.Watch?
    private var writing: SocketPoller.Watch?
    private var isPaused = false
    private var isOpen = true
    private var received: ([UInt8]) -> Bool = { _ in true }
    private var ended: () -> Void = {}
    private var writers: [() -> Void] = []

    /// - Parameter descriptor: handed over; closed with this object.
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

    /// Starts to read. `received` returns whether there is room for more; `ended` is called once when the other
    /// side has closed.
    func start(received: @escaping ([UInt8]) -> Bool, ended: @escaping () -> Void) {
        self.received = received
        self.ended = ended
        read()
    }

    private func read() {
        guard isOpen, !isPaused, reading == nil else { return }
        reading = queue.whenReady(for: .readable, on: descriptor) { [weak self] in
            guard let self else { return }
            reading = nil
            drain()
            read()
        }
    }

    /// Takes whatever has arrived.
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

    /// Takes whatever has arrived, room or not: something that came after it is to be delivered.
    ///
    /// - Parameter packets: most that are taken; more than the system keeps for one socket.
    func drainAll(packets: Int = 8192) {
        for _ in 0..<packets where isOpen {
            guard case .success(let packet?) = readOnce() else { break }
            _ = received(packet)
        }
    }

    /// There is room again.
    func proceed() {
        guard isOpen, isPaused else { return }
        isPaused = false
        drain()
        read()
    }

    /// Whether the other side has taken everything that was sent.
    var isEmptied: Bool {
        guard isOpen else { return true }
        var unread: Int32 = 0
        return unsafe ioctl(descriptor, UInt(TIOCOUTQ), &unread) < 0 || unread == 0
    }

    /// Ends both directions.
    func close() {
        guard isOpen else { return }
        isOpen = false
        received = { _ in true }
        queue.forget(reading)
        queue.forget(writing)
        _ = Glibc.close(descriptor)
        writable()
    }

    /// One packet; nil if no packet has arrived yet.
    private func readOnce() -> Result<[UInt8]?, SocketEnd> {
        var count = 0
        let packet = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
            unsafe count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            filled = max(count, 0)
        }
        if count > 0 { return .success(packet) }
        guard count == 0 || errno == EAGAIN || errno == EINTR else { return .failure(.closed) }
        // An empty packet looks like the end, and a channel whose end was already reported looks like one with
        // nothing to read. Only the real end sets POLLHUP.
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // What could not be read is read when the descriptor is ready again.
        guard unsafe poll(&state, 1, 0) >= 0 else { return .success(nil) }
        let events = Int32(state.revents)
        if count == 0 { return events & (POLLHUP | POLLERR) != 0 ? .failure(.closed) : .success([]) }
        return events & (POLLHUP | POLLERR) != 0 && events & POLLIN == 0 ? .failure(.closed) : .success(nil)
    }

    private enum SocketEnd: Error { case closed }

    /// What came of handing a packet to the system.
    enum Sending { case taken, full, closed }

    /// Hands one packet to the system without waiting.
    func send(_ head: PacketHead, _ body: ArraySlice<UInt8>) -> Sending {
        guard isOpen else { return .closed }
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

    /// Returns when the socket may have room, is closed, or the task is cancelled.
    func room(isolation: isolated (any Actor)? = #isolation) async {
        await withTaskCancellationHandler {
            _ = isolation
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume() }
                whenWritable { continuation.resume() }
            }
        } onCancel: {
            queue.queue.async { self.writable() }
        }
    }

    /// Calls `body` once when the socket has room again or is closed.
    func whenWritable(_ body: @escaping () -> Void) {
        guard isOpen else { return body() }
        writers.append(body)
        guard writing == nil else { return }
        writing = queue.whenReady(for: .writable, on: descriptor) { [weak self] in self?.writable() }
    }

    /// Resumes everyone who waits for room; they check themselves whether there is enough.
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
