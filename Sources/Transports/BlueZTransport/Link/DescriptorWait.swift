internal import Dispatch

/// Waits until a descriptor is ready, the deadline has passed or the task is cancelled.
enum DescriptorWait {
    static func writable(_ descriptor: Int32, within limit: Duration, on queue: DispatchQueue) async {
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        await wait(for: source, within: limit, on: queue)
    }

    /// Whoever waits may close the descriptor afterwards: nothing watches it any more.
    private static func wait(
        for source: any DispatchSourceProtocol, within limit: Duration, on queue: DispatchQueue
    ) async {
        let (seconds, attoseconds) = limit.components
        let time = Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
        nonisolated(unsafe) let source = source
        let alarm = DispatchWorkItem { unsafe source.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                unsafe source.setEventHandler { unsafe source.cancel() }
                unsafe source.setCancelHandler {
                    unsafe source.setEventHandler(handler: nil)
                    continuation.resume()
                }
                unsafe source.activate()
                queue.asyncAfter(deadline: .now() + .milliseconds(time), execute: alarm)
            }
        } onCancel: {
            unsafe source.cancel()
        }
        alarm.cancel()
    }
}
