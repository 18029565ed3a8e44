package import CBOR

extension CBORItem {
    /// The maximum length of a name, in bytes of UTF-8. Names in use are far shorter.
    static let maximumNameLength = 255

    /// Returns this text as the name of a version, document type, namespace, element or algorithm.
    ///
    /// A name has a maximum length, because `String` normalises Unicode text whenever it compares or hashes.
    /// The time to normalise a letter grows with the square of the number of its combining marks, so a name
    /// of one megabyte would take minutes.
    package func name() throws(CBORError) -> String {
        String(decoding: try nameUTF8(), as: UTF8.self)
    }

    /// Returns the UTF-8 bytes of a name.
    func nameUTF8() throws(CBORError) -> ArraySlice<UInt8> {
        let name = try utf8()
        guard name.count <= Self.maximumNameLength else { throw .tooLong(limit: Self.maximumNameLength) }
        return name
    }
}
