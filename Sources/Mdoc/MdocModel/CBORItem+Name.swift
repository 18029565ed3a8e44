package import CBOR

extension CBORItem {
    /// The longest name in bytes of UTF-8; names in use are far shorter.
    static let maximumNameLength = 255

    /// The name of a version, document type, namespace, element or algorithm.
    ///
    /// Names are compared and hashed as Unicode, which first puts the marks on a letter in order, at a cost that
    /// grows with the square of their number: a name of a megabyte would hold the reader for minutes.
    package func name() throws(CBORError) -> String {
        String(decoding: try nameUTF8(), as: UTF8.self)
    }

    /// The UTF-8 of a name.
    func nameUTF8() throws(CBORError) -> ArraySlice<UInt8> {
        let name = try utf8()
        guard name.count <= Self.maximumNameLength else { throw .tooLong(limit: Self.maximumNameLength) }
        return name
    }
}
