package import Logging
package import MdocModel
internal import ReaderStore
internal import ServiceLifecycle

/// Has a place for the receipts of this month and the next, drops the months whose time is over, and forgets when tokens were
/// asked for.
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
            while !Task.isCancelled {
                var pause = Self.interval
                do throws(PostgreSQLError) {
                    try await database.keepPartitions(months: months, at: now())
                    try await database.forgetTokens()
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
}
