/// The machine that finds the codes in the bytes of a serial scanner.
///
/// A scanner sends a code in one read or in several, and may send several codes in one read. A code ends with CR, LF,
/// ETX or TAB; CR LF is one end, since an empty code counts as nothing. A scanner without such a suffix ends a code by
/// silence. Fewer than 20 bytes before a silence are noise on the line and are dropped.
///
/// A code of more than 8192 bytes is reported once as too long. All bytes up to the next silence are then dropped, so
/// that the end of a long text cannot pass as a code.
///
/// The machine removes the scanner's answers to commands, the configured prefix and one AIM identifier, and drops a
/// code that it had within the last two seconds. It does not judge the text: see `ScannedCode`.
///
/// A driver reads the serial line, calls `receive` with what it has read, and calls `expire` at `deadline`. All times
/// are monotonic times since one start, which the driver chooses.
package struct ScanFraming: Sendable, RedactedScan {
    /// The pause between two bytes that ends a code.
    package static let silence = Duration.milliseconds(60)
    /// The maximum length of a configured prefix, in bytes.
    package static let maximumPrefixLength = 8

    /// The minimum length of a code that silence ends, in bytes.
    private static let minimumSilentLength = 20
    /// LF, CR, ETX and TAB.
    private static let ends: Set<UInt8> = [0x0a, 0x0d, 0x03, 0x09]
    /// The byte that some scanners send before a code that ends with ETX.
    private static let startOfText: UInt8 = 0x02

    private let prefix: [UInt8]
    private let commands: ScannerCommands?
    /// The bytes since the last end.
    private var code: [UInt8] = []
    /// Whether all bytes are dropped until the next silence.
    private var isDropping = false
    /// The time at which the last byte was received.
    private var lastByte = Duration.zero
    private var repeats = ScanRepeats()

    /// Creates the machine for a scanner.
    ///
    /// - Parameters:
    ///   - prefix: the text that the scanner sends before each code. A text of more than `maximumPrefixLength` bytes
    ///     is not removed, and the codes are then foreign.
    ///   - maker: the maker whose commands are sent to the scanner, and whose answers are removed.
    package init(prefix: String? = nil, maker: ScannerMaker? = nil) {
        let prefix = Array((prefix ?? "").utf8)
        self.prefix = prefix.count <= Self.maximumPrefixLength ? prefix : []
        commands = maker.map(ScannerCommands.init)
    }

    /// Creates the machine for a scanner of the configuration file.
    package init(_ scanner: SerialScanner) {
        self.init(prefix: scanner.prefix, maker: scanner.commands)
    }

    /// The time at which `expire` has to be called, or `nil` while no code has begun.
    package var deadline: Duration? { code.isEmpty && !isDropping ? nil : lastByte + Self.silence }

    /// Receives bytes that were read at `now`.
    ///
    /// - Returns: the codes that are complete, in their order.
    package mutating func receive(_ bytes: ArraySlice<UInt8>, at now: Duration) -> [ScannedBytes] {
        // Bytes that come after a silence begin a code, even if the driver had no time to call `expire`.
        var scanned = expire(at: now)
        if !bytes.isEmpty { lastByte = now }
        for byte in bytes where !isDropping {
            if Self.ends.contains(byte) {
                if let ended = endCode() { scanned.append(ended) }
            } else if code.count == ScannedBytes.maximumLength {
                code = []
                isDropping = true
                scanned.append(.tooLong)
            } else {
                code.append(byte)
            }
        }
        return scanned
    }

    /// Ends a code by silence if `deadline` has passed.
    ///
    /// - Returns: the code, or nothing.
    package mutating func expire(at now: Duration) -> [ScannedBytes] {
        guard let deadline, now >= deadline else { return [] }
        isDropping = false
        guard code.count >= Self.minimumSilentLength else {
            code = []
            return []
        }
        return endCode().map { [$0] } ?? []
    }

    /// Ends the code and removes from it what the scanner has added.
    private mutating func endCode() -> ScannedBytes? {
        var text = code[...]
        code = []
        if text.first == Self.startOfText { text = text.dropFirst() }
        if let commands { text = commands.removingAnswers(from: text) }
        if text.starts(with: prefix) { text = text.dropFirst(prefix.count) }
        let symbology = ScanSymbology.removeIdentifier(from: &text)
        guard !text.isEmpty, !repeats.isRepeat(Array(text), at: lastByte) else { return nil }
        return .code(Array(text), symbology: symbology)
    }
}
