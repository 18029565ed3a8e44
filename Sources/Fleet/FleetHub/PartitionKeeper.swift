internal import FoundationEssentials
package import Logging
package import MdocModel
internal import ReaderStore
internal import ServiceLifecycle

/// Maintains the monthly partitions of the receipts: creates the partitions of this month and the next, drops
/// partitions that are older than the retention period, and deletes old counts of token requests. Runs once
/// an hour, at every hub.
///
/// Nothing is dropped in the first hour after the computer has started, because the computer's clock may
/// still be corrected then. This hour is measured from the start of the computer and not of the hub, so that
/// a hub that restarts every few minutes still drops months.
package struct PartitionKeeper: Service {
    private static let interval = Duration.seconds(3600)
    private static let retryInterval = Duration.seconds(2)

    private let database: HubDatabase
    private let months: Int
    private let log: Logger
    private let uptime: @Sendable () -> Duration
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - months: The number of months for which receipts are kept.
    ///   - uptime: Returns the time since this computer was started.
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

    /// Returns the time since this computer was started, by a clock that cannot be set.
    package static func uptime() -> Duration { .seconds(ProcessInfo.processInfo.systemUptime) }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                var pause = Self.interval
                do throws(PostgreSQLError) {
                    // In the first hour after the computer's start, only `make` is called, which creates
                    // partitions and drops none.
                    if uptime() < Self.interval {
                        try await database.months.make()
                    } else {
                        try await keepMonths()
                    }
                    try await database.tokens.forget()
                } catch {
                    log.error(
                        "the monthly tables of receipts, or the counts of token requests, could not be maintained; the hub tries again",
                        metadata: ["why": "\(error.explanation)"])
                    pause = Self.retryInterval
                }
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// Creates and drops partitions. If the clocks of the hub and the database differ too much, `maintain`
    /// drops no partition, and the difference is logged.
    private func keepMonths() async throws(PostgreSQLError) {
        let ahead = try await database.months.maintain(months: months, at: now())
        guard abs(ahead) > ReceiptMonths.mostClockDifference else { return }
        log.error(
            "the clocks of this hub and of the database differ: no receipts are dropped until one clock is corrected",
            metadata: ["id": "clocksDiffer", "secondsAhead": "\(ahead)"])
    }
}
