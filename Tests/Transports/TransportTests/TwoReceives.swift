import Deadlines
import Testing
import Transport

/// Begins two receives, sees the later one refused while the other waits, and that one get the message `send` sends.
func expectOneOfTwoRefused(
    of channel: any MessageChannel, send: @escaping @Sendable () async throws -> Void
) async throws {
    let outcomes = try await withDeadline("both receives") {
        try await withThrowingTaskGroup(of: Result<[UInt8], any Error>.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    do { return .success(try await channel.receive()) } catch { return .failure(error) }
                }
            }
            let refused = try await group.next()
            try await send()
            return (refused, try await group.next())
        }
    }
    #expect(throws: TransportError.alreadyWaiting) { try outcomes.0?.get() }
    #expect(try outcomes.1?.get() == [1])
}
