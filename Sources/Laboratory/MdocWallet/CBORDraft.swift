package import CBOR

/// A CBOR data item that a test writes: in preferred serialization, or in a form that only non-conforming
/// wallets and attackers write.
///
/// The members of a map keep their order, and a key may occur twice.
package indirect enum CBORDraft: Sendable {
    /// A member of a map.
    package struct Member: Sendable {
        package var key: CBORDraft
        package var value: CBORDraft

        package init(key: CBORDraft, value: CBORDraft) {
            self.key = key
            self.value = value
        }
    }

    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case boolean(Bool)
    case null
    case array([CBORDraft])
    case map([Member])
    case tagged(UInt64, CBORDraft)
    /// An encoded item in a byte string under tag 24: `#6.24(bstr .cbor item)`.
    case embedded(CBORDraft)
    /// Bytes that are written unchanged, whether they are well-formed or not.
    case encoded([UInt8])
    /// A map of indefinite length (RFC 8949 3.2.2).
    case indefiniteMap([Member])
    /// An unsigned integer that is always written in three bytes, although an integer below 256 is shorter in
    /// the preferred form.
    case wideUnsigned(UInt16)

    /// `tdate`: a date and time under tag 0.
    package static func dateTime(_ text: String) -> CBORDraft { .tagged(0, .text(text)) }

    /// `full-date`: a day under tag 1004 (RFC 8943).
    package static func fullDate(_ text: String) -> CBORDraft { .tagged(1004, .text(text)) }

    package func encode() -> [UInt8] {
        CBOREncoder.encode { write(to: &$0) }
    }

    package func write(to encoder: inout CBOREncoder) {
        switch self {
        case .integer(let value): encoder.integer(value)
        case .bytes(let value): encoder.byteString(value)
        case .text(let value): encoder.text(value)
        case .boolean(let value): encoder.boolean(value)
        case .null: encoder.null()
        case .array(let items):
            encoder.array(count: items.count)
            for item in items { item.write(to: &encoder) }
        case .map(let members):
            encoder.map(count: members.count)
            Self.write(members, to: &encoder)
        case .tagged(let number, let item):
            encoder.tag(number)
            item.write(to: &encoder)
        case .embedded(let item):
            encoder.tag(24)
            encoder.byteString(item.encode())
        case .encoded(let bytes): encoder.encoded(bytes)
        case .indefiniteMap(let members):
            // The bytes that begin and end a map of indefinite length.
            encoder.encoded([0xbf])
            Self.write(members, to: &encoder)
            encoder.encoded([0xff])
        case .wideUnsigned(let value):
            // 0x19 announces an unsigned integer of two bytes.
            encoder.encoded([0x19, UInt8(value >> 8), UInt8(value & 0xff)])
        }
    }

    private static func write(_ members: [Member], to encoder: inout CBOREncoder) {
        for member in members {
            member.key.write(to: &encoder)
            member.value.write(to: &encoder)
        }
    }
}

extension CBORDraft {
    /// The members of a map, or an empty array for any other item. Assigning members makes the item a map.
    package var members: [Member] {
        get {
            switch self {
            case .map(let members), .indefiniteMap(let members): members
            default: []
            }
        }
        set { self = .map(newValue) }
    }

    /// The value of the first member with this key. Assigning a value changes the member in its place, or
    /// appends a member. Assigning nil removes the member.
    package subscript(_ key: CBORDraft) -> CBORDraft? {
        get { index(of: key).map { members[$0].value } }
        set {
            switch (index(of: key), newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    private func index(of key: CBORDraft) -> Int? {
        let wanted = key.encode()
        return members.firstIndex { $0.key.encode() == wanted }
    }
}

extension CBORDraft {
    /// The items of an array, or an empty array for any other item. Assigning items makes the item an array.
    package var items: [CBORDraft] {
        get { if case .array(let items) = self { items } else { [] } }
        set { self = .array(newValue) }
    }

    /// The item inside tag 24, or the item itself if it has no tag 24. Assigning an item embeds it in tag 24.
    var content: CBORDraft {
        get { if case .embedded(let item) = self { item } else { self } }
        set { self = .embedded(newValue) }
    }
}

extension CBORDraft {
    /// Creates a draft of a received item, which can be changed and written again. An item without a matching
    /// case is kept as bytes.
    package init(_ item: CBORItem) {
        switch item.value {
        case .unsigned(let value) where value <= Int64.max: self = .integer(Int64(value))
        // CBOR writes a negative number as the n of -1 - n (RFC 8949 3.1).
        case .negative(let value) where value <= Int64.max: self = .integer(-1 - Int64(value))
        case .byteString(let value): self = .bytes(Array(value))
        case .text(let value): self = .text(value)
        case .boolean(let value): self = .boolean(value)
        case .null: self = .null
        case .array(let items): self = .array(items.map { CBORDraft($0) })
        case .map(let members):
            self = .map(members.map { Member(key: CBORDraft($0.key), value: CBORDraft($0.value)) })
        case .tagged(let number, let item): self = .tagged(number, CBORDraft(item))
        default: self = .encoded(Array(item.encoded))
        }
    }
}

extension CBORDraft: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(stringLiteral value: String) { self = .text(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension CBORDraft: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    package init(arrayLiteral items: CBORDraft...) { self = .array(items) }

    package init(dictionaryLiteral members: (CBORDraft, CBORDraft)...) {
        self = .map(members.map { Member(key: $0, value: $1) })
    }
}
