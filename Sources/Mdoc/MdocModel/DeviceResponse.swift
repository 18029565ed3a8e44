package import CBOR
internal import ErrorMapping

/// A received DeviceResponse (ISO/IEC 18013-5 8.3.2.1.2.2). It is parsed, and nothing in it is verified.
package struct UnverifiedResponse: Sendable {
    /// The maximum number of documents. Each document has up to three signatures to verify, so the limit
    /// bounds the time of a verification.
    package static let maximumDocuments = 64

    /// The version of the response. Nil if it has none.
    package let version: String?
    /// The status of the response, a `DeviceResponseStatus`. Nil if it has none.
    package let status: UInt64?
    package let documents: [UnverifiedDocument]
    /// The forms of documents in this response, other than the plain form; for example encrypted documents
    /// (second edition). Documents of these forms are not read (Q166).
    package let otherForms: [DocumentForm]
    /// The document types that were not returned, each with an error code.
    package let documentErrors: [(docType: String, code: Int64)]
    /// Whether a part of `documentErrors` cannot be read. The readable entries are in `documentErrors`.
    package let hasUnreadableErrors: Bool

    package init(
        _ bytes: ArraySlice<UInt8>, limits: CBORLimits = .standard
    ) throws(MdocModelError) {
        let item = try mapping(CBORItem.parse(bytes, limits: limits), MdocStructure.deviceResponse.malformed)
        try self.init(item, limits: limits)
    }

    /// Parses a response that is a part of another item.
    package init(_ item: CBORItem, limits: CBORLimits = .standard) throws(MdocModelError) {
        let items: CBORArray?
        let (hasNullMembers, hasIndefiniteLength): (Bool, Bool)
        do throws(CBORError) {
            // The code below refers to these members by their index.
            let values = try item.map().values(of: [
                "version", "status", "documents", "documentErrors", "zkDocuments", "encryptedDocuments",
                "otherDocuments",
            ])
            // The index of a member in `values`, with the form of the documents in that member.
            let forms: [(Int, DocumentForm)] = [(4, .zeroKnowledge), (5, .encrypted), (6, .other)]
            version = try values.optional(0)?.name()
            status = try values.optional(1)?.unsigned()
            items = try values.optional(2)?.array()
            (documentErrors, hasUnreadableErrors) = Self.documentErrors(values.optional(3))
            // An empty list has no document. A member that is not a list cannot be read, so it may have a
            // document.
            otherForms = forms.filter { index, _ in
                values.optional(index).map { (try? $0.array())?.count != 0 } ?? false
            }.map(\.1)
            // Only the members 3 to 6 are searched for nulls. A null version or status fails its own check,
            // and a null `documents` leaves no document with which the deviation could be reported.
            hasNullMembers = values.hasNull(at: 3...6)
            hasIndefiniteLength = item.hasIndefiniteLength || values.hasIndefiniteLength(at: 2...2)
        } catch {
            throw .malformed(.deviceResponse, error)
        }
        var documents: [UnverifiedDocument] = []
        if let items {
            for item in items {
                guard documents.count < Self.maximumDocuments else {
                    throw .malformed(.deviceResponse, .tooMany(limit: Self.maximumDocuments))
                }
                // Deviations are reported with a document, so each document gets the deviations of the
                // response too.
                documents.append(
                    try UnverifiedDocument(
                        item, limits: limits, hasNullBeside: hasNullMembers,
                        hasIndefiniteLengthAround: hasIndefiniteLength,
                        hasUnreadableErrorsBeside: hasUnreadableErrors))
            }
        }
        self.documents = documents
    }

    /// Reads the errors, each independently, because an unreadable error says nothing about the documents of
    /// the response (Q228).
    private static func documentErrors(
        _ item: CBORItem?
    ) -> (errors: [(docType: String, code: Int64)], hasUnreadable: Bool) {
        guard let item else { return ([], false) }
        guard let entries = try? item.array() else { return ([], true) }
        var errors: [(docType: String, code: Int64)] = []
        var hasUnreadable = false
        for entry in entries {
            guard let members = try? entry.map() else {
                hasUnreadable = true
                continue
            }
            for member in members {
                guard let docType = try? member.key.name(), let code = try? member.value.integer() else {
                    hasUnreadable = true
                    continue
                }
                errors.append((docType, code))
            }
        }
        return (errors, hasUnreadable)
    }
}

/// A form of a document other than the plain form. Each of these forms has a member of DeviceResponse (second
/// edition 10.3).
package enum DocumentForm: Sendable {
    /// A document in `zkDocuments`, with a zero-knowledge proof.
    case zeroKnowledge
    /// A document in `encryptedDocuments`, encrypted for the recipient whose key the request named.
    case encrypted
    /// A document in `otherDocuments`, whose form is not published.
    case other
}

/// A received Document (ISO/IEC 18013-5 8.3.2.1.2.2).
package struct UnverifiedDocument: Sendable {
    /// The received bytes of the map, which are compared to recognise identical documents.
    package let encoded: ArraySlice<UInt8>
    package let docType: String
    package let nameSpaces: [UnverifiedNameSpace]
    /// The issuer's COSE_Sign1, which is not checked yet. Nil if it is absent.
    package let issuerAuth: CBORItem?
    package let deviceSigned: UnverifiedDeviceSigned
    /// The elements that were not returned, each with an error code.
    package let errors: [(nameSpace: String, identifier: String, code: Int64)]
    /// Whether a part of `errors`, or of `documentErrors` of the response, cannot be read.
    package let hasUnreadableErrors: Bool
    /// Whether a member of the document or of the response is null or undefined instead of absent (Q150).
    package let hasNullMembers: Bool
    /// Whether the document or the response has an array or map of indefinite length outside the signed
    /// parts.
    package let hasIndefiniteLength: Bool

    /// Parses a document. The last three parameters describe the whole response. They are reported with each
    /// document.
    init(
        _ item: CBORItem, limits: CBORLimits, hasNullBeside: Bool, hasIndefiniteLengthAround: Bool,
        hasUnreadableErrorsBeside: Bool
    ) throws(MdocModelError) {
        encoded = item.encoded
        let (map, asserted): (CBORMap?, CBORMap?)
        let (hasOwnNull, isIndefinite): (Bool, Bool)
        do throws(CBORError) {
            // The code below refers to these members by their index.
            let values = try item.map().values(of: ["docType", "issuerSigned", "deviceSigned", "errors"])
            let issuerSigned = try values.required(1, at: item.offset).map()
                .values(of: ["nameSpaces", "issuerAuth"])
            docType = try values.required(0, at: item.offset).name()
            map = try issuerSigned.optional(0)?.map()
            issuerAuth = issuerSigned.optional(1)
            asserted = try values.optional(2)?.map()
            let (errors, hasUnreadable) = Self.errors(values.optional(3))
            self.errors = errors
            hasUnreadableErrors = hasUnreadable || hasUnreadableErrorsBeside
            // A null in a required member has thrown an error above, so only the optional members are checked
            // here.
            hasOwnNull = values.hasNull(at: 2...3) || issuerSigned.hasNull(at: 0...1)
            isIndefinite =
                item.hasIndefiniteLength || values.hasIndefiniteLength(at: 1...2)
                || issuerSigned.hasIndefiniteLength(at: 0...1)
        } catch {
            throw .malformed(.document, error)
        }
        deviceSigned = try UnverifiedDeviceSigned(asserted)
        hasNullMembers = hasNullBeside || hasOwnNull || deviceSigned.hasNullMembers
        var nameSpaces: [UnverifiedNameSpace] = []
        var hasIndefiniteArray = false
        if let map {
            for member in map {
                hasIndefiniteArray = hasIndefiniteArray || member.value.hasIndefiniteLength
                nameSpaces.append(try UnverifiedNameSpace(member, limits: limits))
            }
        }
        self.nameSpaces = nameSpaces
        hasIndefiniteLength = hasIndefiniteLengthAround || isIndefinite || hasIndefiniteArray
    }

    /// Whether the byte string of an issuer-signed item or of the device's namespaces is encoded in chunks,
    /// with indefinite length.
    package var hasChunkedItems: Bool {
        deviceSigned.nameSpacesBytes?.isChunked == true
            || nameSpaces.contains { $0.items.contains(where: \.bytes.isChunked) }
    }

    /// Reads the errors of the document, each independently (Q228).
    private static func errors(
        _ item: CBORItem?
    ) -> (errors: [(nameSpace: String, identifier: String, code: Int64)], hasUnreadable: Bool) {
        guard let item else { return ([], false) }
        guard let nameSpaces = try? item.map() else { return ([], true) }
        var errors: [(nameSpace: String, identifier: String, code: Int64)] = []
        var hasUnreadable = false
        for nameSpace in nameSpaces {
            guard let name = try? nameSpace.key.name(), let elements = try? nameSpace.value.map() else {
                hasUnreadable = true
                continue
            }
            for element in elements {
                guard let identifier = try? element.key.name(), let code = try? element.value.integer() else {
                    hasUnreadable = true
                    continue
                }
                errors.append((name, identifier, code))
            }
        }
        return (errors, hasUnreadable)
    }
}

/// The issuer-signed items of one namespace.
package struct UnverifiedNameSpace: Sendable {
    package let name: String
    package let items: [UnverifiedIssuerSignedItem]

    init(
        _ member: (key: CBORItem, value: CBORItem), limits: CBORLimits
    ) throws(MdocModelError) {
        let array = try mapping(member.value.array(), MdocStructure.document.malformed)
        name = try mapping(member.key.name(), MdocStructure.document.malformed)
        var items: [UnverifiedIssuerSignedItem] = []
        for item in array { items.append(try UnverifiedIssuerSignedItem(item, limits: limits)) }
        self.items = items
    }
}

/// A received IssuerSignedItem (ISO/IEC 18013-5 8.3.2.1.2.2). Its members may have any order (Q142).
package struct UnverifiedIssuerSignedItem: Sendable {
    /// The IssuerSignedItemBytes, the received bytes that the digest covers (Q140).
    package let bytes: EncodedCBOR<UnverifiedIssuerSignedItem>
    package let digestID: UInt64
    /// The deviations of the encoding from preferred serialization.
    package let form: EncodingForm
    private let values: CBORValues

    private enum Member {
        static let keys: [StaticString] = ["digestID", "random", "elementIdentifier", "elementValue"]
        static let digestID = 0
        static let random = 1
        static let identifier = 2
        static let value = 3
    }

    init(_ item: CBORItem, limits: CBORLimits) throws(MdocModelError) {
        self = try mapping(Self(reading: item, limits: limits), MdocStructure.issuerSignedItem.malformed)
    }

    private init(reading item: CBORItem, limits: CBORLimits) throws(CBORError) {
        var form = EncodingForm()
        let bytes = try EncodedCBOR<UnverifiedIssuerSignedItem>(item)
        let content = try bytes.item(limits: limits, noting: &form)
        let values = try content.map().values(of: Member.keys)
        let digestID = try values.required(Member.digestID, at: content.offset).unsigned()
        // The values of these two members are not needed here. An error in them is thrown now, so that the
        // properties below cannot fail.
        _ = try values.required(Member.random, at: content.offset).byteString()
        _ = try values.required(Member.identifier, at: content.offset).nameUTF8()
        // Null is a possible value of an element. Only a missing value is an error.
        guard values[Member.value] != nil else { throw .missingMember(at: content.offset) }
        self.bytes = bytes
        self.digestID = digestID
        self.form = form
        self.values = values
    }

    package var random: ArraySlice<UInt8> { values[Member.random].flatMap { try? $0.byteString() } ?? [] }

    /// The name of the element in UTF-8.
    package var identifierUTF8: ArraySlice<UInt8> {
        values[Member.identifier].flatMap { try? $0.utf8() } ?? []
    }

    package var identifier: String { String(decoding: identifierUTF8, as: UTF8.self) }

    /// Whether the element has this name. The comparison makes no `String`, since it is done for every
    /// element.
    package func isNamed(_ name: StaticString) -> Bool { values[Member.identifier]?.isText(name) == true }

    package var value: CBORItem {
        guard let value = values[Member.value] else {
            preconditionFailure("an item was made without a value")
        }
        return value
    }
}

/// A received DeviceSigned (ISO/IEC 18013-5 8.3.2.1.2.2).
package struct UnverifiedDeviceSigned: Sendable {
    package let nameSpacesBytes: EncodedCBOR<UnverifiedDeviceSigned>?
    package let elements: [(nameSpace: String, identifier: String, value: CBORItem)]
    /// The COSE_Sign1 of the device, which is not checked yet. Nil if it is absent.
    package let deviceSignature: CBORItem?
    /// The COSE_Mac0 of the device, which is not checked yet. Nil if it is absent.
    package let deviceMac: CBORItem?
    let hasNullMembers: Bool

    /// Parses the map. A missing map means that the phone signed nothing. A later check then refuses the
    /// document.
    init(_ map: CBORMap?) throws(MdocModelError) {
        do throws(CBORError) {
            let members = map?.values(of: ["nameSpaces", "deviceAuth"])
            let deviceAuth = try members?.optional(1)?.map().values(of: ["deviceSignature", "deviceMac"])
            deviceSignature = deviceAuth?.optional(0)
            deviceMac = deviceAuth?.optional(1)
            hasNullMembers = members?.hasNull(at: 0...1) == true || deviceAuth?.hasNull(at: 0...1) == true
            guard let item = members?.optional(0) else {
                nameSpacesBytes = nil
                elements = []
                return
            }
            let bytes = try EncodedCBOR<UnverifiedDeviceSigned>(item)
            nameSpacesBytes = bytes
            var elements: [(nameSpace: String, identifier: String, value: CBORItem)] = []
            for nameSpace in try bytes.item().map() {
                let name = try nameSpace.key.name()
                for element in try nameSpace.value.map() {
                    elements.append((name, try element.key.name(), element.value))
                }
            }
            self.elements = elements
        } catch {
            throw .malformed(.deviceSigned, error)
        }
    }
}

/// Returns DeviceAuthenticationBytes (ISO/IEC 18013-5 9.1.3.4) as parts, which are hashed one after the
/// other.
package func deviceAuthenticationBytes(
    transcript: SessionTranscript, docType: String, nameSpaces: EncodedCBOR<UnverifiedDeviceSigned>
) -> [ArraySlice<UInt8>] {
    let opening = CBOREncoder.encode { encoder in
        encoder.array(count: 4)
        encoder.text("DeviceAuthentication")
    }
    let type = CBOREncoder.encode { $0.text(docType) }
    let count = opening.count + transcript.encoded.count + type.count + nameSpaces.bytes.count
    return [
        // The transcript and the namespaces keep the bytes that were received, since the signature covers
        // these bytes (Q44).
        EncodedCBOR<Never>.head(contentCount: count)[...], opening[...], transcript.encoded, type[...],
        nameSpaces.bytes,
    ]
}

extension UnverifiedResponse: RedactedDescription {}
extension UnverifiedDocument: RedactedDescription {}
extension UnverifiedNameSpace: RedactedDescription {}
extension UnverifiedIssuerSignedItem: RedactedDescription {}
extension UnverifiedDeviceSigned: RedactedDescription {}
