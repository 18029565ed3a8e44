package import CBOR
package import COSE

/// Why bytes are not the ISO/IEC 18013-5 structure they are taken for.
package enum MdocModelError: Error, Equatable, Sendable {
    /// The bytes do not decode as this structure.
    case malformed(MdocStructure, CBORError)
    /// A key or signature inside this structure is not one.
    case cose(MdocStructure, COSEError)
    /// A version whose major number is not 1.
    case unsupportedVersion(MdocStructure)
    /// A cipher suite other than 1 (ISO/IEC 18013-5 9.1.1).
    case unsupportedCipherSuite(UInt64)
    /// A malformed date, at this index of the buffer.
    case notADate(at: Int)
    /// A text that is no `mdoc:` URI.
    case notAnEngagementURI
}

/// The structures that errors and diagnostics name.
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
    /// A member that may be absent, null or undefined (Q150).
    func optional(_ index: Int) -> CBORItem? {
        guard let value = self[index], !value.isNullOrUndefined else { return nil }
        return value
    }

    /// A member that the structure at `offset` requires. Null and undefined count as absent (Q150).
    func required(_ index: Int, at offset: Int) throws(CBORError) -> CBORItem {
        guard let value = optional(index) else { throw .missingMember(at: offset) }
        return value
    }
}

extension CBORMap {
    /// A member that the structure requires. Null and undefined count as absent (Q150).
    package func required(_ key: StaticString, in item: CBORItem) throws(CBORError) -> CBORItem {
        guard let value = optional(key) else { throw .missingMember(at: item.offset) }
        return value
    }

    /// A member that may be absent, null or undefined (Q150).
    package func optional(_ key: StaticString) -> CBORItem? {
        guard let value = self[key], !value.isNullOrUndefined else { return nil }
        return value
    }
}

extension MdocStructure {
    /// The name that ISO/IEC 18013-5 gives it.
    package var name: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}

extension MdocModelError {
    /// In plain words.
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
