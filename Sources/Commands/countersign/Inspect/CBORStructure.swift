internal import CBOR
internal import COSE
internal import MdocModel
internal import MdocSession
internal import MdocTrust

/// What an item looks like, by its type and members. This is a guess: `complaint` reads it in full.
enum CBORStructure: CaseIterable {
    case deviceResponse, document, issuerSigned, issuerSignedItem, deviceRequest, docRequest, itemsRequest
    case mobileSecurityObject, sessionEstablishment, sessionData, deviceEngagement, sessionTranscript
    case deviceAuthentication, readerAuthentication, rical, coseSign1, coseMac0, cose, coseKey,
        benchLinkGreeting
    case version2Request, version2Select
    case embedded, other

    /// What the item is, or the one embedded in its tag 24, and which of the two it is.
    static func recognise(_ item: CBORItem) -> (structure: CBORStructure, item: CBORItem) {
        guard let bytes = try? EncodedCBOR<Never>(item), let inner = try? bytes.item() else {
            return (CBORStructure(item), item)
        }
        let structure = CBORStructure(inner)
        return structure == .other || structure == .embedded ? (.embedded, item) : (structure, inner)
    }

    init(_ item: CBORItem) {
        switch item.value {
        case .map(let map): self = Self(map)
        case .array: self = Self(array: item)
        case .tagged(18, let content) where Self.isCOSE(content):
            self = Self.isRICAL(content) ? .rical : .coseSign1
        case .tagged(17, let content) where Self.isCOSE(content): self = .coseMac0
        case .tagged(24, _): self = .embedded
        default: self = .other
        }
    }

    private init(_ map: CBORMap) {
        let signs: [(CBORStructure, [StaticString])] = [
            (.deviceRequest, ["docRequests"]), (.deviceResponse, ["version", "documents"]),
            (.deviceResponse, ["version", "documentErrors"]), (.deviceResponse, ["version", "status"]),
            (.document, ["docType", "issuerSigned"]), (.issuerSigned, ["issuerAuth"]),
            (.issuerSignedItem, ["digestID", "elementIdentifier"]), (.docRequest, ["itemsRequest"]),
            (.mobileSecurityObject, ["digestAlgorithm", "valueDigests"]),
            (.itemsRequest, ["docType", "nameSpaces"]),
            (.sessionEstablishment, ["eReaderKey", "data"]),
            (.benchLinkGreeting, ["qr", "deviceEngagement"]),
            (.deviceResponse, ["documents"]), (.sessionData, ["data"]), (.sessionData, ["status"]),
        ]
        if let found = signs.first(where: { $0.1.allSatisfy { map[$0] != nil } }) {
            self = found.0
        } else if (try? map[0]?.text()) != nil, map[1] != nil {
            self = .deviceEngagement
        } else if map.count == 1, let engagement = try? map[0]?.map() {
            self = engagement[1] == nil ? .version2Request : .version2Select
        } else if map[1] != nil, map[-1] != nil {
            self = .coseKey
        } else {
            self = .other
        }
    }

    private init(array item: CBORItem) {
        var members = (try? item.array())?.makeIterator()
        let first = members?.next()
        let second = members?.next()
        if first?.isText("DeviceAuthentication") == true {
            self = .deviceAuthentication
        } else if first?.isText("ReaderAuthentication") == true {
            self = .readerAuthentication
        } else if Self.isCOSE(item) {
            self = Self.isRICAL(item) ? .rical : .cose
        } else if (try? first?.tagged(24)) != nil, (try? second?.tagged(24)) != nil, members?.next() != nil {
            self = .sessionTranscript
        } else {
            self = .other
        }
    }

    /// Whether the array has the form of COSE_Sign1 and COSE_Mac0: protected, unprotected, payload, signature.
    static func isCOSE(_ item: CBORItem) -> Bool {
        guard let array = try? item.array() else { return false }
        let fields = Array(array.prefix(5))
        return fields.count == 4 && (try? fields[0].byteString()) != nil && (try? fields[1].map()) != nil
            && (fields[2].isNullOrUndefined || (try? fields[2].byteString()) != nil)
            && (try? fields[3].byteString()) != nil
    }

    /// Whether what is signed lists authorities under the names of a RICAL; those of a VICAL are others.
    private static func isRICAL(_ cose: CBORItem) -> Bool {
        guard let payload = (try? cose.array()).flatMap({ Array($0)[2] }).flatMap({ try? $0.byteString() }),
            let list = try? CBORItem.parse(payload, limits: CBORLimits(bytes: payload.count)),
            let members = try? list.map()
        else { return false }
        return members["provider"] != nil && members["certificateInfos"] != nil
    }

    /// The name of it, with the clause that defines it.
    var title: String {
        switch self {
        case .deviceResponse: "DeviceResponse (ISO/IEC 18013-5 8.3.2.1.2.2)"
        case .document: "Document of a DeviceResponse (ISO/IEC 18013-5 8.3.2.1.2.2)"
        case .issuerSigned: "IssuerSigned (ISO/IEC 18013-5 8.3.2.1.2.2)"
        case .issuerSignedItem: "IssuerSignedItem (ISO/IEC 18013-5 8.3.2.1.2.2)"
        case .deviceRequest: "DeviceRequest (ISO/IEC 18013-5 8.3.2.1.2.1)"
        case .docRequest: "DocRequest (ISO/IEC 18013-5 8.3.2.1.2.1)"
        case .itemsRequest: "ItemsRequest (ISO/IEC 18013-5 8.3.2.1.2.1)"
        case .mobileSecurityObject: "MobileSecurityObject (ISO/IEC 18013-5 9.1.2.4)"
        case .sessionEstablishment: "SessionEstablishment (ISO/IEC 18013-5 9.1.1.4)"
        case .sessionData: "SessionData (ISO/IEC 18013-5 9.1.1.4)"
        case .deviceEngagement: "DeviceEngagement (ISO/IEC 18013-5 8.2.1.1)"
        case .sessionTranscript: "SessionTranscript (ISO/IEC 18013-5 9.1.5.1)"
        case .deviceAuthentication: "DeviceAuthentication (ISO/IEC 18013-5 9.1.3.4)"
        case .readerAuthentication: "ReaderAuthentication (ISO/IEC 18013-5 9.1.4.4)"
        case .rical: "RICAL, a list of readers' authorities (ISO/IEC 18013-5, second edition, draft, Annex F)"
        case .coseSign1: "COSE_Sign1 (RFC 9052 4.2)"
        case .coseMac0: "COSE_Mac0 (RFC 9052 6.2)"
        case .cose: "COSE_Sign1 or COSE_Mac0, untagged (RFC 9052)"
        case .coseKey: "COSE_Key (RFC 9052 7)"
        case .version2Request: "NFC v2 handover request (ISO/IEC 18013-5, draft of the second edition)"
        case .version2Select: "NFC v2 handover select (ISO/IEC 18013-5, draft of the second edition)"
        case .benchLinkGreeting: "bench link greeting"
        case .embedded: "CBOR embedded in tag 24 (RFC 8949 3.4.5.1)"
        case .other: "CBOR (RFC 8949)"
        }
    }

    /// What a request asks for that is not supported, and what limits its answer.
    func remarks(on item: CBORItem) -> [String] {
        guard self == .deviceRequest, let request = try? DeviceRequest(item.encoded) else { return [] }
        return request.remarks
    }

    /// Why the item is not what it looks like; nil if it is, or if nothing more is known of it.
    func complaint(about item: CBORItem) -> String? {
        let bytes = item.encoded
        if self == .rical {
            do throws(RICALError) { _ = try UnverifiedRICAL(bytes) } catch { return error.explanation }
        }
        do throws(MdocModelError) {
            switch self {
            case .deviceResponse: _ = try UnverifiedResponse(bytes)
            case .deviceRequest: _ = try DeviceRequest(bytes)
            case .sessionEstablishment: _ = try SessionEstablishment(bytes)
            case .sessionData: _ = try SessionData(bytes)
            case .deviceEngagement:
                let malformed = try DeviceEngagement(bytes).malformedMembers
                return malformed.isEmpty ? nil : "members of another shape than they should be: \(malformed)"
            case .version2Request: _ = try NFCVersion2Handover.methods(inRequest: bytes)
            case .version2Select: _ = try NFCVersion2Handover.engagement(inSelect: bytes)
            case .sessionTranscript: _ = try SessionTranscript(stored: bytes)
            default: return nil
            }
            return nil
        } catch {
            return error.explanation
        }
    }
}
