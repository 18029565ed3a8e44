internal import CBOR
internal import COSE
internal import MdocModel

/// A rule of ISO/IEC 18013-5 that the phone breaks in a response. Each fault breaks one rule only.
///
/// The raw value is the name of the rule. The corpus uses this name too. `Deviation` uses it for breaches
/// that a reader accepts and reports by default.
package enum HolderFault: String, CaseIterable, Sendable {
    // Faults in the encoding of the response.
    case truncated = "cbor.truncated"
    case empty = "cbor.empty"
    case notAMap = "cbor.not_a_map"
    case hugeLength = "cbor.huge_length"
    case nameSpaceTwice = "cbor.dup_namespace"
    case nullMember = "cbor.null_member"

    // Faults of the response and its documents.
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

    // Faults of the device's signature or MAC.
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

// The effect of each fault on a response, in the order in which a response is made.
extension HolderFault {
    /// Applies the fault to the items that answer a request.
    func edit(_ selection: inout ItemSelection, of document: IssuedDocument) {
        switch self {
        case .ageNotNearest:
            // The phone returns a "no" for an age above the requested age, although the document has a nearer
            // "yes".
            let refusals = document.items.filter {
                AgeAttestation($0.identifier) != nil && $0.value.encode() == CBORDraft(false).encode()
            }
            selection.items.removeAll { AgeAttestation($0.identifier) != nil }
            selection.items += refusals.suffix(1)
        case .unrequestedElement:
            let returned = Set(selection.items.map(\.identifier))
            selection.items += document.items.filter { !returned.contains($0.identifier) }.prefix(1)
        case .elementTwice: selection.items += selection.items.prefix(1)
        case .noPortrait: selection.items.removeAll { $0.identifier == "portrait" }
        default: break
        }
    }

    /// Returns another transcript for the device to sign. Nil if the fault does not change the transcript.
    ///
    /// The transcript of an app or a web page has no engagement that could be changed, so the returned
    /// transcript is null in CBOR.
    func transcript(insteadOf transcript: SessionTranscript) -> SessionTranscript? {
        guard self == .otherHandover || self == .otherSession else { return nil }
        guard let engagement = transcript.deviceEngagementBytes?.content, let key = transcript.eReaderKeyBytes
        else { return SessionTranscript { $0.null() } }
        switch self {
        case .otherHandover:
            let qr = SessionTranscript(deviceEngagement: engagement, eReaderKey: key, handover: .qr)
            guard qr.encoded == transcript.encoded else { return qr }
            // The session began with a QR code already, so the device signs a handover over NFC instead.
            return SessionTranscript(
                deviceEngagement: engagement, eReaderKey: key, handover: .nfc(select: [0xd1], request: nil))
        case .otherSession:
            // With an additional byte, the engagement is no longer the engagement of this session.
            return SessionTranscript(deviceEngagement: engagement + [0], eReaderKey: key, handover: .qr)
        default: return nil
        }
    }

    /// Returns another algorithm for the header of the device's signature or MAC. Nil if the fault does not
    /// change the algorithm.
    func algorithm(insteadOf own: COSEAlgorithm) -> COSEAlgorithm? {
        switch self {
        // HMAC 256/64 (RFC 9053).
        case .shortMAC: COSEAlgorithm(identifier: 4)
        case .algorithmOfOtherCurve: own == .es384 ? .es256 : .es384
        // ESP256, the fully specified ES256 (RFC 9864).
        case .algorithmFullySpecified: COSEAlgorithm(identifier: -9)
        default: nil
        }
    }

    /// Applies the fault to the signature or MAC.
    func edit(deviceAuth: inout CBORDraft) {
        switch self {
        case .signatureFlipped, .macFlipped: deviceAuth.editLast { [$0[0] ^ 1] + $0.dropFirst() }
        // HMAC 256/64 keeps 8 of the 32 bytes.
        case .shortMAC: deviceAuth.editLast { Array($0.prefix(8)) }
        case .signatureAndMAC:
            // A COSE_Mac0 of HMAC 256/256 (algorithm 5), with a tag of zeros.
            deviceAuth["deviceMac"] = [
                .bytes([0xa1, 0x01, 0x05]), [:], .null, .bytes([UInt8](repeating: 0, count: 32)),
            ]
        case .tagged:
            for index in deviceAuth.members.indices {
                let tag = deviceAuth["deviceMac"] == nil ? COSESign1.tag : COSEMac0.tag
                deviceAuth.members[index].value = .tagged(tag, deviceAuth.members[index].value)
            }
        default: break
        }
    }

    /// Applies the fault to DeviceSigned.
    func edit(deviceSigned: inout CBORDraft) {
        switch self {
        case .noDeviceAuth: deviceSigned["deviceAuth"] = nil
        case .noNameSpaces: deviceSigned["nameSpaces"] = nil
        default: break
        }
    }

    /// Applies the fault to one document of the response.
    func edit(document: inout CBORDraft) {
        switch self {
        case .noIssuerAuth: document["issuerSigned"]?["issuerAuth"] = nil
        case .nullMember: document["errors"] = .null
        case .nameSpaceTwice:
            let nameSpaces = document["issuerSigned"]?["nameSpaces"]?.members ?? []
            document["issuerSigned"]?["nameSpaces"] = .map(nameSpaces + nameSpaces.prefix(1))
        case .otherNameSpace:
            let nameSpaces = document["issuerSigned"]?["nameSpaces"]?.members ?? []
            document["issuerSigned"]?["nameSpaces"] = .map(
                nameSpaces.prefix(1).map { .init(key: "org.example.other", value: $0.value) })
        default: break
        }
    }

    /// Applies the fault to the whole response.
    func edit(response: inout CBORDraft) {
        switch self {
        case .versionTwo: response["version"] = "2.0"
        case .noVersion: response["version"] = nil
        case .noStatus: response["status"] = nil
        // 10 is the status of a general error (8.3.2.1.2.3).
        case .errorStatus: response["status"] = 10
        case .noDocuments: response["documents"] = nil
        case .documentTwice:
            let documents = response["documents"]?.items ?? []
            response["documents"] = .array(documents + documents)
        case .notAMap: response = [response]
        default: break
        }
    }

    /// Returns the bytes of the response with the fault in them.
    func edit(encoded: [UInt8]) -> [UInt8] {
        switch self {
        case .truncated: encoded.dropLast()
        case .empty: []
        // The response becomes a map whose only value is a byte string that announces 2^63 bytes.
        case .hugeLength:
            [0xa1, 0x67] + Array("version".utf8) + [0x5b, 0x80, 0, 0, 0, 0, 0, 0, 0]
        default: encoded
        }
    }
}

extension CBORDraft {
    /// Edits the last member of the only COSE object in this map: the signature, or the tag of the MAC.
    fileprivate mutating func editLast(_ edit: ([UInt8]) -> [UInt8]) {
        guard case .encoded(let bytes)? = members.first?.value, let item = try? CBORItem.parse(bytes[...])
        else {
            return
        }
        var object = CBORDraft(item)
        guard case .bytes(let last)? = object.items.last else { return }
        object.items[object.items.count - 1] = .bytes(edit(last))
        members[0].value = object
    }
}
