package import CBOR
package import COSE
internal import ErrorMapping

/// A MobileSecurityObject (ISO/IEC 18013-5 9.1.2.4), the part of a document that the issuer signs. It is
/// parsed, and proves nothing before its signature is verified.
package struct MobileSecurityObject: Sendable {
    /// The maximum number of namespaces with digests. The limit is low because all namespaces are searched
    /// for each item.
    package static let maximumNameSpaces = 64

    package let version: String
    package let digestAlgorithm: String
    package let valueDigests: [NameSpaceDigests]
    package let deviceKey: COSEKey
    package let keyAuthorizations: KeyAuthorizations
    package let docType: String
    package let validityInfo: ValidityInfo
    /// The lists in which the issuer publishes whether it has revoked the document. Nil if the MSO names no
    /// list. An unreadable status makes the revocation unknown, and does not reject the document.
    package let status: Result<DocumentStatus, CBORError>?
    /// The deviations of the encoding from preferred serialization.
    package let form: EncodingForm
    /// Whether the byte string of MobileSecurityObjectBytes is encoded in chunks, with indefinite length.
    package let isChunked: Bool

    /// Parses MobileSecurityObjectBytes, the payload of issuerAuth.
    package init(
        payload: ArraySlice<UInt8>, limits: CBORLimits = .standard
    ) throws(MdocModelError) {
        var form = EncodingForm()
        let members: Members
        do throws(CBORError) {
            let bytes = try EncodedCBOR<MobileSecurityObject>(CBORItem.parse(payload, limits: limits))
            members = try Members(bytes.item(limits: limits, noting: &form))
            isChunked = bytes.isChunked
        } catch {
            throw .malformed(.mobileSecurityObject, error)
        }
        self.form = form
        version = members.version
        digestAlgorithm = members.digestAlgorithm
        valueDigests = members.valueDigests
        keyAuthorizations = members.keyAuthorizations
        docType = members.docType
        status = members.status.map { item in
            Result { () throws(CBORError) in try DocumentStatus(item) }
        }
        deviceKey = try mapping(COSEKey(members.deviceKey), MdocStructure.mobileSecurityObject.cose)
        validityInfo = try ValidityInfo(members.validityInfo)
    }

    /// The members of the MSO's map. The device key, the validity and the status are parsed later, because
    /// their parsers throw other types of errors.
    private struct Members {
        let version: String
        let digestAlgorithm: String
        let valueDigests: [NameSpaceDigests]
        let deviceKey: CBORItem
        let keyAuthorizations: KeyAuthorizations
        let docType: String
        let validityInfo: CBORItem
        let status: CBORItem?

        init(_ item: CBORItem) throws(CBORError) {
            // The code below refers to these members by their index.
            let values = try item.map().values(of: [
                "version", "digestAlgorithm", "docType", "validityInfo", "deviceKeyInfo", "valueDigests",
                "status",
            ])
            // Null counts as an unreadable status, and not as an absent status (Q242).
            status = values[6]
            version = try values.required(0, at: item.offset).name()
            digestAlgorithm = try values.required(1, at: item.offset).name()
            docType = try values.required(2, at: item.offset).name()
            validityInfo = try values.required(3, at: item.offset)
            let deviceKeyInfo = try values.required(4, at: item.offset)
            let keyInfo = try deviceKeyInfo.map().values(of: ["deviceKey", "keyAuthorizations"])
            deviceKey = try keyInfo.required(0, at: deviceKeyInfo.offset)
            keyAuthorizations = try KeyAuthorizations(keyInfo.optional(1))
            let valueDigests = try values.required(5, at: item.offset)
            var digests: [NameSpaceDigests] = []
            for nameSpace in try valueDigests.map() {
                guard digests.count < MobileSecurityObject.maximumNameSpaces else {
                    throw CBORError.tooMany(limit: MobileSecurityObject.maximumNameSpaces)
                }
                digests.append(try NameSpaceDigests(nameSpace))
            }
            self.valueDigests = digests
        }
    }

    /// Returns the digest of an item. Nil if the MSO has no digest with this namespace and ID.
    package func digest(nameSpace: String, digestID: UInt64) -> ArraySlice<UInt8>? {
        valueDigests.first { $0.nameSpace == nameSpace }?[digestID]
    }
}

/// The digests of one namespace. There may be digests of items that were not disclosed (Q162).
package struct NameSpaceDigests: Sendable {
    package let nameSpace: String
    /// The encoded map, which contains the digests.
    private let encoded: ArraySlice<UInt8>
    /// The ranges of the digests in `encoded`. A long list of ranges is sorted by key. A short list is
    /// searched from the start.
    private let places: [CBORBytePlace]
    /// The digests whose byte strings are in chunks, which have no single range in the buffer.
    private var chunked: [UInt64: ArraySlice<UInt8>] = [:]
    /// The number of digests up to which a search from the start is used.
    private static let fewEnough = 64

    init(_ member: (key: CBORItem, value: CBORItem)) throws(CBORError) {
        nameSpace = try member.key.name()
        encoded = member.value.encoded
        let places = try member.value.map().placesOfByteStrings()
        self.places = places.count <= Self.fewEnough ? places : places.sorted { $0.key < $1.key }
        // An empty range stands for a byte string in chunks, whose chunks have to be joined.
        guard places.contains(where: { $0.place.isEmpty }) else { return }
        for entry in try member.value.map() where entry.value.hasIndefiniteLength {
            chunked[try entry.key.unsigned()] = try entry.value.byteString()
        }
    }

    package subscript(_ id: UInt64) -> ArraySlice<UInt8>? {
        guard let place = place(of: id) else { return nil }
        return chunked[id] ?? encoded[place]
    }

    /// Returns the range of a digest in `encoded`.
    private func place(of id: UInt64) -> Range<Int>? {
        if places.count <= Self.fewEnough {
            for place in places where place.key == id { return place.place }
            return nil
        }
        // Binary search for the first key that is not below `id`.
        var low = 0
        var high = places.count
        while low < high {
            let middle = (low + high) / 2
            if places[middle].key < id { low = middle + 1 } else { high = middle }
        }
        return low < places.count && places[low].key == id ? places[low].place : nil
    }
}

/// The KeyAuthorizations (ISO/IEC 18013-5 9.1.2.4): the elements that the device key may sign.
package struct KeyAuthorizations: Sendable {
    package private(set) var nameSpaces: Set<String> = []
    package private(set) var dataElements: [String: Set<String>] = [:]

    init(_ item: CBORItem?) throws(CBORError) {
        // Without the member, the device key may sign no element.
        guard let item else { return }
        let map = try item.map()
        if let names = map.optional("nameSpaces") {
            for name in try names.array() { nameSpaces.insert(try name.name()) }
        }
        if let elements = map.optional("dataElements") {
            for member in try elements.map() {
                var identifiers: Set<String> = []
                for identifier in try member.value.array() { identifiers.insert(try identifier.name()) }
                dataElements[try member.key.name()] = identifiers
            }
        }
    }

    /// Whether a namespace is listed both as a whole and by single elements, which ISO/IEC 18013-5 9.1.2.4
    /// forbids (Q164).
    package var isContradictory: Bool { dataElements.keys.contains { nameSpaces.contains($0) } }

    package func allows(_ identifier: String, in nameSpace: String) -> Bool {
        nameSpaces.contains(nameSpace) || dataElements[nameSpace]?.contains(identifier) == true
    }
}

/// The ValidityInfo (ISO/IEC 18013-5 9.1.2.4): the times for which the issuer's signature is valid.
package struct ValidityInfo: Sendable {
    package let signed: DateText
    package let validFrom: DateText
    package let validUntil: DateText
    package let expectedUpdate: DateText?

    init(_ item: CBORItem) throws(MdocModelError) {
        let (signed, from, until, update): (CBORItem, CBORItem, CBORItem, CBORItem?)
        do throws(CBORError) {
            let values = try item.map().values(of: ["signed", "validFrom", "validUntil", "expectedUpdate"])
            signed = try values.required(0, at: item.offset)
            from = try values.required(1, at: item.offset)
            until = try values.required(2, at: item.offset)
            update = values.optional(3)
        } catch {
            throw .malformed(.mobileSecurityObject, error)
        }
        self.signed = try DateText.instant(signed)
        validFrom = try DateText.instant(from)
        validUntil = try DateText.instant(until)
        if let update {
            expectedUpdate = try DateText.instant(update)
        } else {
            expectedUpdate = nil
        }
    }

    /// The deviations of the dates from a `tdate` in UTC without fraction.
    package var form: DateForm {
        signed.form.union(validFrom.form).union(validUntil.form).union(expectedUpdate?.form ?? [])
    }
}

extension MobileSecurityObject: RedactedDescription {}
extension NameSpaceDigests: RedactedDescription {}
extension ValidityInfo: RedactedDescription {}
