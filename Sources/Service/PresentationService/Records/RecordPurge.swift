internal import MdocModel
package import ReaderService
internal import ReaderStore
internal import ServiceLifecycle

/// Removes what is retained once its time is over: at the start, whatever fell due meanwhile, and then at each deadline.
package struct RecordPurge: Service {
    /// The longest wait before the clock is read again: it may be set meanwhile, and a disk that fails may recover.
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
                // The continuous clock also runs while the computer sleeps.
                try? await Task.sleep(for: .seconds(wait), tolerance: .zero, clock: .continuous)
            }
        }
    }

    /// In seconds.
    static func wait(from now: Timestamp, until due: Timestamp?) -> Int64 {
        guard let due, due > now else { return longestWait }
        return min(due.secondsSince1970 - now.secondsSince1970, longestWait)
    }
}

extension RecordArchive {
    /// The interval, in seconds, at which expired keys are removed and the store records the time.
    private static let purgesApart: Int64 = 3600

    /// Removes what has expired; returns when something expires next.
    func purge(at now: Timestamp) -> Timestamp? {
        do throws(ReaderStoreError) {
            let clock = now
            let now = try retained.time(at: now)
            let due = try retained.nextDue()
            let last = purged?.secondsSince1970 ?? 0
            let isSoon = (last...last + Self.purgesApart).contains(now.secondsSince1970)
            if isSoon, due.map({ $0 > now }) ?? true { return due }
            // A clock that is not set yet says nothing about the age of a presentation.
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
