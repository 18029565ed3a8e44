internal import FoundationEssentials
package import Logging
package import MdocModel
internal import ReaderStore
internal import ServiceLifecycle

/// Has a place for the receipts of this month and the next, drops the months whose time is over, and forgets when tokens were
/// asked for. Nothing is dropped in the computer's first hour: the clock of one that has just started may be put right then. For how
/// long the hub runs does not count: one that is started again more often drops months all the same.
package struct PartitionKeeper: Service {
    private static let interval = Duration.seconds(3600)
    private static let retryInterval = Duration.seconds(2)

    private let database: HubDatabase
    private let months: Int
    private let log: Logger
    private let uptime: @Sendable () -> Duration
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - months: for how many months receipts are kept.
    ///   - uptime: for how long this computer runs.
    package init(
        _ database: HubDatabase, months: Int, log: Logger,
        uptime: @escaping @Sendable () -> Duration = Self.uptime,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.database = database
        self.months = months
        self.log = log
        self.uptime = uptime
        self.now = now
    }

    /// By a clock that nobody sets.
    package static func uptime() -> Duration { .seconds(ProcessInfo.processInfo.systemUptime) }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                var pause = Self.interval
                do throws(PostgreSQLError) {
                    if uptime() < Self.interval {
                        try await database.months.make()
                    } else {
                        try await keepMonths()
                    }
                    try await database.tokens.forget()
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
        let ahead = try await database.months.keep(months, at: now())
        guard abs(ahead) > ReceiptMonths.mostClockDifference else { return }
        log.error(
            "the clocks of this hub and of the database differ: no receipts are dropped until one is put right",
            metadata: ["id": "clocksDiffer", "secondsAhead": "\(ahead)"])
    }
}
