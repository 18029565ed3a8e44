internal import Transport

/// What has come over a link and was not taken yet, and the task that waits for more. For the bus's queue only.
struct LinkInbox {
    /// Bytes that may wait, each packet's own weight included.
    private static let room = 1 << 20

    private var packets: [BluetoothLEPacket] = []
    private var waitingBytes = 0
    private var end: BluetoothLEError?
    private var lastWaiter = 0
    private var waiter: (number: Int, continuation: Continuation)?

    typealias Continuation = CheckedContinuation<Result<BluetoothLEPacket, BluetoothLEError>, Never>

    var hasRoom: Bool { waitingBytes < Self.room }
    var isEnded: Bool { end != nil }

    mutating func put(_ packet: BluetoothLEPacket) {
        guard end == nil else { return }
        if let waiter = waiter.take() { return waiter.continuation.resume(returning: .success(packet)) }
        packets.append(packet)
        waitingBytes += packet.weight
    }

    /// What is there is still delivered; then come errors only.
    mutating func finish(_ error: BluetoothLEError) {
        guard end == nil else { return }
        end = error
        waiter.take()?.continuation.resume(returning: .failure(error))
    }

    /// Ends whatever wait is pending.
    mutating func stopWaiting() {
        waiter.take()?.continuation.resume(returning: .failure(.cancelled))
    }

    /// Ends that wait alone: a later one is not to suffer from the end of its task's predecessor.
    mutating func stopWaiting(_ number: Int) {
        if number == waiter?.number { stopWaiting() }
    }

    /// A number for the wait that begins.
    mutating func nextWaiter() -> Int {
        lastWaiter += 1
        return lastWaiter
    }

    /// - Parameter number: from ``nextWaiter()``.
    mutating func take(_ continuation: Continuation, as number: Int) {
        if Task.isCancelled { return continuation.resume(returning: .failure(.cancelled)) }
        guard packets.isEmpty else {
            let packet = packets.removeFirst()
            waitingBytes -= packet.weight
            return continuation.resume(returning: .success(packet))
        }
        if let end { return continuation.resume(returning: .failure(end)) }
        guard waiter == nil else { return continuation.resume(returning: .failure(.alreadyWaiting)) }
        waiter = (number, continuation)
    }
}

extension BluetoothLEPacket {
    /// Its bytes in memory, about: packets of no bytes weigh too.
    fileprivate var weight: Int {
        switch self {
        case .data(let bytes), .state(let bytes): bytes.count + 64
        }
    }
}
