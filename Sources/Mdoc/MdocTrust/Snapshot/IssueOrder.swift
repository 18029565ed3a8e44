internal import MdocModel
internal import PKIX

/// The number and date that tell which of two issues of a list is the later one.
struct IssueOrder {
    /// Big-endian, without leading zeros; nil if the list has none that can be read.
    let number: ArraySlice<UInt8>?
    let date: Int64

    var name: ListIssueName {
        ListIssueName(
            number: number.map { bytes in
                bytes.count <= 8 ? "\(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })" : bytes.hexadecimal
            }, date: Timestamp(secondsSince1970: date))
    }

    func isOlder(than other: IssueOrder) -> Bool {
        guard let number, let before = other.number, number != before else { return date < other.date }
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
