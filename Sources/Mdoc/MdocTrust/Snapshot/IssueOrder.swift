internal import MdocModel
internal import PKIX

/// The number and date of one issue (edition) of a list. A comparison of numbers and dates shows which of two
/// editions is the later one.
struct IssueOrder {
    /// The issue number, big-endian without leading zeros; `nil` if the list has no readable number.
    let number: ArraySlice<UInt8>?
    /// The date of issue, in seconds since 1970-01-01T00:00:00Z.
    let date: Int64

    /// The number and date in the form that messages show.
    var name: ListIssueName {
        ListIssueName(
            number: number.map { bytes in
                bytes.count <= 8 ? "\(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })" : bytes.hexadecimal
            }, date: Timestamp(secondsSince1970: date))
    }

    /// Whether this edition is older than `other`. The numbers decide if both exist and differ, otherwise the
    /// dates.
    func isOlder(than other: IssueOrder) -> Bool {
        guard let number, let before = other.number, number != before else { return date < other.date }
        // Of two numbers without leading zeros, the number with more bytes is greater.
        return number.count == before.count
            ? number.lexicographicallyPrecedes(before) : number.count < before.count
    }
}

extension IssueOrder {
    init(_ list: CertificateRevocationList) {
        self.init(number: list.number, date: list.thisUpdate)
    }

    init(_ token: StatusToken) {
        self.init(number: nil, date: token.issued.secondsSince1970)
    }
}
