/// A D-Bus value of a type that bluetoothd uses.
///
/// A variant is read as its content. The values of a `map` are variants, both when they are read and when
/// they are sent.
indirect enum BusValue: Equatable, Sendable {
    case boolean(Bool)
    case byte(UInt8)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case string(String)
    case path(String)
    case bytes([UInt8])
    case strings([String])
    case paths([String])
    /// A dictionary of properties or options (`a{sv}`).
    case map([String: BusValue])
    /// The properties of an object by interface (`a{sa{sv}}`).
    case interfaces(BusInterfaces)
    /// The objects of an ObjectManager by path (`a{oa{sa{sv}}}`).
    case objects([String: BusInterfaces])
    case variant(BusValue)
    case descriptor(BusDescriptor)
    /// A value of any other type, with the signature of the type.
    case foreign(String)
}

/// The properties of an object, by interface and name.
typealias BusInterfaces = [String: [String: BusValue]]

extension BusValue {
    var text: String? {
        switch self {
        case .string(let text), .path(let text): text
        default: nil
        }
    }

    var flag: Bool? {
        if case .boolean(let flag) = self { flag } else { nil }
    }

    var number: Int? {
        switch self {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(value)
        default: nil
        }
    }

    var octets: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    var texts: [String] {
        switch self {
        case .strings(let texts), .paths(let texts): texts
        default: []
        }
    }

    var members: [String: BusValue] {
        if case .map(let members) = self { members } else { [:] }
    }

    /// The D-Bus signature of the value's type.
    var signature: String {
        switch self {
        case .boolean: "b"
        case .byte: "y"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .string: "s"
        case .path: "o"
        case .bytes: "ay"
        case .strings: "as"
        case .paths: "ao"
        case .map: "a{sv}"
        case .interfaces: "a{sa{sv}}"
        case .objects: "a{oa{sa{sv}}}"
        case .variant: "v"
        case .descriptor: "h"
        case .foreign(let signature): signature
        }
    }
}
