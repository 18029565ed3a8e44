/// ISO/IEC 18013-5 (second edition), BLE over L2CAP: a message behind its length.
package struct L2CAPFrame: Equatable, Sendable {
    /// The four bytes of the length, big-endian.
    package let head: [UInt8]
    /// The message; it shares the storage of what was given.
    package let message: ArraySlice<UInt8>

    /// Nil for an empty message, which cannot be sent, and for one of 4 GiB.
    package init?(_ message: ArraySlice<UInt8>) {
        guard !message.isEmpty, let length = UInt32(exactly: message.count) else { return nil }
        head = stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: length >> $0) }
        self.message = message
    }
}
