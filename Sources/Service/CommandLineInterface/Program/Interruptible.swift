internal import Dispatch
internal import Glibc
internal import JSON

/// Runs `body`, and cancels it at SIGINT or SIGTERM, so that the phone is notified of the end. A second signal ends
/// the program at once.
package func interruptible<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
    let (registered, registering) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
        // A signal before that would end the program at once, or be lost.
        for await _ in registered.prefix(2) {}
        return await body()
    }
    let sources = [SIGINT, SIGTERM].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setRegistrationHandler { registering.yield() }
        source.setEventHandler {
            if task.isCancelled { exit(128 + number) }
            Terminal.note("Stopping: ending the session with the phone…")
            task.cancel()
        }
        source.resume()
        return source
    }
    defer {
        sources.forEach { $0.cancel() }
        [SIGINT, SIGTERM].forEach { signal($0, SIG_DFL) }
    }
    return await task.value
}
