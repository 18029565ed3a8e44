internal import ISO7816

/// READ BINARY until a range of the selected file is complete, however little each answer brings (Q22).
struct NFCFileRead: Sendable {
    private let offset: Int
    private let count: Int
    private let chunk: Int
    private let extended: Bool
    private var answeredEmpty = false
    private(set) var bytes: [UInt8] = []

    /// A read of `count` bytes from `offset`, at most `chunk` bytes at a time.
    init(offset: Int, count: Int, chunk: Int, extended: Bool = false) {
        self.offset = offset
        self.count = count
        self.chunk = chunk
        self.extended = extended
        bytes.reserveCapacity(count)
    }

    /// NLEN, the first two bytes of the NDEF file.
    static var messageLength: NFCFileRead {
        NFCFileRead(offset: 0, count: 2, chunk: 2)
    }

    var isComplete: Bool {
        bytes.count == count
    }

    /// The next command; never beyond the range (Q15), never at an offset of 8000 or above (Q24).
    func command() throws(NFCFault) -> CommandAPDU {
        guard let position = FileOffset(offset + bytes.count) else {
            throw .messageTooLong(announced: offset + count, limit: 0x8000)
        }
        let length = ExpectedLength(upTo: min(chunk, count - bytes.count), extended: extended)
        return .readBinary(at: position, upTo: length)
    }

    /// Takes an answer's data field. More bytes than were asked for are refused, and so is the second empty answer in a row.
    mutating func receive(_ data: ArraySlice<UInt8>) throws(NFCFault) {
        guard data.count <= min(chunk, count - bytes.count) else { throw .surplusBytes }
        guard !(data.isEmpty && answeredEmpty) else { throw .noProgress }
        answeredEmpty = data.isEmpty
        bytes += data
    }
}
