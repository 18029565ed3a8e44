internal import WalletPresentation

extension ChannelReport {
    /// For a person, fit for a terminal.
    package func text(elements: ElementDisplay) -> String {
        var lines = response.lines(elements: elements, under: headline)
        lines += ageStandIns.map {
            "  over \($0.years): an age in years came in its place, as of the day of issue; it tells more"
        }
        if !isReplayChecked {
            lines.append("Replays cannot be seen here: it may have been presented before.")
        }
        return lines.joined(separator: "\n")
    }

    private var headline: String {
        switch verdict {
        case .mock(let sign): "MOCK: \(sign.explanation)  [\(sign.rawValue)]"
        case .verified, .rejected, .malformed: response.headline
        }
    }
}
