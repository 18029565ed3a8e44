internal import Dispatch
internal import Glibc
package import JSON
internal import MdocVerification
internal import ReaderStore
package import Reports
package import SystemPackage

/// The output of commands: results on standard output, everything else on standard error.
extension Terminal {
    /// Writes a result and a line end to standard output.
    package static func result(_ text: String) {
        write(text, to: .standardOutput)
    }

    /// Writes a text (progress, a hint or an error) and a line end to standard error. Control sequences are
    /// removed from the text, except the colours that commands use.
    package static func message(_ text: String) {
        write(unsteered(text), to: .standardError)
    }

    /// Writes a question to standard error, without a line end.
    package static func prompt(_ text: String) {
        _ = try? FileDescriptor.standardError.writeAll(text.utf8)
    }

    /// Writes a line. Errors are ignored, because a program such as `head` may close its end of a pipe early.
    private static func write(_ text: String, to descriptor: FileDescriptor) {
        _ = try? descriptor.writeAll((text + "\n").utf8)
    }
}

/// The colours of bold words on a terminal. The raw value is the parameter of SGR (ECMA-48 8.3.117).
package enum TerminalColour: Int {
    case red = 31, green, yellow

    /// Returns `text` in bold and in this colour.
    package func of(_ text: String) -> String { "\u{1b}[1;\(rawValue)m\(text)\u{1b}[0m" }
}

extension Terminal {
    /// Writes a verdict to standard output. The first line is coloured if standard output shows colours.
    package static func result(_ text: String, in colour: TerminalColour) {
        guard showsColours(.standardOutput) else { return result(text) }
        // The first line contains the verdict.
        let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = lines.dropFirst().map { "\n\($0)" }.joined()
        result(colour.of(String(lines[0])) + rest)
    }

    /// The beginning of an error on standard error: `error: `, in red if standard error shows colours.
    package static var errorPrefix: String {
        showsColours(.standardError) ? "\(TerminalColour.red.of("error:")) " : "error: "
    }

    /// Whether the descriptor is a terminal with colours and the user has not set `NO_COLOR` (no-color.org).
    package static func showsColours(_ descriptor: FileDescriptor) -> Bool {
        isScreen(descriptor) && variable("NO_COLOR").isEmpty
    }

    /// Whether the descriptor is a terminal that understands control sequences.
    package static func isScreen(_ descriptor: FileDescriptor) -> Bool {
        isatty(descriptor.rawValue) == 1 && !["", "dumb"].contains(variable("TERM"))
    }

    private static func variable(_ name: String) -> String {
        unsafe getenv(name).map { unsafe String(cString: $0) } ?? ""
    }
}

extension TransactionReport {
    /// The colour of the report. A report with a test document is never green, because such a document proves
    /// nothing.
    package var colour: TerminalColour {
        switch exitStatus {
        case .success: hasTestDocument ? .yellow : .green
        case .answerNotYes: conclusion.outcome == .deny ? .red : .yellow
        case .incomplete: .yellow
        default: .red
        }
    }
}

/// A progress line on standard error that counts the seconds of a long operation. The line appears after 1 s
/// and is removed at the end. Nothing is shown if standard error is not a terminal.
package enum Progress {
    /// Performs `body` while the line shows `work` and the seconds so far.
    package static func during<Result: ~Copyable, Failure: Error>(
        _ work: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let line = ProgressLine(work)
        defer { line?.end() }
        return try body()
    }

    /// Performs `body` while the line shows `work` and the seconds so far.
    package static func during<Result: ~Copyable, Failure: Error>(
        _ work: String, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let line = ProgressLine(work)
        defer { line?.end() }
        return try await body()
    }
}

/// The progress line on the terminal. A dispatch queue draws the line, because the work may block every
/// thread of Swift concurrency.
private struct ProgressLine {
    private let queue = DispatchQueue(label: "countersign.progress")
    private let timer: any DispatchSourceTimer
    private let start = ContinuousClock.now

    /// Starts the progress line. Returns `nil` if standard error is not a terminal.
    init?(_ work: String) {
        guard Terminal.isScreen(.standardError) else { return nil }
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler { [start] in
            Self.draw("\(work)… \((ContinuousClock.now - start).components.seconds) s")
        }
        timer.resume()
    }

    /// Removes the progress line. Nothing is drawn afterwards.
    func end() {
        // The line is removed on the timer's queue, so that it is not being drawn at the same time.
        queue.sync {
            timer.cancel()
            if ContinuousClock.now - start >= .seconds(1) { Self.draw("") }
        }
    }

    /// Replaces the text of the progress line.
    private static func draw(_ text: String) {
        _ = try? FileDescriptor.standardError.writeAll("\r\(text)\u{1b}[K".utf8)
    }
}
