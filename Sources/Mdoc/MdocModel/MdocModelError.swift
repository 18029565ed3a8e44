package import CBOR
package import COSE

/// A reason that bytes are not the expected ISO/IEC 18013-5 structure.
package enum MdocModelError: Error, Equatable, Sendable {
    /// The bytes cannot be decoded as this structure.
    case malformed(MdocStructure, CBORError)
    /// A key or signature inside this structure is malformed.
    case cose(MdocStructure, COSEError)
    /// The major number of the structure's version is not 1.
    case unsupportedVersion(MdocStructure)
    /// The engagement names a cipher suite other than 1 (ISO/IEC 18013-5 9.1.1).
    case unsupportedCipherSuite(UInt64)
    /// The date at this offset in the decoded bytes is malformed.
    case notADate(at: Int)
    /// The text is not an `mdoc:` URI.
    case notAnEngagementURI
}

/// The name of a structure, for errors and diagnostics.
package enum MdocStructure: String, Sendable {
    case deviceEngagement, sessionTranscript, sessionEstablishment, sessionData, deviceRequest, itemsRequest
    case deviceResponse, document, issuerSignedItem, deviceSigned, mobileSecurityObject
    case drivingPrivileges, domesticDrivingPrivileges
    /// The messages of an NFC v2 handover.
    case handoverRequest, handoverSelect
}

extension MdocStructure {
    func malformed(_ error: CBORError) -> MdocModelError { .malformed(self, error) }
    func cose(_ error: COSEError) -> MdocModelError { .cose(self, error) }
}

extension CBORValues {
    /// Returns an optional member. Null and undefined count as absent (Q150).
    func optional(_ index: Int) -> CBORItem? {
        guard let value = self[index], !value.isNullOrUndefined else { return nil }
        return value
    }

    /// Returns a required member of the structure at `offset`. Null and undefined count as absent (Q150).
    func required(_ index: Int, at offset: Int) throws(CBORError) -> CBORItem {
        guard let value = optional(index) else { throw .missingMember(at: offset) }
        return value
    }
}

extension CBORMap {
    /// Returns a required member of the structure. Null and undefined count as absent (Q150).
    package func required(_ key: StaticString, in item: CBORItem) throws(CBORError) -> CBORItem {
        guard let value = optional(key) else { throw .missingMember(at: item.offset) }
        return value
    }

    /// Returns an optional member. Null and undefined count as absent (Q150).
    package func optional(_ key: StaticString) -> CBORItem? {
        guard let value = self[key], !value.isNullOrUndefined else { return nil }
        return value
    }
}

extension MdocStructure {
    /// The name of the structure in ISO/IEC 18013-5.
    package var name: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}

extension MdocModelError {
    /// The error as a text for people.
    package var explanation: String {
        switch self {
        case .malformed(let structure, let error):
            "the \(structure.name) does not decode: \(error.explanation)"
        case .cose(let structure, let error): "in the \(structure.name), \(error.explanation)"
        case .unsupportedVersion(let structure): "the \(structure.name) has a version other than 1.x"
        case .unsupportedCipherSuite(let suite): "cipher suite \(suite) is not supported"
        case .notADate(let offset): "the date at byte \(offset) is malformed"
        case .notAnEngagementURI: "the text is not an mdoc: URI"
        }
    }
}
