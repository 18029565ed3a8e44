package import Logging
package import MdocModel
internal import ReaderStore
internal import ServiceLifecycle

/// Has a place for the receipts of this month and the next, drops the months whose time is over, and forgets when tokens were
/// asked for. Nothing is dropped in the first hour: the clock of a computer that has just started may be put right then.
package struct PartitionKeeper: Service {
    private static let interval = Duration.seconds(3600)
    private static let retryInterval = Duration.seconds(2)

    private let database: HubDatabase
    private let months: Int
    private let log: Logger
    private let now: @Sendable () -> Timestamp

    /// - Parameter months: for how many months receipts are kept.
    package init(
        _ database: HubDatabase, months: Int, log: Logger, now: @escaping @Sendable () -> Timestamp
    ) {
        self.database = database
        self.months = months
        self.log = log
        self.now = now
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var isStarting = true
            while !Task.isCancelled {
                var pause = Self.interval
                do throws(PostgreSQLError) {
                    if isStarting { try await database.makePartitions() } else { try await keepMonths() }
                    try await database.forgetTokens()
                    isStarting = false
                } catch {
                    log.error(
                        "months of receipts, or what is to be forgotten, cannot be kept in order",
                        metadata: ["why": "\(error.explanation)"])
                    pause = Self.retryInterval
                }
                try? await Task.sleep(for: pause)
            }
        }
    }

    private func keepMonths() async throws(PostgreSQLError) {
        let ahead = try await database.keepPartitions(months: months, at: now())
        guard abs(ahead) > HubDatabase.mostClockDifference else { return }
        log.error(
            "the clocks of this hub and of the database differ: no receipts are dropped until one is put right",
            metadata: ["id": "clocksDiffer", "secondsAhead": "\(ahead)"])
    }
}
