/// The codes that a camera sees, from the texts that were read in its frames. A phone that is held still is
/// in every frame, and its code is passed on once in two seconds.
package struct CameraCodes: Sendable, RedactedScan {
    private var repeats = ScanRepeats()

    package init() {}

    /// Judges the text of a code in a frame.
    ///
    /// - Parameter now: the time of the frame, since any fixed start.
    /// - Returns: `nil` if the code is a repetition, or too long for a code.
    package mutating func receive(_ text: [UInt8], at now: Duration) -> ScannedCode? {
        guard text.count <= ScannedBytes.maximumLength, !repeats.isRepeat(text, at: now) else { return nil }
        return ScannedCode(text[...])
    }
}
