internal import Dispatch
internal import JSON
internal import SystemPackage

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
