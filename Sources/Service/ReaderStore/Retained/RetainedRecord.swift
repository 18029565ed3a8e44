package import CBOR
package import MdocModel

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
