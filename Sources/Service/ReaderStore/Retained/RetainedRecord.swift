package import CBOR
internal import ErrorMapping
internal import Foundation
internal import GRDB
package import MdocModel
internal import OpenSSLCrypto

/// A till's name for what records are kept for, such as a booking. Several drivers may share one.
package struct RetainedReference: Hashable, Sendable, RedactedDescription {
    /// In bytes.
    package static let maximumLength = 128

    package let text: String

    /// Throws `tooLong` if the text is too long or empty.
    package init(_ text: String) throws(ReaderStoreError) {
        guard (1...Self.maximumLength).contains(text.utf8.count) else { throw .tooLong }
        self.text = text
    }
}

/// What was retained of one document.
package struct RetainedRecord: Sendable, RedactedDescription {
    package struct ID: Hashable, Sendable {
        package static let size = 16

        package let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }
    }

    package struct Field: Sendable, RedactedDescription {
        package let name: ElementName
        package let value: CBORItem
        /// When it must be deleted.
        package let deadline: Timestamp
    }

    package let id: ID
    package let docType: String
    package let profile: RetentionProfile
    package let consent: HolderConsent
    package let retained: Timestamp
    package let fields: [Field]
}

/// What can be known about a record without its keys.
package struct RetainedSummary: Sendable {
    package let id: RetainedRecord.ID
    package let docType: String
    package let profile: RetentionProfile
    package let consent: HolderConsent
    package let retained: Timestamp
    package internal(set) var names: [ElementName]
    package let deadline: Timestamp
    /// When it was handed out without that being finished.
    package let handedOut: Timestamp?
}

/// Whether somebody recorded that the holder agrees to what is kept.
package enum HolderConsent: String, CaseIterable, Sendable {
    case given
    case notGiven = "not-given"
}

/// What was done with a document whose data was to be retained.
package enum RetentionOutcome: Equatable, Sendable {
    /// The profile keeps nothing of it, the holder's consent is not recorded, or none of what is kept came.
    case nothing
    case retained(RetainedRecord.ID, until: Timestamp)
}

/// A field as it is kept: what it holds is sealed with AES-256-GCM for its record, name and deadline, and opens as no other.
struct RetainedField {
    /// The longest value, in bytes: longer ones are pictures.
    private static let longestValue = 4096

    let record: RetainedRecord.ID
    let name: ElementName
    let deadline: Timestamp
    let nonce: [UInt8]
    let sealed: [UInt8]

    init(
        sealing value: ArraySlice<UInt8>, of name: ElementName, in record: RetainedRecord.ID,
        until deadline: Timestamp, with keys: RetentionKeys
    ) throws(ReaderStoreError) {
        guard value.count <= Self.longestValue else { throw .tooLong }
        var cipher = try keys.cipher(due: deadline.dayInUTC, making: true)
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

    /// Throws `sealBroken` if the key was deleted, or anything was changed.
    func open(with keys: RetentionKeys) throws(ReaderStoreError) -> RetainedRecord.Field {
        guard nonce.count == AESGCM.nonceSize else { throw .sealBroken }
        var cipher = try keys.cipher(due: deadline.dayInUTC, making: false)
        let value = try mapping(
            cipher.open(
                sealed[...], nonce: Self.array(nonce),
                authenticating: Self.binding(of: name, in: record, until: deadline)[...])
        ) { (_: OpenSSLCryptoError) in ReaderStoreError.sealBroken }
        guard let item = try? CBORItem.parse(value[...]) else { throw .sealBroken }
        return RetainedRecord.Field(name: name, value: item, deadline: deadline)
    }

    /// What the seal is for.
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
