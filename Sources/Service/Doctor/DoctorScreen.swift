internal import Glibc

/// The text of the checks for a terminal: for each check its outcome, id and detail, and below them the
/// command that repairs the problem.
package struct DoctorScreen {
    let checks: [DoctorCheck]
    /// The width of the screen, in columns.
    let width: Int
    let isColoured: Bool

    /// The width of the longest outcome, `warning` or `skipped`.
    private static let outcomeWidth = 7
    private static let idWidth = DoctorCheck.ID.allCases.map(\.rawValue.count).max() ?? 0
    /// The column in which details begin, after two gaps of two spaces.
    private static let indentation = outcomeWidth + idWidth + 4

    package var text: String {
        (entries.map(text) + [summary]).joined(separator: "\n")
    }

    /// The entries of the screen. Consecutive checks that are skipped for the same reason share one entry.
    private var entries: [(check: DoctorCheck, count: Int)] {
        checks.reduce(into: []) { entries, check in
            if check.outcome == .skipped, entries.last?.check.outcome == .skipped,
                entries.last?.check.detail == check.detail
            {
                entries[entries.count - 1].count += 1
            } else {
                entries.append((check, 1))
            }
        }
    }

    private func text(_ entry: (check: DoctorCheck, count: Int)) -> String {
        let check = entry.check
        let outcome = check.outcome.rawValue.padding(to: Self.outcomeWidth)
        let head =
            "\(coloured(outcome, check.outcome.colour))  \(check.id.rawValue.padding(to: Self.idWidth))"
        let detail = wrapped(check.detail.full + (entry.count > 1 ? " (\(entry.count) checks)" : ""))
        guard let fix = check.remedy?.command.full else { return "\(head)  \(detail)" }
        // A command stays on one line, so that it can be copied. "1" is bold (SGR 1).
        return "\(head)  \(detail)\n\(margin)\(coloured("fix: \(fix)", "1"))"
    }

    private var margin: String { String(repeating: " ", count: Self.indentation) }

    /// Wraps a detail between the column of details and the right edge. A very narrow screen still gets 30
    /// columns, so its lines are longer than the screen.
    private func wrapped(_ text: String) -> String {
        var lines: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            if let last = lines.last, last.count + 1 + word.count <= max(width - Self.indentation, 30) {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines.joined(separator: "\n\(margin)")
    }

    private func coloured(_ text: String, _ colour: String?) -> String {
        guard isColoured, let colour else { return text }
        return "\u{1b}[\(colour)m\(text)\u{1b}[0m"
    }

    private var summary: String {
        let parts = [DoctorCheck.Status.failed, .warning, .note, .ok, .skipped].compactMap { outcome in
            let count = checks.count { $0.outcome == outcome }
            // `failed`, `ok` and `skipped` have no plural.
            let isPlural = count > 1 && [.note, .warning].contains(outcome)
            return count == 0 ? nil : "\(count) \(outcome.rawValue)\(isPlural ? "s" : "")"
        }
        return "\n\(checks.count) checks: \(parts.joined(separator: ", "))"
    }
}

extension DoctorScreen {
    /// Creates a screen with the width of the terminal on standard output, or of 110 columns if standard
    /// output is no terminal.
    package init(_ checks: [DoctorCheck], isColoured: Bool) {
        var window = winsize()
        let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0 && window.ws_col > 0
        self.init(
            checks: checks, width: isKnown ? Int(window.ws_col) : 110,
            isColoured: isColoured)
    }
}

extension DoctorCheck.Status {
    /// The SGR parameters of the colour (ECMA-48 8.3.117). The colour gives no information beyond the word in
    /// front of each check.
    fileprivate var colour: String? {
        switch self {
        case .ok: "32"
        case .note: "36"
        case .warning: "33"
        case .failed: "1;31"
        case .skipped: "2"
        }
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}
