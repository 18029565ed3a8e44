internal import Glibc
package import JSON
internal import MdocVerification
internal import ReaderStore
package import Reports
package import SystemPackage

/// Colours of words, by their numbers in ECMA-48 8.3.117, each in bold.
package enum TerminalColour: Int {
    case red = 31, green, yellow

    package func of(_ text: String) -> String { "\u{1b}[1;\(rawValue)m\(text)\u{1b}[0m" }
}

extension Terminal {
    /// A verdict, its first line in this colour.
    package static func result(_ text: String, in colour: TerminalColour) {
        guard showsColours(.standardOutput) else { return result(text) }
        let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = lines.dropFirst().map { "\n\($0)" }.joined()
        result(colour.of(String(lines[0])) + rest)
    }

    /// How an error begins, on the standard error.
    package static var errorPrefix: String {
        showsColours(.standardError) ? "\(TerminalColour.red.of("error:")) " : "error: "
    }

    /// Whether it is a terminal with colours whose owner did not refuse them (no-color.org).
    package static func showsColours(_ descriptor: FileDescriptor) -> Bool {
        isScreen(descriptor) && variable("NO_COLOR").isEmpty
    }

    /// Whether it is a terminal that knows control sequences.
    package static func isScreen(_ descriptor: FileDescriptor) -> Bool {
        isatty(descriptor.rawValue) == 1 && !["", "dumb"].contains(variable("TERM"))
    }

    private static func variable(_ name: String) -> String {
        unsafe getenv(name).map { unsafe String(cString: $0) } ?? ""
    }
}

extension TransactionReport {
    /// A test document proves nothing, and is never green.
    package var colour: TerminalColour {
        switch exitStatus {
        case .success: hasTestDocument ? .yellow : .green
        case .answerNotYes: conclusion.outcome == .deny ? .red : .yellow
        case .incomplete: .yellow
        default: .red
        }
    }
}
