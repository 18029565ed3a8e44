/// What an NDEF message may cost to read.
package struct NDEFLimits: Equatable, Sendable {
    /// The longest message, in bytes.
    package let maximumBytes: Int
    /// The largest number of records in one message.
    package let maximumRecords: Int

    /// By default what NLEN can announce, and more records than any handover needs.
    package init(maximumBytes: Int = 0xffff, maximumRecords: Int = 64) {
        self.maximumBytes = maximumBytes
        self.maximumRecords = maximumRecords
    }
}
