/// An NDEF message of one or more records (NFC Forum NDEF 1.0, 2.3.1).
package struct NDEFMessage: Equatable, Sendable {
    package let records: [NDEFRecord]

    package init(_ records: [NDEFRecord]) {
        self.records = records
    }

    /// Parses a message strictly: MB only in the first record, ME only in the last, no chunks, and no bytes
    /// after the message. The records are slices of `bytes`.
    package static func parse(
        _ bytes: ArraySlice<UInt8>, limits: NDEFLimits = NDEFLimits()
    ) throws(NDEFError) -> NDEFMessage {
        guard !bytes.isEmpty else { throw .emptyMessage }
        guard bytes.count <= limits.maximumBytes else { throw .messageTooLong(count: bytes.count) }
        var reader = NDEFRecordReader(bytes)
        var records: [NDEFRecord] = []
        while !reader.isAtEnd {
            guard records.count < limits.maximumRecords else { throw .tooManyRecords }
            records.append(try reader.next())
        }
        return NDEFMessage(records)
    }

    /// Returns the only record of `type`; `nil` if it is absent.
    ///
    /// - Throws: `recordRepeated` if there is a second record of this type.
    package func record(of type: NDEFRecordType) throws(NDEFError) -> NDEFRecord? {
        let found = records.lazy.filter { $0.isOf(type) }.prefix(2)
        guard found.dropFirst().isEmpty else { throw .recordRepeated }
        return found.first
    }

    /// Returns the first record with an id; `nil` if there is none.
    package func record(id: ArraySlice<UInt8>) -> NDEFRecord? {
        records.first { $0.id == id }
    }

    /// Returns all records in their shortest form, with MB in the first and ME in the last.
    package func encode() -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, record) in records.enumerated() {
            let isFirst = index == 0
            record.encode(into: &bytes, isFirst: isFirst, isLast: index == records.count - 1)
        }
        return bytes
    }
}

/// The flags in the first byte of a record (NDEF 1.0, 3.2).
private enum Flag {
    static let messageBegin: UInt8 = 0x80
    static let messageEnd: UInt8 = 0x40
    static let chunk: UInt8 = 0x20
    static let shortRecord: UInt8 = 0x10
    static let idLength: UInt8 = 0x08
}

extension NDEFRecord {
    /// Appends the record. `isFirst` and `isLast` set the flags MB and ME.
    fileprivate func encode(into bytes: inout [UInt8], isFirst: Bool, isLast: Bool) {
        let isShort = payload.count <= 255
        var flags = typeNameFormat.rawValue
        if isFirst { flags |= Flag.messageBegin }
        if isLast { flags |= Flag.messageEnd }
        if isShort { flags |= Flag.shortRecord }
        if id != nil { flags |= Flag.idLength }
        bytes.append(flags)
        bytes.append(UInt8(type.count))
        // The length of the payload has one byte in a short record, and four bytes otherwise.
        for shift in isShort ? [0] : [24, 16, 8, 0] {
            bytes.append(UInt8(truncatingIfNeeded: payload.count >> shift))
        }
        if let id { bytes.append(UInt8(id.count)) }
        bytes += type
        bytes += id ?? []
        bytes += payload
    }
}

/// The parser of the records of one message. Offsets in errors count from the message's first byte.
private struct NDEFRecordReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// Whether the record with ME was read. `next` checks that no byte follows it.
    private(set) var isAtEnd = false

    /// Reads the next record and checks its flags, lengths and fields.
    mutating func next() throws(NDEFError) -> NDEFRecord {
        let start = index
        let offset = start - bytes.startIndex
        let flags = try byte(of: start)
        guard (flags & Flag.messageBegin != 0) == (offset == 0) else {
            throw .misplacedMessageBegin(at: offset)
        }
        guard let format = NDEFRecord.TypeNameFormat(rawValue: flags & 0x07), format != .unchanged,
            flags & Flag.chunk == 0
        else { throw .chunkedRecord(at: offset) }
        let typeLength = Int(try byte(of: start))
        let payloadLength = try length(octets: flags & Flag.shortRecord != 0 ? 1 : 4, of: start)
        let idLength = flags & Flag.idLength != 0 ? Int(try byte(of: start)) : nil
        let type = try field(typeLength, of: start)
        var id: ArraySlice<UInt8>?
        if let idLength { id = try field(idLength, of: start) }
        let payload = try field(payloadLength, of: start)
        let record = NDEFRecord(format, type: type, id: id, payload: payload)
        guard record.fieldsSuitTypeNameFormat else { throw .fieldsContradictTypeNameFormat(at: offset) }
        isAtEnd = flags & Flag.messageEnd != 0
        guard !isAtEnd || index == bytes.endIndex else { throw .trailingBytes(at: index - bytes.startIndex) }
        return record
    }

    /// Reads a byte of the record that starts at the index `record`.
    private mutating func byte(of record: Int) throws(NDEFError) -> UInt8 {
        guard index < bytes.endIndex else { throw .truncated(at: record - bytes.startIndex) }
        defer { index += 1 }
        return bytes[index]
    }

    /// Reads a big-endian length of `octets` bytes.
    private mutating func length(octets: Int, of record: Int) throws(NDEFError) -> Int {
        var length = 0
        for _ in 0..<octets { length = length << 8 | Int(try byte(of: record)) }
        return length
    }

    /// Reads the next `count` bytes, a field of the record that starts at the index `record`.
    private mutating func field(_ count: Int, of record: Int) throws(NDEFError) -> ArraySlice<UInt8> {
        guard count <= bytes.endIndex - index else { throw .truncated(at: record - bytes.startIndex) }
        defer { index += count }
        return bytes[index..<index + count]
    }
}

extension NDEFRecord {
    /// Whether the fields agree with the TNF (NDEF 1.0, 3.2.6): "empty" has no field, "unknown" has no type,
    /// and every other defined format has a type.
    fileprivate var fieldsSuitTypeNameFormat: Bool {
        switch typeNameFormat {
        case .empty: type.isEmpty && (id ?? []).isEmpty && payload.isEmpty
        case .unknown: type.isEmpty
        case .wellKnown, .media, .absoluteURI, .external: !type.isEmpty
        // `NDEFRecordReader.next()` has refused `unchanged`. A reserved format has no rule for its fields.
        case .unchanged, .reserved: true
        }
    }
}

/// The limits for a received NDEF message.
package struct NDEFLimits: Equatable, Sendable {
    /// The maximum number of bytes of the message.
    package let maximumBytes: Int
    /// The maximum number of records of the message.
    package let maximumRecords: Int

    /// Creates limits. The default for bytes is the largest value of NLEN, the length field of an NDEF file.
    /// The default of 64 records is more than a handover needs.
    package init(maximumBytes: Int = 0xffff, maximumRecords: Int = 64) {
        self.maximumBytes = maximumBytes
        self.maximumRecords = maximumRecords
    }
}
