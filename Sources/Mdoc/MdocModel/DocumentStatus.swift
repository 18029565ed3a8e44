package import CBOR

/// Status (ISO/IEC 18013-5 second edition 12.3.6): where the issuer publishes whether it has revoked the document.
package struct DocumentStatus: Sendable {
    /// The place in a Token Status List.
    package struct ListEntry: Sendable {
        package let index: UInt64
        package let uri: String
        /// Who issued the list's signer, where it is not the IACA of the document.
        package let certificate: ArraySlice<UInt8>?
    }

    /// The name in an identifier list.
    package struct Identifier: Sendable {
        package let identifier: ArraySlice<UInt8>
        package let uri: String
        /// Who issued the list's signer, where it is not the IACA of the document.
        package let certificate: ArraySlice<UInt8>?
    }

    package let statusList: ListEntry?
    package let identifierList: Identifier?

    package init(_ item: CBORItem) throws(CBORError) {
        let values = try item.map().values(of: ["status_list", "identifier_list"])
        statusList = try values.optional(0).map { list throws(CBORError) in try ListEntry(list) }
        identifierList = try values.optional(1).map { list throws(CBORError) in try Identifier(list) }
    }
}

extension DocumentStatus.ListEntry {
    init(_ item: CBORItem) throws(CBORError) {
        let values = try item.map().values(of: ["idx", "uri", "certificate"])
        index = try values.required(0, at: item.offset).unsigned()
        uri = try values.required(1, at: item.offset).listURI()
        certificate = try values.optional(2)?.byteString()
    }
}

extension DocumentStatus.Identifier {
    init(_ item: CBORItem) throws(CBORError) {
        let values = try item.map().values(of: ["id", "uri", "certificate"])
        identifier = try values.required(0, at: item.offset).byteString()
        uri = try values.required(1, at: item.offset).listURI()
        certificate = try values.optional(2)?.byteString()
    }
}

extension CBORItem {
    private static let maximumURILength = 2048

    fileprivate func listURI() throws(CBORError) -> String {
        let text = try utf8()
        guard text.count <= Self.maximumURILength else { throw .tooLong(limit: Self.maximumURILength) }
        return String(decoding: text, as: UTF8.self)
    }
}

extension DocumentStatus: RedactedDescription {}
