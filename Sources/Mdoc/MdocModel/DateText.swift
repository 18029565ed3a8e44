/// The deviations of a date from the form of ISO/IEC 18013-5 7.2.1 and 9.1.2.4. Such a date is read, and the
/// deviation is reported (Q143, Q144).
package struct DateForm: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let fractionalSeconds = DateForm(rawValue: 1)
    package static let offsetNotZ = DateForm(rawValue: 2)
    package static let tagMissing = DateForm(rawValue: 4)
    package static let tagOfOtherForm = DateForm(rawValue: 8)
    package static let dayOnly = DateForm(rawValue: 16)
}

/// A `date-time` or `full-date` text (RFC 3339), with its deviations from the standard form.
package struct DateText: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
        case instant(Timestamp)
        case day(FullDate)
    }

    package let value: Value
    package internal(set) var form: DateForm

    /// The instant, or the first instant of the day in UTC.
    package var instant: Timestamp {
        switch value {
        case .instant(let instant): instant
        case .day(let day): day.startInUTC
        }
    }

    /// The instant, or the start of the day in the time zone in which the day begins first (UTC+14).
    package var earliest: Timestamp {
        switch value {
        case .instant(let instant): instant
        case .day(let day): day.startInUTC.advanced(bySeconds: -14 * 3600)
        }
    }

    /// The instant, or the last second of the day in the time zone in which the day ends last (UTC−12).
    package var latest: Timestamp {
        switch value {
        case .instant(let instant): instant
        // The 24 hours of the day, and 12 hours more until the day has ended in UTC−12.
        case .day(let day): day.startInUTC.advanced(bySeconds: 36 * 3600 - 1)
        }
    }

    /// The day, or the day of the instant in UTC.
    package var day: FullDate {
        switch value {
        case .instant(let instant): instant.dayInUTC
        case .day(let day): day
        }
    }

    /// Parses a text. Nil if it is not a date. Fractions of a second are ignored.
    package init?(_ text: some Collection<UInt8>) {
        var reader = DateReader(Array(text))
        form = []
        guard let day = reader.day() else { return nil }
        if reader.isAtEnd {
            value = .day(day)
            return
        }
        guard let seconds = reader.time(noting: &form), let offset = reader.offset(noting: &form),
            reader.isAtEnd
        else { return nil }
        value = .instant(
            Timestamp(secondsSince1970: day.startInUTC.secondsSince1970 + seconds - offset))
    }
}

/// A reader of the fields of an RFC 3339 text, from left to right. A field that does not match gives nil.
private struct DateReader {
    private let text: [UInt8]
    private var position = 0

    init(_ text: [UInt8]) {
        self.text = text
    }

    var isAtEnd: Bool { position == text.count }

    /// Reads the day, `2026-11-01`.
    mutating func day() -> FullDate? {
        guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2) else {
            return nil
        }
        return FullDate(year: year, month: month, day: day)
    }

    /// Reads the time, in seconds after midnight. A fraction of a second is recorded in `form`.
    mutating func time(noting form: inout DateForm) -> Int64? {
        // RFC 3339 allows small letters, and second 60 for a leap second.
        guard take("T") || take("t"), let hour = number(2), take(":"), let minute = number(2), take(":"),
            let second = number(2), hour < 24, minute < 60, second <= 60
        else { return nil }
        if take(".") {
            form.insert(.fractionalSeconds)
            guard number(1) != nil else { return nil }
            // A `Timestamp` has whole seconds, so the digits of the fraction are skipped.
            while number(1) != nil {}
        }
        return Int64(hour * 3600 + minute * 60 + second)
    }

    /// Reads the offset, in seconds east of UTC. An offset other than Z is recorded in `form`.
    mutating func offset(noting form: inout DateForm) -> Int64? {
        if take("Z") || take("z") { return 0 }
        let isWest = take("-")
        guard isWest || take("+"), let hour = number(2), take(":"), let minute = number(2), hour < 24,
            minute < 60
        else { return nil }
        form.insert(.offsetNotZ)
        return Int64(hour * 3600 + minute * 60) * (isWest ? -1 : 1)
    }

    /// Skips the next character if it is `character`. Returns whether it was.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Reads a number of exactly this many digits.
    private mutating func number(_ digits: Int) -> Int? {
        guard position + digits <= text.count else { return nil }
        var value = 0
        for index in position..<position + digits {
            let digit = text[index]
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        position += digits
        return value
    }
}
