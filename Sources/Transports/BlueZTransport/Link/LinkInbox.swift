internal import Dispatch
internal import Transport

/// The packets of a link that the caller has not received yet, and the task that waits for the next one. Used
/// only on the bus's queue.
final class LinkInbox: @unchecked Sendable {  // used on the bus's queue only
    /// The number of bytes above which the inbox is full. Each packet counts as its content plus 64 bytes.
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

    /// Adds a packet, or delivers it to the waiting task. A packet that comes after `finish(_:)` is dropped.
    func insert(_ packet: BluetoothLEPacket) {
        queue.checkIsolated()
        guard end == nil else { return }
        if let waiter = waiter.take() { return waiter.continuation.resume(returning: .success(packet)) }
        packets.append(packet)
        waitingBytes += packet.weight
    }

    /// Ends the inbox. Packets that have arrived are still delivered; afterwards every wait ends with the
    /// error.
    func finish(_ error: BluetoothLEError) {
        queue.checkIsolated()
        guard end == nil else { return }
        end = error
        waiter.take()?.continuation.resume(returning: .failure(error))
    }

    /// Ends the pending wait with `cancelled`.
    func stopWaiting() {
        queue.checkIsolated()
        waiter.take()?.continuation.resume(returning: .failure(.cancelled))
    }

    /// Waits for the next packet. One task at a time may wait.
    func next(
        isolation: isolated (any Actor)? = #isolation
    ) async throws(BluetoothLEError) -> BluetoothLEPacket {
        lastWaiter += 1
        let number = lastWaiter
        let result = await withTaskCancellationHandler {
            // A closure is isolated to the actor only if it captures the actor. On another executor the
            // closure could miss a packet.
            _ = isolation
            return await withCheckedContinuation { continuation in
                queue.checkIsolated()
                deliver(to: continuation, as: number)
            }
        } onCancel: {
            queue.queue.async { self.stopWaiting(number) }
        }
        return try result.get()
    }

    /// Ends the wait with this number, but no later wait. The cancellation of a task may arrive only after
    /// another task has begun to wait.
    private func stopWaiting(_ number: Int) {
        if number == waiter?.number { stopWaiting() }
    }

    /// Resumes a continuation with the next packet or the end, or stores the continuation until one of the
    /// two comes.
    private func deliver(to continuation: Continuation, as number: Int) {
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
    /// The approximate size of the packet in memory. Even an empty packet has a size, so that the number of
    /// packets in the inbox is limited.
    fileprivate var weight: Int {
        switch self {
        case .data(let bytes), .state(let bytes): bytes.count + 64
        }
    }
}
