/// An NDEF record (NFC Forum NDEF 1.0, 3.2).
package struct NDEFRecord: Equatable, Sendable {
    /// The format of the type field, TNF (NDEF 1.0, 3.2.6).
    package enum TypeNameFormat: UInt8, Sendable {
        case empty, wellKnown, media, absoluteURI, external, unknown, unchanged, reserved
    }

    package let typeNameFormat: TypeNameFormat
    /// The type field, at most 255 bytes.
    package let type: ArraySlice<UInt8>
    /// The id field, at most 255 bytes; `nil` if the record has none.
    package let id: ArraySlice<UInt8>?
    package let payload: ArraySlice<UInt8>

    /// Creates a record. A type or id above 255 bytes is a programming error and traps.
    package init(
        _ typeNameFormat: TypeNameFormat, type: ArraySlice<UInt8>, id: ArraySlice<UInt8>? = nil,
        payload: ArraySlice<UInt8>
    ) {
        precondition(type.count <= 255 && (id?.count ?? 0) <= 255, "type and id hold at most 255 bytes")
        self.typeNameFormat = typeNameFormat
        self.type = type
        self.id = id
        self.payload = payload
    }

    package init(_ type: NDEFRecordType, id: ArraySlice<UInt8>? = nil, payload: ArraySlice<UInt8>) {
        self.init(type.format, type: type.name[...], id: id, payload: payload)
    }

    /// Whether the record is of this type. Well-known types are compared exactly, media and external types
    /// without regard to case (NDEF 1.0, 3.2.6; Q28).
    package func isOf(_ type: NDEFRecordType) -> Bool {
        guard typeNameFormat == type.format else { return false }
        return typeNameFormat == .wellKnown ? self.type.elementsEqual(type.name) : hasName(of: type)
    }

    /// Whether the type field is the name of `type`, without regard to case and TNF.
    func hasName(of type: NDEFRecordType) -> Bool {
        self.type.lazy.map(\.asciiLowercased).elementsEqual(type.name.lazy.map(\.asciiLowercased))
    }
}

extension UInt8 {
    fileprivate var asciiLowercased: UInt8 {
        (0x41...0x5a).contains(self) ? self | 0x20 : self
    }
}
