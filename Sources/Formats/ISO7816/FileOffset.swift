/// ISO/IEC 7816-4, 11.2: the offset in a READ or UPDATE BINARY with the file already selected: bit 8 of P1 is
/// zero, so an offset is below 8000 (Q24).
package struct FileOffset: Equatable, Sendable {
    /// The offset in bytes, 0…7fff.
    package let value: UInt16

    /// The offset, or nil when it does not fit fifteen bits.
    package init?(_ value: Int) {
        guard (0...0x7fff).contains(value) else { return nil }
        self.value = UInt16(value)
    }

    /// The offset in P1 and P2 of a command, or nil when P1 names a short file identifier instead.
    package init?(of command: CommandAPDU) {
        self.init(Int(command.p1) << 8 | Int(command.p2))
    }
}
