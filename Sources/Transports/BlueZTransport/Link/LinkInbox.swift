internal import Dispatch
internal import Transport

/// What has come over a link and was not taken yet, and the task that waits for more. For the bus's queue only.
final class LinkInbox: @unchecked Sendable {  // used on the bus's queue only
    /// Bytes that may wait, each packet's own weight included.
    private static let room = 1 << 20

    private var packets: [BluetoothLEPacket] = []
    private var waitingBytes = 0
    private var end: BluetoothLEError?
    private let queue: BusQueue
    private var lastWaiter = 0
    private var waiter: (number: Int, continuation: Continuation)?

    private typealias Continuation = CheckedContinuation<Result<BluetoothLEPacket, BluetoothLEError>, Never>

    init(_ bus: Bus) {
        queue = bus.queue
    }

    var hasRoom: Bool { waitingBytes < Self.room }
    var isEnded: Bool { end != nil }

    func put(_ packet: BluetoothLEPacket) {
        queue.checkIsolated()
        guard end == nil else { return }
        if let waiter = waiter.take() { return waiter.continuation.resume(returning: .success(packet)) }
        packets.append(packet)
        waitingBytes += packet.weight
    }

    /// What is there is still delivered; then come errors only.
    func finish(_ error: BluetoothLEError) {
        queue.checkIsolated()
        guard end == nil else { return }
        end = error
        waiter.take()?.continuation.resume(returning: .failure(error))
    }

    /// Ends whatever wait is pending.
    func stopWaiting() {
        queue.checkIsolated()
        waiter.take()?.continuation.resume(returning: .failure(.cancelled))
    }

    func next(
        isolation: isolated (any Actor)? = #isolation
    ) async throws(BluetoothLEError) -> BluetoothLEPacket {
        lastWaiter += 1
        let number = lastWaiter
        let result = await withTaskCancellationHandler {
            // A closure is on the actor only if it captures it; elsewhere a packet could be missed.
            _ = isolation
            return await withCheckedContinuation { continuation in
                queue.checkIsolated()
                take(continuation, as: number)
            }
        } onCancel: {
            queue.queue.async { self.stopWaiting(number) }
        }
        return try result.get()
    }

    /// Ends that wait alone: a later one is not to suffer from the end of its task's predecessor.
    private func stopWaiting(_ number: Int) {
        if number == waiter?.number { stopWaiting() }
    }

    private func take(_ continuation: Continuation, as number: Int) {
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
