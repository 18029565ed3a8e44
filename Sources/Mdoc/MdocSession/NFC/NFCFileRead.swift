internal import ISO7816

/// The read of a range of the selected file, by as many READ BINARY commands as the phone's responses need
/// (Q22).
struct NFCFileRead: Sendable {
    private let offset: Int
    private let count: Int
    private let chunk: Int
    private let extended: Bool
    private var answeredEmpty = false
    private(set) var bytes: [UInt8] = []

    /// Creates a read of `count` bytes from `offset`, with at most `chunk` bytes in each command.
    init(offset: Int, count: Int, chunk: Int, extended: Bool = false) {
        self.offset = offset
        self.count = count
        self.chunk = chunk
        self.extended = extended
        bytes.reserveCapacity(count)
    }

    /// A read of NLEN, the first two bytes of the NDEF file.
    static var messageLength: NFCFileRead {
        NFCFileRead(offset: 0, count: 2, chunk: 2)
    }

    var isComplete: Bool {
        bytes.count == count
    }

    /// Returns the next command. It never reads past the range (Q15), and never at an offset of 0x8000 or
    /// above (Q24).
    func command() throws(NFCFault) -> CommandAPDU {
        guard let position = FileOffset(offset + bytes.count) else {
            throw .messageTooLong(announced: offset + count, limit: 0x8000)
        }
        let length = ExpectedLength(upTo: min(chunk, count - bytes.count), extended: extended)
        return .readBinary(at: position, upTo: length)
    }

    /// Appends the data of a response.
    ///
    /// - Throws: `surplusBytes` if there is more data than was asked for, `noProgress` at the second empty
    ///   response in a row.
    mutating func receive(_ data: ArraySlice<UInt8>) throws(NFCFault) {
        guard data.count <= min(chunk, count - bytes.count) else { throw .surplusBytes }
        guard !(data.isEmpty && answeredEmpty) else { throw .noProgress }
        answeredEmpty = data.isEmpty
        bytes += data
    }
}
