internal import FoundationEssentials
internal import Glibc
package import MdocModel

/// The clock of the computer, and the calendar of where it stands.
package enum PremisesClock {
    /// No build of these programs is older: a clock that shows less was not set (Q189).
    package static let earliest = Timestamp(secondsSince1970: 1_767_225_600)

    /// What the system's clock says.
    package static var now: Timestamp {
        Timestamp(secondsSince1970: Int64(Date().timeIntervalSince1970))
    }

    /// The day of an instant where this computer stands, by its time zone: the premises' (Q161).
    package static func day(at instant: Timestamp) -> FullDate {
        var seconds = time_t(instant.secondsSince1970)
        var local = unsafe tm()
        guard unsafe localtime_r(&seconds, &local) != nil else { return instant.dayInUTC }
        return instant.advanced(bySeconds: unsafe Int64(local.tm_gmtoff)).dayInUTC
    }
}
