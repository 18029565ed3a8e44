/// The distinguished name of an issuer or subject (RFC 5280 4.1.2.4).
package struct DistinguishedName: Sendable {
    /// The maximum number of attributes in a name.
    private static let maximumAttributes = 64

    /// An attribute of a name: its type, and the tag and contents of its value.
    package struct Attribute: Sendable {
        package let type: ObjectIdentifier
        package let tag: UInt8
        package let contents: ArraySlice<UInt8>
    }

    /// The complete encoding.
    package let encoded: ArraySlice<UInt8>
    private let contents: ArraySlice<UInt8>

    /// Parses a name, which may be empty.
    init(_ element: DERElement) throws(PKIXError) {
        encoded = element.encoding
        contents = element.contents
        var count = 0
        try Self.forEachRelativeName(in: contents) { attributes throws(PKIXError) in
            guard !attributes.isAtEnd else { throw .valueMalformed(at: attributes.position) }
            while !attributes.isAtEnd {
                guard count < Self.maximumAttributes else { throw .limitExceeded(at: attributes.position) }
                // The attribute is only checked here. All attributes are read again when they are needed.
                _ = try Self.readAttribute(&attributes)
                count += 1
            }
        }
    }

    /// Creates a name with one attribute in each relative name, in the given order. Countries, serial numbers
    /// and qualifiers are written as PrintableString, all other values as UTF8String (RFC 5280 4.1.2.4 and
    /// Appendix A.1).
    package init(_ attributes: [(type: ObjectIdentifier, value: String)]) {
        let inner = DERWriter.encode { writer in
            for (type, value) in attributes {
                let tag =
                    ObjectIdentifier.printableAttributes.contains(type)
                    ? DERTag.printableString : DERTag.utf8String
                writer.write(DERTag.set) {
                    $0.write(DERTag.sequence) {
                        $0.write(type)
                        $0.write(tag, contents: Array(value.utf8))
                    }
                }
            }
        }
        contents = inner[...]
        encoded = DERWriter.encode { $0.write(DERTag.sequence, contents: inner) }[...]
    }

    /// Calls `body` with a reader for the attributes of each relative name, in order.
    private static func forEachRelativeName(
        in contents: ArraySlice<UInt8>,
        _ body: (inout DERReader) throws(PKIXError) -> Void
    ) throws(PKIXError) {
        var names = DERReader(contents)
        while !names.isAtEnd {
            var attributes = try names.enter(DERTag.set)
            try body(&attributes)
        }
    }

    /// Reads one attribute: a sequence of type and value.
    private static func readAttribute(_ reader: inout DERReader) throws(PKIXError) -> Attribute {
        var fields = try reader.enter(DERTag.sequence)
        let type = try fields.readObjectIdentifier()
        let value = try fields.readElement()
        try fields.finish()
        return Attribute(type: type, tag: value.tag, contents: value.contents)
    }

    /// The relative names in their order, each with its attributes in the order of the encoding.
    package var relativeNames: [[Attribute]] {
        var names: [[Attribute]] = []
        // Reading cannot fail: the initialiser checked the form.
        try? Self.forEachRelativeName(in: contents) { attributes throws(PKIXError) in
            var name: [Attribute] = []
            while !attributes.isAtEnd { name.append(try Self.readAttribute(&attributes)) }
            names.append(name)
        }
        return names
    }

    /// Returns the first attribute of this type; `nil` if there is none.
    func attribute(of type: ObjectIdentifier) -> Attribute? {
        var names = DERReader(contents)
        // Reading cannot fail: the initialiser checked the form.
        while !names.isAtEnd, var attributes = try? names.enter(DERTag.set) {
            while !attributes.isAtEnd, let attribute = try? Self.readAttribute(&attributes) {
                if attribute.type == type { return attribute }
            }
        }
        return nil
    }

    package var isEmpty: Bool { contents.isEmpty }
}
