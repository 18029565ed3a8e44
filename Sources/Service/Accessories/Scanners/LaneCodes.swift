/// The rule by which a scanner's codes are passed to its lane.
///
/// - While the lane takes codes, every code is passed. `ScanRepeats` has left out its repetitions within two seconds.
/// - While the lane takes none, a code is passed once, and the daemon refuses it. The same code is passed again only after
///   another code, or when the lane takes codes.
///
/// A phone that was shown too early and is still held before the scanner is therefore read when the lane is ready, within
/// `ScanRepeats.window`. It causes no call to the daemon every two seconds before that.
package struct LaneCodes: Sendable, RedactedScan {
    /// Whether the lane takes codes, as the daemon has announced it.
    package private(set) var takesCode = false
    /// The last code that was passed, or `nil` if the lane has begun to take codes since.
    private var last: ScannedCode?

    package init() {}

    /// Records whether the lane takes codes.
    package mutating func setTakesCode(_ takesCode: Bool) {
        if takesCode, !self.takesCode { last = nil }
        self.takesCode = takesCode
    }

    /// Returns those of the scanned codes that are passed to the lane.
    package mutating func accept(_ scanned: [ScannedCode]) -> [ScannedCode] {
        scanned.filter { code in
            defer { last = code }
            return takesCode || code != last
        }
    }
}
