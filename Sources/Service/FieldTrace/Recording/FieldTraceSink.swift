/// Where the lines of a field trace go. The recorder calls it from one place at a time.
package protocol FieldTraceSink: Sendable {
    /// Called before each presentation: whether a new file is begun, which then gets the header and new tokens.
    func beginsFile() -> Bool

    /// Takes one line with its end.
    func write(_ line: [UInt8])
}

/// One file from beginning to end.
struct OneFileSink: FieldTraceSink {
    let take: @Sendable ([UInt8]) -> Void

    func beginsFile() -> Bool { false }

    func write(_ line: [UInt8]) { take(line) }
}
