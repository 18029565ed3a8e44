internal import CBOR

extension CBORItem {
    /// Whether the value is empty: null, an empty or blank text, no bytes, or a list or map with only empty
    /// values (Q245).
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

    /// Returns the code of a vehicle category or condition.
    ///
    /// - Throws: an error if the code is blank.
    func code() throws(CBORError) -> String {
        guard try !nameUTF8().isBlankText else { throw .missingMember(at: offset) }
        return try name()
    }
}

extension ArraySlice<UInt8> {
    /// Whether this text in UTF-8 is blank: empty, or only white space, control characters and invisible
    /// characters.
    var isBlankText: Bool {
        // Fast path: nearly every text begins with a visible ASCII character, and such a text is not blank.
        if let first, (0x21...0x7e).contains(first) { return false }
        return String(decoding: self, as: UTF8.self).unicodeScalars.allSatisfy(\.isInvisible)
    }
}

extension Unicode.Scalar {
    /// Whether the character is invisible in every font. Private and unassigned characters do not count as
    /// invisible, because issuers use them for rare characters of names.
    fileprivate var isInvisible: Bool {
        if properties.isWhitespace || properties.isDefaultIgnorableCodePoint || self == Self.blankBraille {
            return true
        }
        return [.control, .format, .surrogate].contains(properties.generalCategory)
    }

    /// The braille pattern without dots. It is blank, although Unicode calls it a symbol.
    private static let blankBraille: Unicode.Scalar = "\u{2800}"
}
