internal import Glibc
internal import MdocVerification
internal import ReaderStore

/// A display on a terminal. Shows text on the terminal's alternate screen, and removes it after the
/// operator's decision.
struct TerminalDisplay: DisplayChannel {
    let path: String

    /// The control sequence that switches to the terminal's alternate screen and clears it.
    private static let begin = "\u{1b}[?1049h\u{1b}[2J\u{1b}[H"
    /// The control sequence that clears the alternate screen and switches back.
    private static let end = "\u{1b}[2J\u{1b}[?1049l"

    func show(
        _ result: ShownResult, asking isAsking: Bool, during time: DisplayTime, shown: () -> Void
    ) throws(MobileDocumentReaderError) -> ResultShowing.ValidationOutcome {
        // `O_NOCTTY`: opening a terminal must not make it this process's controlling terminal.
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0, isatty(descriptor) == 1 else {
            if descriptor >= 0 { close(descriptor) }
            throw .serviceUnavailable(.displayUnavailable(.terminalAbsent))
        }
        let line = DisplayLine(owning: descriptor)
        // Removing the result has its own time limit of 1 s, because the result must disappear even if the
        // time for the decision is over.
        defer { _ = line.write(Array(Self.end.utf8), during: DisplayTime(.seconds(1))) }
        let text = Self.begin + Self.text(of: result, isAsking: isAsking)
        guard line.write(Array(text.utf8), during: time) else {
            throw .serviceUnavailable(.displayUnavailable(.terminalLost))
        }
        shown()
        while true {
            switch line.line(during: time) {
            case .timeOver: return .dismissed
            case .closed: throw .serviceUnavailable(.displayUnavailable(.terminalLost))
            case .line(let word):
                // A line that is not a decision is ignored. If the app itself asks the operator, every line
                // is ignored.
                if isAsking, let outcome = Self.outcome(of: word) { return outcome }
            }
        }
    }

    /// Returns the decision for a line that the operator typed, or `nil` if the line is not a decision.
    private static func outcome(of word: String) -> ResultShowing.ValidationOutcome? {
        switch word.lowercased() {
        case "y", "yes": .approved
        case "n", "no": .rejected
        case "": .dismissed
        default: nil
        }
    }

    /// Returns the text to show on the screen, with line ends.
    private static func text(of result: ShownResult, isAsking: Bool) -> String {
        var lines: [String] = []
        if let brand = result.brand { lines.append(safe(brand)) }
        if result.isTest { lines.append("TEST DOCUMENT: it proves nothing.") }
        let name = [result.givenName, result.familyName].compactMap(\.self).map(safe)
        if !name.isEmpty { lines.append(name.joined(separator: " ")) }
        if let age = result.age { lines.append("Age \(age)") }
        for (years, answer) in result.ages { lines.append("At least \(years): \(answer.rawValue)") }
        lines.append(
            result.portrait == nil
                ? "There is no portrait to compare\(result.portraitFault.map { ": \($0)" } ?? "")."
                : "A portrait was received, but this display does not show it.")
        if isAsking {
            let isConfirmed = result.asked.validationMode == .confirm
            lines.append(isConfirmed ? "Does the person match? y, n, or Enter for neither: " : "Enter: ")
        }
        return lines.joined(separator: "\r\n")
    }

    /// Returns the text with `?` in place of control and formatting characters. In a document's text, such
    /// characters could control the terminal or change the order of the shown text.
    private static func safe(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(200).map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate: "?"
                    default: scalar
                    }
                }))
    }
}

/// A connection to a terminal or a viewer's socket, with a time limit for each operation.
struct DisplayLine: ~Copyable {
    /// The result of waiting for a line.
    enum Answer: Equatable {
        case line(String)
        /// The other end closed the connection, or sent a line longer than 64 bytes.
        case closed
        case timeOver
    }

    /// The maximum length of a received line, in bytes.
    private static let longestLine = 64
    /// The timeout of one `poll` call in milliseconds. After each call, the time limit of the operation is
    /// checked again.
    private static let tick: Int32 = 50

    private let descriptor: Int32

    init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Writes the bytes. Returns whether all were written in time.
    func write(_ bytes: [UInt8], during time: DisplayTime) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard !time.isOver else { return false }
            // If the descriptor is not ready within one tick, the loop checks the time limit again.
            guard isReady(for: POLLOUT) else { continue }
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Self.write(bytes, to: descriptor)
            }
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Writes with `send`, because `write` to a closed socket raises a signal that ends the process. A
    /// terminal is not a socket, so `send` fails, and the bytes are then written with `write`.
    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        let count = unsafe send(
            descriptor, bytes.baseAddress, bytes.count,
            Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        guard count < 0, errno == ENOTSOCK else { return count }
        return unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    }

    /// Returns the next line, without its line end.
    func line(during time: DisplayTime) -> Answer {
        var line: [UInt8] = []
        while !time.isOver {
            guard isReady(for: POLLIN) else { continue }
            // Read byte by byte, so that no byte of a later line is read.
            var byte: UInt8 = 0
            let count = unsafe read(descriptor, &byte, 1)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count == 1, line.count < Self.longestLine else { return .closed }
            if byte == UInt8(ascii: "\n") { return .line(String(decoding: line, as: UTF8.self)) }
            if byte != UInt8(ascii: "\r") { line.append(byte) }
        }
        return .timeOver
    }

    /// Waits for at most one tick until the descriptor is ready. Returns whether the descriptor is ready.
    private func isReady(for events: Int32) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        let count = unsafe Glibc.poll(&poll, 1, Self.tick)
        // If `poll` fails immediately, this pause keeps the caller's loop from using the whole processor.
        if count < 0, errno != EINTR { usleep(useconds_t(Self.tick) * 1000) }
        return count > 0
    }
}
