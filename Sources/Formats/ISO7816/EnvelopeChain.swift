/// ISO/IEC 7816-4, 5.3.3 and 11.7.2: one data object '53' as a chain of ENVELOPE commands, cut on demand, so
/// that a message is never copied as a whole.
///
/// Every command but the last has CLA 10 and no Le; the last has CLA 00 and the Le given.
package struct EnvelopeChain: IteratorProtocol, Sendable {
    private var header: ArraySlice<UInt8>
    private var rest: ArraySlice<UInt8>
    private let maximumData: Int
    private let expectedLength: ExpectedLength
    /// Whether the last command was produced.
    package private(set) var isFinished = false

    /// The chain for `message`, at most `maximumData` (taken as 1…65535) data bytes in a command; nil for a
    /// message too long for a data object.
    package init?(_ message: ArraySlice<UInt8>, maximumData: Int, expectedLength: ExpectedLength) {
        guard let header = DiscretionaryData.header(forLength: message.count) else { return nil }
        self.header = header[...]
        rest = message
        self.maximumData = min(max(maximumData, 1), CommandAPDU.maximumData)
        self.expectedLength = expectedLength
    }

    /// The next encoded command, or nil after the last.
    package mutating func next() -> [UInt8]? {
        guard !isFinished else { return nil }
        let leading = header.prefix(maximumData)
        let chunk = rest.prefix(maximumData - leading.count)
        header = header.dropFirst(leading.count)
        rest = rest.dropFirst(chunk.count)
        isFinished = header.isEmpty && rest.isEmpty
        let command = CommandAPDU(
            cla: isFinished ? 0x00 : 0x10, ins: CommandAPDU.Instruction.envelope, p1: 0x00, p2: 0x00,
            data: chunk, expectedLength: isFinished ? expectedLength : nil)
        return command.encode(leading: leading)
    }
}
