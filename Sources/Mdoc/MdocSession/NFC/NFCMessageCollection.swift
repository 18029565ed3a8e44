internal import ErrorMapping
internal import ISO7816

/// The assembly of the data object '53' of an answer, from response APDUs of any size (Q52).
///
/// Memory for the message is reserved once, after the announced length was compared with the limit (Q194).
struct NFCMessageCollection: Sendable {
    private enum Stage {
        case header([UInt8])
        case value(length: Int)
    }

    private let maximumLength: Int
    private var stage = Stage.header([])
    private var answeredEmpty = false
    private(set) var message: [UInt8] = []

    init(maximumLength: Int) {
        self.maximumLength = maximumLength
    }

    /// The number of missing bytes of the value. Nil while the header is incomplete.
    var missing: Int? {
        guard case .value(let length) = stage else { return nil }
        return length - message.count
    }

    /// Appends the data of a response.
    ///
    /// - Throws: `noProgress` at the second empty response in a row, `surplusBytes` after the end of the data
    ///   object.
    mutating func receive(_ data: ArraySlice<UInt8>) throws(NFCFault) {
        guard !(data.isEmpty && answeredEmpty) else { throw .noProgress }
        answeredEmpty = data.isEmpty
        var rest = data
        if case .header(let begun) = stage { try readHeader(begun, &rest) }
        // While the header is incomplete, `readHeader` has removed all bytes from `rest`.
        guard rest.count <= missing ?? 0 else { throw .surplusBytes }
        message += rest
    }

    /// Reads the header of the data object. `begun` are the header's bytes from earlier responses.
    private mutating func readHeader(_ begun: [UInt8], _ rest: inout ArraySlice<UInt8>) throws(NFCFault) {
        // The longest header has five bytes: the tag, a byte that announces three bytes of length, and these
        // three bytes.
        let octets = begun + rest.prefix(5 - begun.count)
        let parsed = try mapping(DiscretionaryData.parseHeader(octets[...]), NFCFault.dataObjectMalformed)
        guard let header = parsed else {
            rest = []
            return stage = .header(octets)
        }
        guard header.length <= maximumLength else {
            throw .messageTooLong(announced: header.length, limit: maximumLength)
        }
        rest = rest.dropFirst(header.size - begun.count)
        message.reserveCapacity(header.length)
        stage = .value(length: header.length)
    }
}
