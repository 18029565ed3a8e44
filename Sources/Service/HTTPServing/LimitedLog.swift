package import Logging
internal import Synchronization

/// Writes a limited number of lines of one message in each minute: who is refused can ask again at once, and would fill the disk. When
/// the minute is over, a line says how many it did not write.
package final class LimitedLog: Sendable {
    /// How many lines of one message are written in one period.
    package static let most = 10

    private struct Window: Sendable {
        let began: ContinuousClock.Instant
        var written = 0
        var leftOut = 0
    }

    private let log: Logger
    private let sourceKey: String
    private let period: Duration
    /// The windows that are open, by message and source.
    private let windows = Mutex<[String: Window]>([:])

    /// - Parameter sourceKey: the key of a message's source in the metadata of a line, such as `kiosk`.
    package init(_ log: Logger, sourceKey: String = "source", period: Duration = .seconds(60)) {
        self.log = log
        self.sourceKey = sourceKey
        self.period = period
    }

    /// - Parameter source: the name of the caller that causes the message, whose lines are counted apart. Nil for strangers.
    package func warning(
        _ message: Logger.Message, of source: String? = nil,
        _ metadata: @autoclosure () -> Logger.Metadata = [:]
    ) {
        write(message, at: .warning, of: source, metadata())
    }

    package func error(_ message: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata = [:]) {
        write(message, at: .error, of: nil, metadata())
    }

    private func write(
        _ message: Logger.Message, at level: Logger.Level, of source: String?, _ metadata: Logger.Metadata
    ) {
        let key = "\(message) \(source ?? "")"
        let (isWritten, isFirstLeftOut) = windows.withLock { windows in
            let now = ContinuousClock.now
            // A window with lines to report is open until its report.
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

    /// Closes a window, and says how many lines of it were not written.
    private func report(
        _ message: Logger.Message, at level: Logger.Level, of source: String?, in key: String
    ) {
        guard let window = windows.withLock({ $0.removeValue(forKey: key) }) else { return }
        var metadata: Logger.Metadata = ["message": "\(message)", "notLogged": "\(window.leftOut)"]
        if let source { metadata[sourceKey] = "\(source)" }
        log.log(level: level, "more lines of one message came than are logged", metadata: metadata)
    }
}
