package import CBOR
internal import ErrorMapping

/// DeviceResponse (ISO/IEC 18013-5 8.3.2.1.2.2) as it was received: parsed, nothing of it verified.
package struct UnverifiedResponse: Sendable {
    /// How many documents may come: each costs up to three signatures to verify.
    package static let maximumDocuments = 64

    /// Nil if the response has none.
    package let version: String?
    /// Nil if the response has none.
    package let status: UInt64?
    package let documents: [UnverifiedDocument]
    /// In which forms of the second edition documents came that are not read here (Q166).
    package let otherForms: [DocumentForm]
    /// Document types that were not returned, with the code.
    package let documentErrors: [(docType: String, code: Int64)]
    /// Whether `documentErrors` has something that cannot be read. The entries that can be read are there.
    package let hasUnreadableErrors: Bool

    package init(
        _ bytes: ArraySlice<UInt8>, limits: CBORLimits = .standard
    ) throws(MdocModelError) {
        let item = try mapping(CBORItem.parse(bytes, limits: limits), MdocStructure.deviceResponse.malformed)
        try self.init(item, limits: limits)
    }

    /// A response inside another item.
    package init(_ item: CBORItem, limits: CBORLimits = .standard) throws(MdocModelError) {
        let items: CBORArray?
        let (hasNullMembers, hasIndefiniteLength): (Bool, Bool)
        do throws(CBORError) {
            let values = try item.map().values(of: [
                "version", "status", "documents", "documentErrors", "zkDocuments", "encryptedDocuments",
                "otherDocuments",
            ])
            let forms: [(Int, DocumentForm)] = [(4, .zeroKnowledge), (5, .encrypted), (6, .other)]
            version = try values.optional(0)?.name()
            status = try values.optional(1)?.unsigned()
            items = try values.optional(2)?.array()
            (documentErrors, hasUnreadableErrors) = Self.documentErrors(values.optional(3))
            otherForms = forms.filter { index, _ in
                values.optional(index).map { (try? $0.array())?.count != 0 } ?? false
            }.map(\.1)
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
                documents.append(
                    try UnverifiedDocument(
                        item, limits: limits, hasNullBeside: hasNullMembers,
                        hasIndefiniteLengthAround: hasIndefiniteLength,
                        hasUnreadableErrorsBeside: hasUnreadableErrors))
            }
        }
        self.documents = documents
    }

    /// The errors decide nothing about the documents beside them, so each is read on its own (Q228).
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

/// A form of a document beside the plain one, each in its own member of DeviceResponse (second edition 10.3).
package enum DocumentForm: Sendable {
    /// `zkDocuments`: with a zero-knowledge proof.
    case zeroKnowledge
    /// `encryptedDocuments`: for a recipient whose key the request named.
    case encrypted
    /// `otherDocuments`: of no form that is published.
    case other
}

/// Document (ISO/IEC 18013-5 8.3.2.1.2.2) as it was received.
package struct UnverifiedDocument: Sendable {
    /// The map as received, by which two identical documents are recognised.
    package let encoded: ArraySlice<UInt8>
    package let docType: String
    package let nameSpaces: [UnverifiedNameSpace]
    /// The COSE_Sign1 of the issuer, not checked yet; nil if absent.
    package let issuerAuth: CBORItem?
    package let deviceSigned: UnverifiedDeviceSigned
    /// Elements that were not returned, with the code.
    package let errors: [(nameSpace: String, identifier: String, code: Int64)]
    /// Whether `errors`, or `documentErrors` of the response around, has something that cannot be read.
    package let hasUnreadableErrors: Bool
    /// Whether a member of the document, or of the response around it, is null or undefined instead of absent (Q150).
    package let hasNullMembers: Bool
    /// Whether the document, or the response around it, is an array or map of indefinite length, or has one outside what is
    /// signed.
    package let hasIndefiniteLength: Bool

    init(
        _ item: CBORItem, limits: CBORLimits, hasNullBeside: Bool, hasIndefiniteLengthAround: Bool,
        hasUnreadableErrorsBeside: Bool
    ) throws(MdocModelError) {
        encoded = item.encoded
        let (map, asserted): (CBORMap?, CBORMap?)
        let (hasOwnNull, isIndefinite): (Bool, Bool)
        do throws(CBORError) {
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

    /// Whether an issuer-signed item or the device's namespaces came as a byte string in chunks.
    package var hasChunkedItems: Bool {
        deviceSigned.nameSpacesBytes?.isChunked == true
            || nameSpaces.contains { $0.items.contains(where: \.bytes.isChunked) }
    }

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

/// IssuerSignedItem (ISO/IEC 18013-5 8.3.2.1.2.2) as it was received, members in any order (Q142).
package struct UnverifiedIssuerSignedItem: Sendable {
    /// IssuerSignedItemBytes: what the digest covers, byte for byte (Q140).
    package let bytes: EncodedCBOR<UnverifiedIssuerSignedItem>
    package let digestID: UInt64
    /// How the encoding departs from preferred serialization.
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
        _ = try values.required(Member.random, at: content.offset).byteString()
        _ = try values.required(Member.identifier, at: content.offset).nameUTF8()
        guard values[Member.value] != nil else { throw .missingMember(at: content.offset) }
        self.bytes = bytes
        self.digestID = digestID
        self.form = form
        self.values = values
    }

    package var random: ArraySlice<UInt8> { values[Member.random].flatMap { try? $0.byteString() } ?? [] }

    /// The UTF-8 of the element's name.
    package var identifierUTF8: ArraySlice<UInt8> {
        values[Member.identifier].flatMap { try? $0.utf8() } ?? []
    }

    package var identifier: String { String(decoding: identifierUTF8, as: UTF8.self) }

    /// Whether the element has this name, compared without making a `String`.
    package func isNamed(_ name: StaticString) -> Bool { values[Member.identifier]?.isText(name) == true }

    package var value: CBORItem {
        guard let value = values[Member.value] else {
            preconditionFailure("an item was made without a value")
        }
        return value
    }
}

/// DeviceSigned (ISO/IEC 18013-5 8.3.2.1.2.2) as it was received.
package struct UnverifiedDeviceSigned: Sendable {
    package let nameSpacesBytes: EncodedCBOR<UnverifiedDeviceSigned>?
    package let elements: [(nameSpace: String, identifier: String, value: CBORItem)]
    /// COSE_Sign1, not looked at yet.
    package let deviceSignature: CBORItem?
    /// COSE_Mac0, not looked at yet.
    package let deviceMac: CBORItem?
    let hasNullMembers: Bool

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

/// DeviceAuthenticationBytes (ISO/IEC 18013-5 9.1.3.4), in the parts that are hashed one after the other.
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
        EncodedCBOR<Never>.head(contentCount: count)[...], opening[...], transcript.encoded, type[...],
        nameSpaces.bytes,
    ]
}

extension UnverifiedResponse: RedactedDescription {}
extension UnverifiedDocument: RedactedDescription {}
extension UnverifiedNameSpace: RedactedDescription {}
extension UnverifiedIssuerSignedItem: RedactedDescription {}
extension UnverifiedDeviceSigned: RedactedDescription {}
