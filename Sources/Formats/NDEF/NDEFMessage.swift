/// NFC Forum NDEF 1.0, 2.3.1: a message of one record or more.
package struct NDEFMessage: Equatable, Sendable {
    package let records: [NDEFRecord]

    package init(_ records: [NDEFRecord]) {
        self.records = records
    }

    /// Reads `bytes` strictly: MB on the first record only, ME on the last only, no chunks, nothing behind it.
    /// The records are slices of `bytes`.
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

    /// The only record of `type`; nil if absent. A second one is refused.
    package func record(of type: NDEFRecordType) throws(NDEFError) -> NDEFRecord? {
        let found = records.lazy.filter { $0.isOf(type) }.prefix(2)
        guard found.dropFirst().isEmpty else { throw .recordRepeated }
        return found.first
    }

    package func record(id: ArraySlice<UInt8>) -> NDEFRecord? {
        records.first { $0.id == id }
    }

    /// Every record in its shortest form, MB on the first and ME on the last.
    package func encode() -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, record) in records.enumerated() {
            let isFirst = index == 0
            record.encode(into: &bytes, isFirst: isFirst, isLast: index == records.count - 1)
        }
        return bytes
    }
}

/// NDEF 1.0, 3.2: the flag bits of a record's first byte.
private enum Flag {
    static let messageBegin: UInt8 = 0x80
    static let messageEnd: UInt8 = 0x40
    static let chunk: UInt8 = 0x20
    static let shortRecord: UInt8 = 0x10
    static let idLength: UInt8 = 0x08
}

extension NDEFRecord {
    fileprivate func encode(into bytes: inout [UInt8], isFirst: Bool, isLast: Bool) {
        let isShort = payload.count <= 255
        var flags = typeNameFormat.rawValue
        if isFirst { flags |= Flag.messageBegin }
        if isLast { flags |= Flag.messageEnd }
        if isShort { flags |= Flag.shortRecord }
        if id != nil { flags |= Flag.idLength }
        bytes.append(flags)
        bytes.append(UInt8(type.count))
        for shift in isShort ? [0] : [24, 16, 8, 0] {
            bytes.append(UInt8(truncatingIfNeeded: payload.count >> shift))
        }
        if let id { bytes.append(UInt8(id.count)) }
        bytes += type
        bytes += id ?? []
        bytes += payload
    }
}

/// Reads one record after the other; offsets in errors count from the message's first byte.
private struct NDEFRecordReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// Whether the record with ME was read; `next` makes sure that nothing follows it.
    private(set) var isAtEnd = false

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

    private mutating func byte(of record: Int) throws(NDEFError) -> UInt8 {
        guard index < bytes.endIndex else { throw .truncated(at: record - bytes.startIndex) }
        defer { index += 1 }
        return bytes[index]
    }

    private mutating func length(octets: Int, of record: Int) throws(NDEFError) -> Int {
        var length = 0
        for _ in 0..<octets { length = length << 8 | Int(try byte(of: record)) }
        return length
    }

    private mutating func field(_ count: Int, of record: Int) throws(NDEFError) -> ArraySlice<UInt8> {
        guard count <= bytes.endIndex - index else { throw .truncated(at: record - bytes.startIndex) }
        defer { index += count }
        return bytes[index..<index + count]
    }
}

extension NDEFRecord {
    /// NDEF 1.0, 3.2.6: "empty" has no field at all, "unknown" no type, the named formats have a type.
    fileprivate var fieldsSuitTypeNameFormat: Bool {
        switch typeNameFormat {
        case .empty: type.isEmpty && (id ?? []).isEmpty && payload.isEmpty
        case .unknown: type.isEmpty
        case .wellKnown, .media, .absoluteURI, .external: !type.isEmpty
        case .unchanged, .reserved: true
        }
    }
}

/// What an NDEF message may cost to read.
package struct NDEFLimits: Equatable, Sendable {
    package let maximumBytes: Int
    /// The largest number of records in one message.
    package let maximumRecords: Int

    /// By default what NLEN can announce, and more records than any handover needs.
    package init(maximumBytes: Int = 0xffff, maximumRecords: Int = 64) {
        self.maximumBytes = maximumBytes
        self.maximumRecords = maximumRecords
    }
}
