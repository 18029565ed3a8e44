internal import CBOR

extension CBORItem {
    /// Whether the value holds nothing: null, an empty or blank text, no bytes, or a list or map of nothing else (Q245).
    var isHollow: Bool {
        switch value {
        case .null, .undefined: true
        case .byteString(let bytes): bytes.isEmpty
        case .text: (try? utf8().isBlankText) ?? false
        case .array(let list): list.allSatisfy(\.isHollow)
        case .map(let map): map.allSatisfy(\.value.isHollow)
        case .tagged(_, let inner): inner.isHollow
        case .unsigned, .negative, .boolean, .float, .simple: false
        }
    }

    /// The code of a vehicle or condition, which has to show something.
    func code() throws(CBORError) -> String {
        guard try !nameUTF8().isBlankText else { throw .missingMember(at: offset) }
        return try name()
    }
}

extension ArraySlice<UInt8> {
    /// Whether this UTF-8 shows nothing: no character, or white space, control and invisible characters alone.
    var isBlankText: Bool {
        // Nearly every text begins with a letter or digit of ASCII.
        if let first, (0x21...0x7e).contains(first) { return false }
        return String(decoding: self, as: UTF8.self).unicodeScalars.allSatisfy(\.isInvisible)
    }
}

extension Unicode.Scalar {
    /// Private and unassigned characters may show in some font: issuers use them for rare characters of names.
    fileprivate var isInvisible: Bool {
        if properties.isWhitespace || properties.isDefaultIgnorableCodePoint || self == Self.blankBraille {
            return true
        }
        return [.control, .format, .surrogate].contains(properties.generalCategory)
    }

    /// A braille pattern without dots, which is a symbol by its category.
    private static let blankBraille: Unicode.Scalar = "\u{2800}"
}
