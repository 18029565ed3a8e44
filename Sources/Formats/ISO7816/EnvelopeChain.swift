/// A message in one data object '53', divided into a chain of ENVELOPE commands (ISO/IEC 7816-4, 5.3.3 and
/// 11.7.2; Q58).
///
/// Each command is encoded when it is requested, so that the message is never copied as a whole. All commands
/// except the last have CLA 10 (hexadecimal) and no Le. The last has CLA 00 and Le.
package struct EnvelopeChain: IteratorProtocol, Sendable {
    private var header: ArraySlice<UInt8>
    private var rest: ArraySlice<UInt8>
    private let maximumData: Int
    private let expectedLength: ExpectedLength
    /// Whether the last command was returned.
    package private(set) var isFinished = false

    /// Creates the chain for a message; `nil` if the message is too long for a data object.
    ///
    /// - Parameter maximumData: the maximum number of data bytes in a command; clamped to 1…65535.
    /// - Parameter expectedLength: the Le of the last command.
    package init?(_ message: ArraySlice<UInt8>, maximumData: Int, expectedLength: ExpectedLength) {
        guard let header = DiscretionaryData.header(forLength: message.count) else { return nil }
        self.header = header[...]
        rest = message
        self.maximumData = min(max(maximumData, 1), CommandAPDU.maximumData)
        self.expectedLength = expectedLength
    }

    /// Returns the next encoded command; `nil` after the last.
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
