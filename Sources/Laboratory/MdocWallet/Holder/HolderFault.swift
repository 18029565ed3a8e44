/// One rule of ISO/IEC 18013-5 that the phone breaks in a response, and no other. The raw value is the rule's
/// name, the same in the corpus of presentations and, where a reader reports it as a departure, in `Deviation`.
package enum HolderFault: String, CaseIterable, Sendable {
    // Encodings of the response.
    case truncated = "cbor.truncated"
    case empty = "cbor.empty"
    case notAMap = "cbor.not_a_map"
    case hugeLength = "cbor.huge_length"
    case nameSpaceTwice = "cbor.dup_namespace"
    case nullMember = "cbor.null_member"

    // The response and its documents.
    case versionTwo = "response.version_2"
    case noVersion = "response.no_version"
    case noStatus = "response.no_status"
    case errorStatus = "response.status"
    case noDocuments = "response.no_documents"
    case noIssuerAuth = "response.no_issuer_auth"
    case unrequestedDocType = "response.unrequested_doctype"
    case documentTwice = "response.document_twice"
    case unrequestedElement = "response.unrequested_element"
    case elementTwice = "response.element_twice"
    case ageNotNearest = "response.age_not_nearest"
    case noPortrait = "response.no_portrait"

    case otherNameSpace = "mso.moved_namespace"

    // What the device signs.
    case otherHandover = "device.other_handover"
    case otherSession = "device.other_session"
    case otherDocType = "device.other_doctype"
    case otherKey = "device.other_key"
    case signatureFlipped = "device.signature_flipped"
    case macFlipped = "device.mac_flipped"
    case shortMAC = "device.mac_alg_64"
    case signatureAndMAC = "device.both"
    case noDeviceAuth = "device.no_device_auth"
    case noNameSpaces = "device.no_name_spaces"
    case algorithmOfOtherCurve = "device.alg_mismatch"
    case algorithmFullySpecified = "device.alg_fully_specified"
    case tagged = "device.tagged"
    case unrequestedDeviceElement = "device.unrequested_element"
    /// The phone asserts an age that the issuer signed too.
    case issuerElementAsserted = "device.issuer_element"
}
