/// UTCTime and GeneralizedTime as RFC 5280 4.1.2.5 allows them: with seconds, "Z" at the end, and no
/// fraction.
enum DERTime {
    /// Returns the seconds since 1970-01-01T00:00:00Z, without leap seconds.
    static func seconds(of element: DERElement) throws(PKIXError) -> Int64 {
        let yearDigits = element.tag == DERTag.utcTime ? 2 : 4
        guard element.tag == DERTag.utcTime || element.tag == DERTag.generalizedTime else {
            throw .unexpectedTag(at: element.encoding.startIndex)
        }
        guard let seconds = seconds(text: element.contents, yearDigits: yearDigits) else {
            throw .valueMalformed(at: element.encoding.startIndex)
        }
        return seconds
    }

    /// Parses the digits and the "Z". Returns `nil` for another form, and for a time that does not exist.
    private static func seconds(text: ArraySlice<UInt8>, yearDigits: Int) -> Int64? {
        guard text.count == yearDigits + 11, text.last == UInt8(ascii: "Z") else { return nil }
        for index in text.indices.dropLast() {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[index]) else { return nil }
        }
        func number(_ offset: Int, _ count: Int) -> Int64 {
            let start = text.startIndex + offset
            return (start..<start + count).reduce(0) { 10 * $0 + Int64(text[$1] - UInt8(ascii: "0")) }
        }
        var year = number(0, yearDigits)
        // Two digits mean a year from 1950 to 2049 (RFC 5280 4.1.2.5.1).
        if yearDigits == 2 { year += year < 50 ? 2000 : 1900 }
        let (month, day) = (number(yearDigits, 2), number(yearDigits + 2, 2))
        let (hour, minute) = (number(yearDigits + 4, 2), number(yearDigits + 6, 2))
        let second = number(yearDigits + 8, 2)
        guard (1...12).contains(month), (1...days(in: month, of: year)).contains(day),
            hour < 24, minute < 60, second < 60
        else { return nil }
        return days(before: year, month, day) * 86400 + hour * 3600 + minute * 60 + second
    }

    /// Returns the number of days of a month.
    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the number of days from 1970-01-01 to a date in the Gregorian calendar. Years are counted from
    /// March, so that a leap day is the last day of its year. The lengths of the months then repeat every
    /// five months, with 153 days in total. There are 719 468 days between 0000-03-01 and 1970-01-01.
    private static func days(before year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let marchYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let leapDays = floored(marchYear, 4) - floored(marchYear, 100) + floored(marchYear, 400)
        return 365 * marchYear + leapDays + dayOfYear - 719_468
    }

    private static func floored(_ value: Int64, _ divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : (value - divisor + 1) / divisor
    }

    /// Returns the tag and contents for a time: UTCTime for 1950 to 2049, otherwise GeneralizedTime (RFC 5280
    /// 4.1.2.5). A time outside the years 0000 to 9999 is replaced by the first or the last second of these
    /// years.
    static func text(ofSeconds seconds: Int64) -> (tag: UInt8, contents: [UInt8]) {
        let earliest = days(before: 0, 1, 1) * 86400
        let latest = days(before: 10000, 1, 1) * 86400 - 1
        let seconds = min(max(seconds, earliest), latest)
        let day = floored(seconds, 86400)
        let (year, month, dayOfMonth) = date(ofDay: day)
        let time = seconds - day * 86400
        let isShort = isWrittenAsUTCTime(seconds)
        let fields =
            digits(isShort ? year % 100 : year, isShort ? 2 : 4) + digits(month, 2) + digits(dayOfMonth, 2)
            + digits(time / 3600, 2) + digits(time / 60 % 60, 2) + digits(time % 60, 2)
        return (isShort ? DERTag.utcTime : DERTag.generalizedTime, fields + [UInt8(ascii: "Z")])
    }

    /// Returns whether the time is in the years 1950 to 2049.
    static func isWrittenAsUTCTime(_ seconds: Int64) -> Bool {
        (days(before: 1950, 1, 1) * 86400..<days(before: 2050, 1, 1) * 86400).contains(seconds)
    }

    /// Returns year, month and day of the day with this number, counted from 1970-01-01.
    private static func date(ofDay day: Int64) -> (Int64, Int64, Int64) {
        // The estimate is never later than the correct year, before and after 1970.
        var year = 1970 + floored(day, day < 0 ? 365 : 366)
        while days(before: year + 1, 1, 1) <= day { year += 1 }
        var rest = day - days(before: year, 1, 1)
        var month: Int64 = 1
        while rest >= days(in: month, of: year) {
            rest -= days(in: month, of: year)
            month += 1
        }
        return (year, month, rest + 1)
    }

    /// Returns a number in decimal digits, with zeros in front up to `count` digits.
    private static func digits(_ value: Int64, _ count: Int) -> [UInt8] {
        let text = Array("\(value)".utf8)
        return [UInt8](repeating: UInt8(ascii: "0"), count: max(0, count - text.count)) + text
    }
}
