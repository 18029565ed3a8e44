package import Logging
internal import Synchronization

/// What a log says, one line an entry: the message, and its metadata by name.
package final class LogLines: Sendable {
    private let kept = Mutex<[String]>([])

    package init() {}

    package var lines: [String] { kept.withLock { $0 } }
    package var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    /// How many lines begin like this.
    package func count(_ words: String) -> Int { lines.count { $0.hasPrefix(words) } }

    private struct Handler: LogHandler {
        let log: LogLines
        var metadata = Logger.Metadata()
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let words = (event.metadata ?? [:]).map { "\($0)=\($1)" }.sorted().joined(separator: " ")
            log.kept.withLock { $0.append("\(event.message) \(words)") }
        }
    }
}
