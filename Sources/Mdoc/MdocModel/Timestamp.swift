/// An instant with a resolution of one second: the value of a `tdate`, of a date in a certificate, or of
/// "now" in a verification.
package struct Timestamp: Hashable, Comparable, Sendable {
    /// The number of seconds since 1970-01-01T00:00:00Z, without leap seconds.
    package let secondsSince1970: Int64

    package init(secondsSince1970: Int64) {
        self.secondsSince1970 = secondsSince1970
    }

    /// Creates an instant from a received number. Nil outside the years 0000 to 9999, so that no computation
    /// with the instant overflows.
    package init?(received seconds: Int64) {
        guard (-62_167_219_200...253_402_300_799).contains(seconds) else { return nil }
        secondsSince1970 = seconds
    }

    package static func < (one: Timestamp, other: Timestamp) -> Bool {
        one.secondsSince1970 < other.secondsSince1970
    }

    package func advanced(bySeconds seconds: Int64) -> Timestamp {
        Timestamp(secondsSince1970: secondsSince1970 + seconds)
    }

    package var dayInUTC: FullDate {
        FullDate(daysSince1970: secondsSince1970.flooredDivision(by: 86_400))
    }
}

extension Timestamp: CustomStringConvertible {
    /// The instant in UTC in the form of RFC 3339, `2026-11-01T12:00:00Z`.
    package var description: String {
        let second = secondsSince1970 - dayInUTC.daysSince1970 * 86_400
        let fields = [second / 3600, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(dayInUTC)T\(fields.joined(separator: ":"))Z"
    }
}

/// A calendar day, `full-date` of RFC 3339.
package struct FullDate: Hashable, Comparable, Sendable {
    package let year: Int
    package let month: Int
    package let day: Int

    /// Creates a day. Nil if the calendar has no such day.
    package init?(year: Int, month: Int, day: Int) {
        guard (0...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= FullDate.days(in: month, of: year)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    package static func < (one: FullDate, other: FullDate) -> Bool {
        (one.year, one.month, one.day) < (other.year, other.month, other.day)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    /// The number of days since 1970-01-01 in the proleptic Gregorian calendar. In the computation a year
    /// begins in March, so that the leap day is the last day of a year.
    package var daysSince1970: Int64 {
        let shifted = Int64(month <= 2 ? year - 1 : year)
        let era = shifted.flooredDivision(by: 400)
        let yearOfEra = shifted - era * 400
        // March to July have 153 days together, and so do August to December. There are 719 468 days between
        // 0000-03-01 and 1970-01-01.
        let dayOfYear = Int64((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1)
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Creates the day from its number of days since 1970-01-01, as `daysSince1970` returns it.
    init(daysSince1970 days: Int64) {
        let shifted = days + 719_468
        let era = shifted.flooredDivision(by: 146_097)
        // An era has 400 years, which are 146 097 days. The divisions by 1460, 36 524 and 146 096 count the
        // leap days before this day. Without them, every year has 365 days.
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
        month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    }

    package var startInUTC: Timestamp { Timestamp(secondsSince1970: daysSince1970 * 86_400) }
}

extension FullDate: CustomStringConvertible {
    /// The day in the form of RFC 3339, `2026-11-01`.
    package var description: String {
        let padded = String(repeating: "0", count: max(0, 4 - "\(year)".count)) + "\(year)"
        return "\(padded)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : (self - divisor + 1) / divisor
    }
}
