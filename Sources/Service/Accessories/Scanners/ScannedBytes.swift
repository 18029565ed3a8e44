/// A code as a scanner sent it. `ScannedCode` decides whether it is a phone's code.
package enum ScannedBytes: Equatable, Sendable, RedactedScan {
    /// The bytes of one code, without the scanner's prefix and without an AIM identifier: at least one byte, at most
    /// `maximumLength`. The symbology is `nil` if the scanner does not report it.
    case code([UInt8], symbology: ScanSymbology?)
    /// A code of more than `maximumLength` bytes, which was dropped.
    case tooLong

    /// The maximum length of a code, in bytes. It is the daemon's limit for an engagement, and more than any QR code
    /// can hold.
    package static let maximumLength = 8192

    /// The number of bytes, or `nil` for a code that is too long.
    package var length: Int? { if case .code(let bytes, symbology: _) = self { bytes.count } else { nil } }

    package var description: String {
        switch self {
        case .code(let bytes, symbology: _): "a code of \(bytes.count) bytes"
        case .tooLong: "a code that is too long"
        }
    }
}
