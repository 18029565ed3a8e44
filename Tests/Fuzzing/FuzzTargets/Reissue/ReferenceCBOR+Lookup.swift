extension ReferenceCBOR {
    /// The value of a map's member with this name; nil for any other item.
    subscript(_ name: String) -> ReferenceCBOR? { member(.text(Array(name.utf8))) }

    func member(_ key: ReferenceCBOR) -> ReferenceCBOR? {
        members.first { $0.key == key }?.value
    }

    var members: [Member] { if case .map(let members) = self { members } else { [] } }

    var items: [ReferenceCBOR]? { if case .array(let items) = self { items } else { nil } }

    var utf8: [UInt8]? { if case .text(let bytes) = self { bytes } else { nil } }

    var byteString: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

    var unsigned: UInt64? { if case .unsigned(let value) = self { value } else { nil } }

    var boolean: Bool? {
        switch self {
        case .primitive(20, _): false
        case .primitive(21, _): true
        default: nil
        }
    }

    /// The item inside a tag 24.
    var embedded: ReferenceCBOR? {
        if case .tagged(24, .bytes(let content)) = self {
            ReferenceCBOR.decode(content[...], depth: 64)
        } else {
            nil
        }
    }
}
