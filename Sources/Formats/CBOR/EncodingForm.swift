/// How an encoding departs from preferred serialization (RFC 8949 4.1). Reading accepts these forms; the
/// structures of ISO/IEC 18013-5 are to be written without them.
package struct EncodingForm: OptionSet, Sendable {
    package let rawValue: UInt8

    /// No departure.
    package init() {
        rawValue = 0
    }

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A string, array or map of indefinite length.
    package static let indefiniteLength = EncodingForm(rawValue: 1)
    /// An integer, length or tag in more bytes than needed.
    package static let longerHead = EncodingForm(rawValue: 2)
}
