internal import Dispatch
internal import Glibc
package import JSON
internal import MdocVerification
internal import ReaderStore
package import Reports
package import SystemPackage

/// Where a command writes: results to standard output, all else to standard error.
extension Terminal {
    package static func result(_ text: String) {
        write(text, to: .standardOutput)
    }

    /// Progress, a hint or an error.
    package static func note(_ text: String) {
        write(unsteered(text), to: .standardError)
    }

    /// A question, without a line end after it.
    package static func prompt(_ text: String) {
        _ = try? FileDescriptor.standardError.writeAll(text.utf8)
    }

    /// A reader that closed its end early does not need the rest: this is not an error.
    private static func write(_ text: String, to descriptor: FileDescriptor) {
        _ = try? descriptor.writeAll((text + "\n").utf8)
    }
}

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
    fileprivate static func isScreen(_ descriptor: FileDescriptor) -> Bool {
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

/// Shows that work continues, in one line that counts the seconds from the first on and is removed when the work ends.
/// It is shown on a standard error that is a terminal.
package enum Progress {
    package static func during<Result: ~Copyable, Failure: Error>(
        _ work: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let line = ProgressLine(work)
        defer { line?.end() }
        return try body()
    }

    package static func during<Result: ~Copyable, Failure: Error>(
        _ work: String, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let line = ProgressLine(work)
        defer { line?.end() }
        return try await body()
    }
}

/// The line on the terminal, drawn by a separate thread: the work may block every other.
private struct ProgressLine {
    private let queue = DispatchQueue(label: "countersign.progress")
    private let timer: any DispatchSourceTimer
    private let start = ContinuousClock.now

    /// Nil if the standard error is no terminal.
    init?(_ work: String) {
        guard Terminal.isScreen(.standardError) else { return nil }
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler { [start] in
            Self.draw("\(work)… \((ContinuousClock.now - start).components.seconds) s")
        }
        timer.resume()
    }

    /// Nothing is drawn afterwards.
    func end() {
        queue.sync {
            timer.cancel()
            if ContinuousClock.now - start >= .seconds(1) { Self.draw("") }
        }
    }

    /// In place of what the line had.
    private static func draw(_ text: String) {
        _ = try? FileDescriptor.standardError.writeAll("\r\(text)\u{1b}[K".utf8)
    }
}
