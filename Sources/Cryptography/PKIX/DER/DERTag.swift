/// The identifier octets of the universal types that X.509 uses (X.690 8.1.2), with the constructed bit.
package enum DERTag {
    package static let boolean: UInt8 = 0x01
    package static let integer: UInt8 = 0x02
    package static let bitString: UInt8 = 0x03
    package static let octetString: UInt8 = 0x04
    package static let null: UInt8 = 0x05
    package static let objectIdentifier: UInt8 = 0x06
    package static let enumerated: UInt8 = 0x0a
    package static let utf8String: UInt8 = 0x0c
    package static let numericString: UInt8 = 0x12
    package static let printableString: UInt8 = 0x13
    package static let ia5String: UInt8 = 0x16
    package static let utcTime: UInt8 = 0x17
    package static let generalizedTime: UInt8 = 0x18
    package static let bmpString: UInt8 = 0x1e
    package static let sequence: UInt8 = 0x30
    package static let set: UInt8 = 0x31

    /// Returns a context-specific tag below 31 that replaces the tag of a primitive type.
    package static func primitive(_ number: UInt8) -> UInt8 { 0x80 | number }

    /// Returns a context-specific tag below 31 for an element that contains other elements.
    package static func constructed(_ number: UInt8) -> UInt8 { 0xa0 | number }
}
