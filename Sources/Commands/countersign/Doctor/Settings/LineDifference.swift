internal import JSON

/// How one text becomes another, line by line: what goes, what comes, and what stays.
struct LineDifference {
    private let old: [Substring]
    private let new: [Substring]

    init(from old: [UInt8], to new: [UInt8]) {
        self.old = Self.lines(old)
        self.new = Self.lines(new)
    }

    private static func lines(_ bytes: [UInt8]) -> [Substring] {
        var lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// Each line after `-`, `+` or a blank.
    var text: String {
        let difference = new.difference(from: old)
        let removed = Set(difference.removals.map(\.offset))
        let inserted = Set(difference.insertions.map(\.offset))
        var lines: [String] = []
        var (from, to) = (0, 0)
        while from < old.count || to < new.count {
            if from < old.count, removed.contains(from) {
                lines.append("-\(Terminal.safe(old[from]))")
                from += 1
            } else if to < new.count, inserted.contains(to) {
                lines.append("+\(Terminal.safe(new[to]))")
                to += 1
            } else {
                lines.append(" \(Terminal.safe(new[to]))")
                (from, to) = (from + 1, to + 1)
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension CollectionDifference.Change {
    fileprivate var offset: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}
