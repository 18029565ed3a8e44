extension DistinguishedName: CustomStringConvertible {
    package var countryName: String? { text(of: .countryName) }
    package var stateOrProvinceName: String? { text(of: .stateOrProvinceName) }
    package var organizationName: String? { text(of: .organizationName) }
    package var commonName: String? { text(of: .commonName) }

    /// Returns the text of the first attribute of this type; `nil` if there is none, or its value is not
    /// valid text.
    package func text(of type: ObjectIdentifier) -> String? { attribute(of: type)?.text }

    /// The name in the form of RFC 4514: the last relative name first, special characters escaped.
    package var description: String {
        relativeNames.reversed().map { name in
            name.map(\.description).joined(separator: "+")
        }.joined(separator: ",")
    }
}

extension DistinguishedName {
    /// The string type of the first country that is not a PrintableString; `nil` if there is none. X.520
    /// requires PrintableString for countries.
    package var countryStringType: String? {
        relativeNames.joined().first { $0.type == .countryName && $0.tag != DERTag.printableString }?
            .stringType
    }
}

extension DistinguishedName.Attribute: CustomStringConvertible {
    /// The name of the value's ASN.1 type (X.680 41).
    fileprivate var stringType: String {
        switch tag {
        case DERTag.utf8String: "UTF8String"
        case DERTag.numericString: "NumericString"
        case DERTag.printableString: "PrintableString"
        case 0x14: "TeletexString"
        case DERTag.ia5String: "IA5String"
        case 0x1a: "VisibleString"
        case 0x1c: "UniversalString"
        case DERTag.bmpString: "BMPString"
        default: "value with tag \(Self.hexadecimal(tag))"
        }
    }

    /// The value as text; `nil` for string types without a defined character set, and for invalid bytes.
    package var text: String? {
        switch tag {
        case DERTag.utf8String: String(validating: contents, as: UTF8.self)
        case DERTag.printableString, DERTag.ia5String, DERTag.numericString:
            contents.allSatisfy { $0 < 0x80 } ? String(decoding: contents, as: UTF8.self) : nil
        case DERTag.bmpString where contents.count.isMultiple(of: 2):
            String(
                validating: stride(from: contents.startIndex, to: contents.endIndex, by: 2).map {
                    UInt16(contents[$0]) << 8 | UInt16(contents[$0 + 1])
                }, as: UTF16.self)
        default: nil
        }
    }

    package var description: String {
        let value = text.map(Self.escaped) ?? "#" + contents.map(Self.hexadecimal).joined()
        return "\(type.attributeName ?? type.description)=\(value)"
    }

    /// Escapes a text by RFC 4514 2.4. Control characters are escaped too, so that a name stays on one line
    /// of a log.
    private static func escaped(_ text: String) -> String {
        if text.utf8.allSatisfy(isPlain), text.utf8.first != UInt8(ascii: " "),
            text.utf8.last != UInt8(ascii: " ")
        {
            return text
        }
        var result = ""
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            let isAtEdge = index == 0 || index == scalars.count - 1
            if scalar.properties.generalCategory == .control {
                result += Array(String(scalar).utf8).map { "\\" + hexadecimal($0) }.joined()
            } else if "\"+,;<>\\".unicodeScalars.contains(scalar) || scalar == " " && isAtEdge
                || scalar == "#" && index == 0
            {
                result += "\\\(scalar)"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns whether the character needs no escape. A blank needs an escape only at the ends of the text.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch UnicodeScalar(byte) {
        case "0"..."9", "A"..."Z", "a"..."z", " ", "-", ".", "'", "(", ")", "/", ":", "_": true
        default: false
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}

extension ObjectIdentifier {
    // The attribute types of X.520 and RFC 5280 (Appendix A.1).
    package static let commonName = ObjectIdentifier("2.5.4.3")
    package static let serialNumberAttribute = ObjectIdentifier("2.5.4.5")
    package static let countryName = ObjectIdentifier("2.5.4.6")
    package static let localityName = ObjectIdentifier("2.5.4.7")
    package static let stateOrProvinceName = ObjectIdentifier("2.5.4.8")
    package static let organizationName = ObjectIdentifier("2.5.4.10")
    package static let organizationalUnitName = ObjectIdentifier("2.5.4.11")
    fileprivate static let dnQualifier = ObjectIdentifier("2.5.4.46")

    /// The attribute types whose values must be PrintableString.
    static let printableAttributes = [countryName, serialNumberAttribute, dnQualifier]

    /// The short name of an attribute type (RFC 4514 3).
    fileprivate var attributeName: String? {
        switch self {
        case .commonName: "CN"
        case .serialNumberAttribute: "serialNumber"
        case .countryName: "C"
        case .localityName: "L"
        case .stateOrProvinceName: "ST"
        case .organizationName: "O"
        case .organizationalUnitName: "OU"
        default: nil
        }
    }
}
