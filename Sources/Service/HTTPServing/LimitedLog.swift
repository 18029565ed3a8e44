package import Logging
internal import Synchronization

/// A log that limits how often each message is written within a minute. A refused caller can repeat its
/// request without a pause. Without the limit, the lines about these requests would fill the disk. After the
/// minute one line reports how many lines were left out.
package final class LimitedLog: Sendable {
    /// The maximum number of lines of one message in a period.
    package static let most = 10

    /// The lines of one message and source in the current period.
    private struct Window: Sendable {
        let began: ContinuousClock.Instant
        var written = 0
        var leftOut = 0
    }

    private let log: Logger
    private let sourceKey: String
    private let period: Duration
    /// The current periods, by message and source.
    private let windows = Mutex<[String: Window]>([:])

    /// Creates a limited log.
    ///
    /// - Parameter sourceKey: the metadata key under which a message's source is logged, such as `kiosk`.
    package init(_ log: Logger, sourceKey: String = "source", period: Duration = .seconds(60)) {
        self.log = log
        self.sourceKey = sourceKey
        self.period = period
    }

    /// Logs a warning.
    ///
    /// - Parameter source: the known caller that causes the message; `nil` if the caller is unknown. Each
    ///   known caller has its own limit. All unknown callers have one limit together.
    package func warning(
        _ message: Logger.Message, of source: String? = nil,
        _ metadata: @autoclosure () -> Logger.Metadata = [:]
    ) {
        write(message, at: .warning, of: source, metadata())
    }

    package func error(_ message: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata = [:]) {
        write(message, at: .error, of: nil, metadata())
    }

    /// Logs a line, or only counts the line if the maximum for the period is reached. The first line that is
    /// left out starts the task that reports how many lines were left out.
    private func write(
        _ message: Logger.Message, at level: Logger.Level, of source: String?, _ metadata: Logger.Metadata
    ) {
        let key = "\(message) \(source ?? "")"
        let (isWritten, isFirstLeftOut) = windows.withLock { windows in
            let now = ContinuousClock.now
            // A period in which lines were left out is kept until their number is reported.
            windows = windows.filter { $0.value.leftOut > 0 || now - $0.value.began < period }
            var window = windows[key] ?? Window(began: now)
            let isWritten = window.written < Self.most
            if isWritten { window.written += 1 } else { window.leftOut += 1 }
            windows[key] = window
            return (isWritten, window.leftOut == 1)
        }
        if isWritten { log.log(level: level, message, metadata: metadata) }
        guard isFirstLeftOut else { return }
        Task { [self] in
            try? await Task.sleep(for: period, clock: .continuous)
            report(message, at: level, of: source, in: key)
        }
    }

    /// Ends the period of a message, and logs how many lines were left out.
    private func report(
        _ message: Logger.Message, at level: Logger.Level, of source: String?, in key: String
    ) {
        guard let window = windows.withLock({ $0.removeValue(forKey: key) }) else { return }
        var metadata: Logger.Metadata = ["message": "\(message)", "notLogged": "\(window.leftOut)"]
        if let source { metadata[sourceKey] = "\(source)" }
        log.log(level: level, "lines of a repeated message were not logged", metadata: metadata)
    }
}
