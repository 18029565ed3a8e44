internal import MdocModel
package import ReaderService
internal import ReaderStore
internal import ServiceLifecycle

/// The service that removes retained data at its deadline. It first removes all data that expired before the
/// daemon started, and then each record when it expires.
package struct RecordPurge: Service {
    /// The longest wait, in seconds, before the clock is read and the removal is tried again. The clock may
    /// be set meanwhile, and a failing disk may recover.
    private static let longestWait: Int64 = 60

    private let archive: RecordArchive
    private let clock: WallClock

    package init(_ archive: RecordArchive, clock: WallClock) {
        self.archive = archive
        self.clock = clock
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                let now = clock.now
                let due = await archive.purge(at: now)
                let wait = Self.wait(from: now, until: due)
                // The continuous clock also runs while the computer is suspended. After a night of
                // suspension, expired data is therefore removed as soon as the computer resumes.
                try? await Task.sleep(for: .seconds(wait), tolerance: .zero, clock: .continuous)
            }
        }
    }

    /// The seconds to wait until the next deadline, at most `longestWait`.
    static func wait(from now: Timestamp, until due: Timestamp?) -> Int64 {
        guard let due, due > now else { return longestWait }
        return min(due.secondsSince1970 - now.secondsSince1970, longestWait)
    }
}

extension RecordArchive {
    /// The longest time, in seconds, between two removals. Even if no data has expired, a removal deletes old
    /// presentations and the keys of past days, and stores the current time.
    private static let purgesApart: Int64 = 3600

    /// Removes expired data, and returns the next deadline. Returns `nil` if no data has a deadline, or if
    /// the removal failed, which is logged.
    func purge(at now: Timestamp) -> Timestamp? {
        do throws(ReaderStoreError) {
            let clock = now
            // The store's time never goes back: a clock that was set back must not extend a retention period.
            let now = try retained.time(at: now)
            let due = try retained.nextDue()
            let last = purged?.secondsSince1970 ?? 0
            let wasPurgedLately = (last...last + Self.purgesApart).contains(now.secondsSince1970)
            // Each removal rewrites all retained data. Nothing is therefore written while nothing has
            // expired.
            if wasPurgedLately, due.map({ $0 > now }) ?? true { return due }
            // Presentations that ended more than a day before or after `clock` are removed. With a clock that
            // was never set, all presentations would be removed.
            if clock >= WallClock.earliest { try store.removePresentations(at: clock) }
            try retained.purge(at: now)
            purged = now
            succeeded(.purged)
            return try retained.nextDue()
        } catch {
            failed(.purged, error)
            return nil
        }
    }
}
