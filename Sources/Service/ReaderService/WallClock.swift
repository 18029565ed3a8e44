internal import FoundationEssentials
internal import Glibc
package import MdocModel

/// The clock for judging documents and for the times of records: the computer's clock, or a clock that a test
/// sets.
package struct WallClock: Sendable {
    /// The computer's clock.
    package static let system = WallClock {
        Timestamp(secondsSince1970: Int64(Date().timeIntervalSince1970))
    }

    /// The beginning of 2026 (UTC). No build of these programs is older, so a clock that shows an earlier
    /// time was never set (Q189).
    package static let earliest = Timestamp(secondsSince1970: 1_767_225_600)

    private let read: @Sendable () -> Timestamp

    package init(_ read: @escaping @Sendable () -> Timestamp) {
        self.read = read
    }

    package var now: Timestamp { read() }

    /// The beginning of the day of `instant` in this computer's time zone.
    package static func localMidnight(before instant: Timestamp) -> Timestamp {
        var seconds = time_t(instant.secondsSince1970)
        var local = unsafe tm()
        // The C library has no local time for a year outside its range. UTC is used then.
        guard unsafe localtime_r(&seconds, &local) != nil else {
            return Timestamp(secondsSince1970: instant.dayInUTC.daysSince1970 * 86_400)
        }
        unsafe local.tm_hour = 0
        unsafe local.tm_min = 0
        unsafe local.tm_sec = 0
        // Summer time may begin or end between midnight and `instant`. With -1 the C library determines
        // whether summer time applies at midnight.
        unsafe local.tm_isdst = -1
        return unsafe Timestamp(secondsSince1970: Int64(mktime(&local)))
    }

    /// The date of `instant` in this computer's time zone (Q161).
    package static func localDay(at instant: Timestamp) -> FullDate {
        var seconds = time_t(instant.secondsSince1970)
        var local = unsafe tm()
        // The C library has no local time for a year outside its range. UTC is used then.
        guard unsafe localtime_r(&seconds, &local) != nil else { return instant.dayInUTC }
        return instant.advanced(bySeconds: unsafe Int64(local.tm_gmtoff)).dayInUTC
    }
}
