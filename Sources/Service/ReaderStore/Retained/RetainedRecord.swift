package import CBOR
internal import ErrorMapping
internal import Foundation
internal import GRDB
package import MdocModel
internal import OpenSSLCrypto

/// The reference under which a till retains records, such as a booking number. Several persons, such as the
/// drivers of one booking, may share a reference.
package struct RetainedReference: Hashable, Sendable, RedactedDescription {
    /// The maximum length of a reference, in bytes.
    package static let maximumLength = 128

    package let text: String

    /// Compares the bytes, as the store does: `==` of strings takes "é" in its two forms for one text.
    package static func == (one: RetainedReference, other: RetainedReference) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    /// Creates a reference. Throws `tooLong` if the text is empty or too long.
    package init(_ text: String) throws(ReaderStoreError) {
        guard (1...Self.maximumLength).contains(text.utf8.count) else { throw .tooLong }
        self.text = text
    }
}

/// The retained elements of one document.
package struct RetainedRecord: Sendable, RedactedDescription {
    package struct ID: Hashable, Sendable {
        package static let size = 16

        package let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }
    }

    package struct Field: Sendable, RedactedDescription {
        package let name: ElementName
        package let value: CBORItem
        /// The time at which the field must be deleted.
        package let deadline: Timestamp
    }

    package let id: ID
    package let docType: String
    package let profile: RetentionProfile
    package let consent: HolderConsent
    package let retained: Timestamp
    package let fields: [Field]
}

/// The data of a record that can be read without its keys: everything but the element values.
package struct RetainedSummary: Sendable {
    package let id: RetainedRecord.ID
    package let docType: String
    package let profile: RetentionProfile
    package let consent: HolderConsent
    package let retained: Timestamp
    package internal(set) var names: [ElementName]
    package let deadline: Timestamp
    /// The time of the last export that was not confirmed; `nil` if the record was not exported.
    package let handedOut: Timestamp?
}

/// Whether the holder's consent to the retention was recorded.
package enum HolderConsent: String, CaseIterable, Sendable {
    case given
    case notGiven = "not-given"
}

/// The result of retaining the data of a document.
package enum RetentionOutcome: Equatable, Sendable {
    /// Nothing was retained: the profile keeps nothing of this document, consent is missing, or the phone did
    /// not send the elements.
    case nothing
    case retained(RetainedRecord.ID, until: Timestamp)
}

/// A sealed field: one element value under AES-256-GCM.
///
/// The additional authenticated data are record, element name and deadline. A field that was moved to another
/// record, or whose deadline was changed, cannot be opened.
struct RetainedField {
    /// The maximum size of a value, in bytes. Longer values are pictures, which are never retained.
    private static let longestValue = 4096

    let record: RetainedRecord.ID
    let name: ElementName
    let deadline: Timestamp
    let nonce: [UInt8]
    let sealed: [UInt8]

    /// Seals a value with the key for the day on which its deadline is.
    init(
        sealing value: ArraySlice<UInt8>, of name: ElementName, in record: RetainedRecord.ID,
        until deadline: Timestamp, with keys: RetentionKeys
    ) throws(ReaderStoreError) {
        guard value.count <= Self.longestValue else { throw .tooLong }
        var cipher = try keys.cipher(due: deadline.dayInUTC, createIfMissing: true)
        self.record = record
        self.name = name
        self.deadline = deadline
        do throws(OpenSSLCryptoError) {
            nonce = try randomBytes(AESGCM.nonceSize)
            sealed = try cipher.seal(
                value, nonce: Self.array(nonce),
                authenticating: Self.binding(of: name, in: record, until: deadline)[...])
        } catch {
            throw .sealBroken
        }
    }

    init(_ row: Row) throws {
        record = RetainedRecord.ID([UInt8](try row.decode(Data.self, forColumn: "record")))
        name = ElementName(
            nameSpace: try row.decode(forColumn: "name_space"),
            identifier: try row.decode(forColumn: "identifier"))
        deadline = try Timestamp(stored: row.decode(forColumn: "deadline"))
        nonce = [UInt8](try row.decode(Data.self, forColumn: "nonce"))
        sealed = [UInt8](try row.decode(Data.self, forColumn: "sealed"))
    }

    /// Opens the field. Throws `sealBroken` if its key was deleted, or any part was changed.
    func open(with keys: RetentionKeys) throws(ReaderStoreError) -> RetainedRecord.Field {
        // `array(_:)` reads `AESGCM.nonceSize` bytes, and a changed row may have fewer.
        guard nonce.count == AESGCM.nonceSize else { throw .sealBroken }
        var cipher = try keys.cipher(due: deadline.dayInUTC, createIfMissing: false)
        let value = try mapping(
            cipher.open(
                sealed[...], nonce: Self.array(nonce),
                authenticating: Self.binding(of: name, in: record, until: deadline)[...])
        ) { (_: OpenSSLCryptoError) in ReaderStoreError.sealBroken }
        guard let item = try? CBORItem.parse(value[...]) else { throw .sealBroken }
        return RetainedRecord.Field(name: name, value: item, deadline: deadline)
    }

    /// Returns the additional authenticated data of a field: record, deadline and element name.
    private static func binding(
        of name: ElementName, in record: RetainedRecord.ID, until deadline: Timestamp
    ) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.array(count: 5)
            encoder.text("countersign retained field")
            encoder.byteString(record.bytes)
            encoder.integer(deadline.secondsSince1970)
            encoder.text(name.nameSpace)
            encoder.text(name.identifier)
        }
    }

    private static func array(_ nonce: [UInt8]) -> InlineArray<12, UInt8> {
        InlineArray { nonce[$0] }
    }
}
