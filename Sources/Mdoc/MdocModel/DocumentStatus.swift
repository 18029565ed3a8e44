package import CBOR

/// A Status (ISO/IEC 18013-5 second edition 12.3.6): the lists in which the issuer publishes whether it has
/// revoked the document.
///
/// Each reference is read independently. An unreadable reference is kept as an error, so that the readable
/// references are not taken for the whole status (Q228). A reference that is null counts as unreadable, not
/// as absent (Q242).
package struct DocumentStatus: Sendable {
    /// A reference to an entry of a Token Status List, by its index.
    package struct ListEntry: Sendable {
        package let index: UInt64
        package let uri: String
        package let signer: ListSigner
    }

    /// A reference to an identifier list, with the document's identifier.
    package struct Identifier: Sendable {
        package let identifier: ArraySlice<UInt8>
        package let uri: String
        package let signer: ListSigner
    }

    /// The member `certificate` of a reference: the certificate of the list's signer, or of the signer's
    /// issuer.
    package enum ListSigner: Sendable {
        /// The reference names no certificate. Then the document's IACA issued the certificate of the list's
        /// signer.
        case unnamed
        case certificate(ArraySlice<UInt8>)
        /// The member `certificate` of the reference is not a byte string.
        case unreadable
    }

    /// The reference to a Token Status List. Nil if there is none.
    package let statusList: Result<ListEntry, CBORError>?
    /// The reference to an identifier list. Nil if there is none.
    package let identifierList: Result<Identifier, CBORError>?

    /// Reads the references.
    ///
    /// - Throws: an error if the status is not a map, so that no reference can be read.
    package init(_ item: CBORItem) throws(CBORError) {
        let values = try item.map().values(of: ["status_list", "identifier_list"])
        statusList = values[0].map { list in
            Result { () throws(CBORError) in try ListEntry(list) }
        }
        identifierList = values[1].map { list in
            Result { () throws(CBORError) in try Identifier(list) }
        }
    }
}

extension DocumentStatus.ListEntry {
    init(_ item: CBORItem) throws(CBORError) {
        let values = try item.map().values(of: ["idx", "uri", "certificate"])
        index = try values.required(0, at: item.offset).unsigned()
        uri = try values.required(1, at: item.offset).listURI()
        signer = DocumentStatus.ListSigner(values.optional(2))
    }
}

extension DocumentStatus.Identifier {
    init(_ item: CBORItem) throws(CBORError) {
        let values = try item.map().values(of: ["id", "uri", "certificate"])
        identifier = try values.required(0, at: item.offset).byteString()
        uri = try values.required(1, at: item.offset).listURI()
        signer = DocumentStatus.ListSigner(values.optional(2))
    }
}

extension DocumentStatus.ListSigner {
    fileprivate init(_ item: CBORItem?) {
        guard let item else {
            self = .unnamed
            return
        }
        self = (try? item.byteString()).map(Self.certificate) ?? .unreadable
    }
}

extension CBORItem {
    private static let maximumURILength = 2048

    /// Returns the address of a list. An address has a maximum length.
    fileprivate func listURI() throws(CBORError) -> String {
        let text = try utf8()
        guard text.count <= Self.maximumURILength else { throw .tooLong(limit: Self.maximumURILength) }
        return String(decoding: text, as: UTF8.self)
    }
}

extension DocumentStatus: RedactedDescription {}
