/// A value that contains scanned text. The text is left out of its description, its debug description and its mirror,
/// so that no code of a person reaches a log.
protocol RedactedScan: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension RedactedScan {
    package var description: String { "\(Self.self)(redacted)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
