internal import ErrorMapping
internal import ISO7816

/// The data object '53' of a response, put together from answers of any size (Q52).
///
/// Room for the message is taken once, by the announced length and after the cap was checked (Q194).
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

    /// How many bytes of the value are still missing, or nil before the header is complete.
    var missing: Int? {
        guard case .value(let length) = stage else { return nil }
        return length - message.count
    }

    /// Takes an answer's data field. The second empty answer in a row is refused, and so are surplus bytes.
    mutating func receive(_ data: ArraySlice<UInt8>) throws(NFCFault) {
        guard !(data.isEmpty && answeredEmpty) else { throw .noProgress }
        answeredEmpty = data.isEmpty
        var rest = data
        if case .header(let begun) = stage { try takeHeader(begun, &rest) }
        guard rest.count <= missing ?? 0 else { throw .surplusBytes }
        message += rest
    }

    private mutating func takeHeader(_ begun: [UInt8], _ rest: inout ArraySlice<UInt8>) throws(NFCFault) {
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
