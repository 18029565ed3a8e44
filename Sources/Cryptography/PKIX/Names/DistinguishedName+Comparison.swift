extension DistinguishedName: Equatable {
    /// Compares two names by RFC 5280 7.1: relative names in order, and the attributes of each as a set.
    ///
    /// PrintableString and UTF8String are equal if their text is, regardless of ASCII case, blanks at the
    /// ends and repeated blanks. Letters outside ASCII must have the same bytes.
    package static func == (left: DistinguishedName, right: DistinguishedName) -> Bool {
        if left.encoded == right.encoded { return true }
        return left.relativeNames.elementsEqual(right.relativeNames, by: isSameSet)
    }

    /// Returns whether both relative names have the same attributes, in any order.
    private static func isSameSet(_ left: [Attribute], _ right: [Attribute]) -> Bool {
        guard left.count == right.count else { return false }
        var unmatched = right
        for attribute in left {
            guard let match = unmatched.firstIndex(where: { $0.matches(attribute) }) else { return false }
            unmatched.remove(at: match)
        }
        return true
    }
}

extension DistinguishedName {
    /// A key for finding a name in a collection. Two names have the same key exactly if they are equal.
    package var comparisonKey: [UInt8] {
        relativeNames.reduce(into: []) { key, name in
            let attributes = name.map(\.comparisonKey).sorted { $0.lexicographicallyPrecedes($1) }
            key += DERWriter.encode { writer in
                writer.write(DERTag.set) { for attribute in attributes { $0.write(encoded: attribute) } }
            }
        }
    }
}

extension DistinguishedName.Attribute {
    /// The part of the name's key for this attribute. Equal texts have one key, whichever string type they
    /// have.
    fileprivate var comparisonKey: [UInt8] {
        DERWriter.encode { writer in
            writer.write(DERTag.sequence) {
                $0.write(type)
                $0.write(
                    hasFoldedText ? DERTag.utf8String : tag,
                    contents: hasFoldedText ? contents.folded[...] : contents)
            }
        }
    }

    /// Returns whether type and value are equal (RFC 5280 7.1).
    fileprivate func matches(_ other: Self) -> Bool {
        guard type == other.type else { return false }
        guard hasFoldedText, other.hasFoldedText else {
            return tag == other.tag && contents == other.contents
        }
        return contents.folded == other.contents.folded
    }

    /// Whether the value is compared as folded text, not by its bytes.
    private var hasFoldedText: Bool { tag == DERTag.printableString || tag == DERTag.utf8String }
}

extension ArraySlice where Element == UInt8 {
    /// The text with ASCII letters in lower case, single blanks between words, and no blanks at the ends.
    fileprivate var folded: [UInt8] {
        var text: [UInt8] = []
        for word in split(separator: UInt8(ascii: " ")) {
            if !text.isEmpty { text.append(UInt8(ascii: " ")) }
            text += word.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        }
        return text
    }
}
