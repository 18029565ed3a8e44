internal import MdocModel

/// A month of UTC: the receipts that came in it are one partition of their table.
struct ReceiptMonth: Equatable, Comparable {
    /// Months since the year 0.
    private let number: Int

    init(of time: Timestamp) {
        let day = time.dayInUTC
        number = day.year * 12 + day.month - 1
    }

    private init(number: Int) { self.number = number }

    /// From the end of a partition's name; nil for another.
    init?(suffix: Substring) {
        guard suffix.utf8.count == 6, let value = Int(suffix), (1...12).contains(value % 100) else {
            return nil
        }
        number = value / 100 * 12 + value % 100 - 1
    }

    func advanced(by months: Int) -> ReceiptMonth { ReceiptMonth(number: number + months) }

    static func < (one: ReceiptMonth, other: ReceiptMonth) -> Bool { one.number < other.number }

    /// `202611`.
    var suffix: String { "\(number / 12 * 100 + number % 12 + 1)" }
    /// The first second, since 1970.
    var begin: Int64 {
        (FullDate(year: number / 12, month: number % 12 + 1, day: 1)?.daysSince1970 ?? 0) * 86_400
    }
    /// The first second after it.
    var end: Int64 { advanced(by: 1).begin }
}
