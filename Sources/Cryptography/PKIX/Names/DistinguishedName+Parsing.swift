extension DistinguishedName {
    /// Parses a name from its text (RFC 4514), such as `CN=Counter 1,O=Shop,C=US`. The last part comes first
    /// in the encoding.
    ///
    /// Returns `nil` for a malformed text. Also returns `nil` if a part is empty, multi-valued or too long
    /// (RFC 5280, Appendix A.1), if the short name of its type is not in `types`, or if a country is not two
    /// capital letters.
    package init?(_ text: String) {
        var attributes: [(type: ObjectIdentifier, value: String)] = []
        var rest = Array(text.utf8)[...]
        repeat {
            guard let part = Self.part(&rest), let attribute = Self.attribute(part) else { return nil }
            attributes.append(attribute)
        } while !rest.isEmpty
        self.init(attributes.reversed())
    }

    private static let types: [(name: String, type: ObjectIdentifier, longest: Int)] = [
        ("CN", .commonName, 64), ("O", .organizationName, 64), ("OU", .organizationalUnitName, 64),
        ("L", .localityName, 128), ("ST", .stateOrProvinceName, 128), ("C", .countryName, 2),
        ("SERIALNUMBER", .serialNumberAttribute, 64),
    ]

    /// Returns the attribute of a part; `nil` if its type is not in `types`, or its value is not allowed.
    private static func attribute(_ part: Part) -> (type: ObjectIdentifier, value: String)? {
        guard let (_, type, longest) = types.first(where: { $0.name == part.type.uppercased() }),
            let value = String(validating: part.value, as: UTF8.self), !value.isEmpty,
            value.unicodeScalars.count <= longest,
            !value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        if type == .countryName {
            guard value.utf8.count == 2, value.utf8.allSatisfy({ (0x41...0x5a).contains($0) }) else {
                return nil
            }
        }
        guard type != .serialNumberAttribute || value.utf8.allSatisfy(\.isPrintable) else { return nil }
        return (type, value)
    }

    /// A part of the text: the type before the equals sign, and the value without its escapes.
    private struct Part {
        var type = ""
        var value: [UInt8] = []
    }

    /// Reads a part and the comma after it. A comma must be followed by another part.
    private static func part(_ rest: inout ArraySlice<UInt8>) -> Part? {
        guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let words = rest[..<equals].split(separator: UInt8(ascii: " "))
        guard words.count == 1, let type = words.first else { return nil }
        var part = Part(type: String(decoding: type, as: UTF8.self))
        var trailingBlanks = 0
        rest = rest[(equals + 1)...].drop { $0 == UInt8(ascii: " ") }
        // A value that begins with `#` is an encoding in hexadecimal digits, which is not supported here.
        guard rest.first != UInt8(ascii: "#") else { return nil }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: ","):
                part.value.removeLast(trailingBlanks)
                return rest.isEmpty ? nil : part
            case UInt8(ascii: "+"), UInt8(ascii: ";"), UInt8(ascii: "<"), UInt8(ascii: ">"),
                UInt8(ascii: "\""):
                return nil
            case UInt8(ascii: "\\"):
                guard let escaped = escaped(&rest) else { return nil }
                // An escaped blank at the end belongs to the value (RFC 4514 2.4); an unescaped one does not.
                part.value.append(escaped)
                trailingBlanks = 0
            default:
                part.value.append(byte)
                trailingBlanks = byte == UInt8(ascii: " ") ? trailingBlanks + 1 : 0
            }
        }
        part.value.removeLast(trailingBlanks)
        return part
    }

    /// Reads the rest of an escape: a special character itself, or a byte as two hexadecimal digits.
    private static func escaped(_ rest: inout ArraySlice<UInt8>) -> UInt8? {
        guard let first = rest.popFirst() else { return nil }
        if " #=\"+,;<>\\".utf8.contains(first) { return first }
        guard let second = rest.popFirst() else { return nil }
        return UInt8(String(decoding: [first, second], as: UTF8.self), radix: 16)
    }
}

extension UInt8 {
    /// Whether a PrintableString may contain this byte (X.680 41.4).
    fileprivate var isPrintable: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: " '()+,-./:=?".utf8.contains(self)
        }
    }
}
