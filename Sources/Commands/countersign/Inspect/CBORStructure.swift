internal import CBOR
internal import MdocModel
internal import MdocTrust
internal import WalletPresentation

/// The structure that a CBOR item looks like, recognised by its type and a few members.
///
/// The result is a guess from these members. `complaint(about:)` parses the item in full, and returns the
/// reason if the item is not a valid structure of this kind.
enum CBORStructure: CaseIterable {
    case deviceResponse, document, issuerSigned, issuerNameSpaces, issuerSignedItem, deviceSigned, deviceAuth
    case deviceRequest, docRequest, itemsRequest, mobileSecurityObject
    case sessionEstablishment, sessionData, deviceEngagement, sessionTranscript
    case deviceAuthentication, readerAuthentication, readerAuthenticationAll
    case issuerAuth, deviceSignature, deviceMac, readerAuth, vical, rical, statusToken
    case coseSign1, coseMac0, cose, coseKey, benchLinkGreeting
    case encryptionInfo, encryptedResponse, walletEnvelope
    case version2Request, version2Select
    case embedded, other

    /// Returns the structure of the item together with the item. If tag 24 embeds an item of a known
    /// structure, returns that structure and the embedded item instead.
    static func recognise(_ item: CBORItem) -> (structure: CBORStructure, item: CBORItem) {
        // `Never`, because the type of the embedded content is not known yet.
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
        // Tag 18 marks a COSE_Sign1, and tag 17 marks a COSE_Mac0 (RFC 9052 2).
        case .tagged(18, let content) where Self.isCOSE(content):
            self = Self(cose: content, isMAC: false) ?? .coseSign1
        case .tagged(17, let content) where Self.isCOSE(content):
            self = Self(cose: content, isMAC: true) ?? .coseMac0
        // A CWT may have tag 61 around the tag of its COSE structure (RFC 8392 6).
        case .tagged(61, let content) where Self(content) == .statusToken: self = .statusToken
        case .tagged(24, _): self = .embedded
        default: self = .other
        }
    }

    private init(_ map: CBORMap) {
        // The first entry whose members are all present determines the structure, so the order of the entries
        // matters.
        let signs: [(CBORStructure, [StaticString])] = [
            // The MSO stands before DeviceResponse, because both have the member `version` and may have
            // `status`.
            (.mobileSecurityObject, ["digestAlgorithm", "valueDigests"]),
            (.deviceRequest, ["docRequests"]), (.deviceResponse, ["version", "documents"]),
            (.deviceResponse, ["version", "documentErrors"]), (.deviceResponse, ["version", "status"]),
            (.document, ["docType", "issuerSigned"]), (.issuerSigned, ["issuerAuth"]),
            (.issuerSignedItem, ["digestID", "elementIdentifier"]), (.docRequest, ["itemsRequest"]),
            (.deviceSigned, ["nameSpaces", "deviceAuth"]), (.deviceAuth, ["deviceSignature"]),
            (.deviceAuth, ["deviceMac"]), (.walletEnvelope, ["algorithm", "params", "data"]),
            (.itemsRequest, ["docType", "nameSpaces"]),
            (.sessionEstablishment, ["eReaderKey", "data"]),
            (.benchLinkGreeting, ["qr", "deviceEngagement"]),
            (.deviceResponse, ["documents"]), (.sessionData, ["data"]), (.sessionData, ["status"]),
        ]
        if let found = signs.first(where: { $0.1.allSatisfy { map[$0] != nil } }) {
            self = found.0
        } else if (try? map[0]?.text()) != nil, map[1] != nil {
            // Keys 0 and 1 of an engagement are its version and its Security (ISO/IEC 18013-5 8.2.1.1).
            self = .deviceEngagement
        } else if map.count == 1, let engagement = try? map[0]?.map() {
            // The request and the select message of NFC v2 both contain an engagement. Only the phone's
            // engagement, in the select message, has Security (key 1).
            self = engagement[1] == nil ? .version2Request : .version2Select
        } else if map[1] != nil, map[-1] != nil {
            // Labels 1 and -1 are the type and the curve of an elliptic key (RFC 9053 7.1).
            self = .coseKey
        } else if Self.holdsIssuerSignedItems(map) {
            self = .issuerNameSpaces
        } else {
            self = .other
        }
    }

    /// Returns whether the first value of the map is an array that begins with an IssuerSignedItem.
    private static func holdsIssuerSignedItems(_ map: CBORMap) -> Bool {
        // Maps and arrays are decoded item by item, so only the first member and its first item are decoded
        // here.
        guard let member = Array(map.prefix(1)).first, let items = try? member.value.array(),
            let first = Array(items.prefix(1)).first, let bytes = try? EncodedCBOR<Never>(first),
            let item = try? bytes.item().map()
        else { return false }
        return item["digestID"] != nil && item["elementIdentifier"] != nil
    }

    private init(array item: CBORItem) {
        // A transcript has three members. A fourth is read to recognise longer arrays.
        let members = (try? item.array()).map { Array($0.prefix(4)) } ?? []
        if let named = Self(named: members) {
            self = named
        } else if Self.isCOSE(item) {
            self = Self(cose: item, isMAC: nil) ?? .cose
        } else if members.count == 3, Self.isTranscript(members) {
            self = .sessionTranscript
        } else {
            self = .other
        }
    }

    /// Recognises an array whose first element is the name of its structure.
    private init?(named members: [CBORItem]) {
        guard let first = members.first else { return nil }
        if first.isText("DeviceAuthentication") {
            self = .deviceAuthentication
        } else if first.isText("ReaderAuthentication") {
            self = .readerAuthentication
        } else if first.isText("ReaderAuthenticationAll") {
            self = .readerAuthenticationAll
        } else if first.isText("dcapi"), members.count == 2, let parameters = try? members[1].map() {
            // EncryptionInfo and EncryptedResponse both begin with this name (ISO/IEC TS 18013-7 Annex C).
            if parameters["recipientPublicKey"] != nil {
                self = .encryptionInfo
            } else if parameters["cipherText"] != nil {
                self = .encryptedResponse
            } else {
                return nil
            }
        } else {
            return nil
        }
    }

    /// Returns whether the array has the members of a SessionTranscript: engagement, reader's key and
    /// handover. The first two are null in a presentation through an app or a web page.
    private static func isTranscript(_ members: [CBORItem]) -> Bool {
        if (try? members[0].tagged(24)) != nil, (try? members[1].tagged(24)) != nil { return true }
        return members[0].isNullOrUndefined && members[1].isNullOrUndefined
            && (try? members[2].array()) != nil
    }

    /// The name of the structure, with the clause that defines it.
    var title: String {
        switch self {
        case .deviceResponse: "DeviceResponse (ISO/IEC 18013-5 8.3.2.1.2.2)"
        case .document: "Document of a DeviceResponse (ISO/IEC 18013-5 8.3.2.1.2.2)"
        case .issuerSigned: "IssuerSigned (ISO/IEC 18013-5 8.3.2.1.2.2)"
        case .issuerNameSpaces: "IssuerNameSpaces (ISO/IEC 18013-5 8.3.2.1.2.2)"
        case .issuerSignedItem: "IssuerSignedItem (ISO/IEC 18013-5 8.3.2.1.2.2)"
        case .deviceSigned: "DeviceSigned (ISO/IEC 18013-5 8.3.2.1.2.2)"
        case .deviceAuth: "DeviceAuth (ISO/IEC 18013-5 8.3.2.1.2.2)"
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
        case .readerAuthenticationAll:
            "ReaderAuthenticationAll (ISO/IEC 18013-5, draft of the second edition)"
        case .issuerAuth: "IssuerAuth, a COSE_Sign1 over a MobileSecurityObject (ISO/IEC 18013-5 9.1.2.4)"
        case .deviceSignature: "DeviceSignature, a COSE_Sign1 without payload (ISO/IEC 18013-5 9.1.3.6)"
        case .deviceMac: "DeviceMac, a COSE_Mac0 without payload (ISO/IEC 18013-5 9.1.3.5)"
        case .readerAuth:
            "ReaderAuth, a COSE_Sign1 with certificates and without payload (ISO/IEC 18013-5 9.1.4.4)"
        case .vical: "VICAL, a list of issuers' authorities (ISO/IEC 18013-5 Annex C)"
        case .statusToken:
            "status list or identifier list, a CWT (ISO/IEC 18013-5, second edition, draft, 12.3.6)"
        case .rical: "RICAL, a list of readers' authorities (ISO/IEC 18013-5, second edition, draft, Annex F)"
        case .coseSign1: "COSE_Sign1 (RFC 9052 4.2)"
        case .coseMac0: "COSE_Mac0 (RFC 9052 6.2)"
        case .cose: "COSE_Sign1 or COSE_Mac0, untagged (RFC 9052)"
        case .coseKey: "COSE_Key (RFC 9052 7)"
        case .encryptionInfo: "EncryptionInfo (ISO/IEC TS 18013-7 Annex C)"
        case .encryptedResponse: "EncryptedResponse (ISO/IEC TS 18013-7 Annex C)"
        case .walletEnvelope: "envelope of Verify with Wallet"
        case .version2Request: "NFC v2 handover request (ISO/IEC 18013-5, draft of the second edition)"
        case .version2Select: "NFC v2 handover select (ISO/IEC 18013-5, draft of the second edition)"
        case .benchLinkGreeting: "bench link greeting"
        case .embedded: "CBOR embedded in tag 24 (RFC 8949 3.4.5.1)"
        case .other: "CBOR (RFC 8949)"
        }
    }

    /// Returns remarks on the parts of a DeviceRequest that Countersign does not support or that limit the
    /// answer. Empty for all other structures.
    func remarks(on item: CBORItem) -> [String] {
        guard self == .deviceRequest, let request = try? DeviceRequest(item.encoded) else { return [] }
        return request.remarks
    }

    /// Returns the kind of presentation for which a SessionTranscript was made. Empty for all other
    /// structures.
    func detail(of item: CBORItem) -> String {
        guard self == .sessionTranscript, let transcript = try? SessionTranscript(stored: item.encoded) else {
            return ""
        }
        return ": \(transcript.kind.explanation)"
    }
}

extension CBORStructure {
    /// Returns whether the item is an array as in COSE_Sign1 and COSE_Mac0: protected header, unprotected
    /// header, payload, and signature or tag.
    static func isCOSE(_ item: CBORItem) -> Bool {
        guard let array = try? item.array() else { return false }
        // A COSE structure has four fields. A fifth is read to recognise longer arrays.
        let fields = Array(array.prefix(5))
        return fields.count == 4 && (try? fields[0].byteString()) != nil && (try? fields[1].map()) != nil
            && (fields[2].isNullOrUndefined || (try? fields[2].byteString()) != nil)
            && (try? fields[3].byteString()) != nil
    }

    /// Recognises a COSE_Sign1 or COSE_Mac0 by its headers and payload. Returns `nil` if headers and payload
    /// do not show which structure the item is.
    ///
    /// - Parameters:
    ///   - item: The array, which `isCOSE` has accepted.
    ///   - isMAC: Whether the tag marks a COSE_Mac0; `nil` for an untagged item, whose algorithm then shows
    ///     the kind.
    init?(cose item: CBORItem, isMAC: Bool?) {
        guard let array = try? item.array() else { return nil }
        let fields = Array(array.prefix(4))
        let headers = COSEHeaderMaps(protected: fields[0], unprotected: fields[1])
        if let payload = try? fields[2].byteString() {
            guard let kind = Self(payload: payload, typed: headers.type) else { return nil }
            self = kind
        } else if isMAC ?? headers.isMAC {
            self = .deviceMac
        } else if headers.hasCertificates {
            // A signature without a payload is from the reader or from the phone. Only the reader's signature
            // has certificates in its headers.
            self = .readerAuth
        } else if isMAC == false || headers.algorithm != nil {
            self = .deviceSignature
        } else {
            return nil
        }
    }

    /// Recognises a structure by its signed payload.
    private init?(payload: ArraySlice<UInt8>, typed type: String?) {
        guard let item = try? CBORItem.parse(payload, limits: CBORLimits(bytes: payload.count)) else {
            return nil
        }
        // `recognise` is not used here. It calls this function, so payloads nested in payloads would be
        // opened without a limit of depth.
        let embedded = (try? EncodedCBOR<Never>(item)).flatMap { try? $0.item() }
        guard let members = try? (embedded ?? item).map() else { return nil }
        if members["digestAlgorithm"] != nil, members["valueDigests"] != nil {
            self = .issuerAuth
            return
        }
        // Claim 65533 of a CWT contains a status list, claim 65530 an identifier list.
        let (statusList, identifierList) = (members[65_533], members[65_530])
        if statusList != nil || identifierList != nil || type?.hasSuffix("list+cwt") == true {
            self = .statusToken
            return
        }
        // VICAL providers capitalise the member names differently, so the names are compared in lower case.
        let names = Set(members.prefix(64).compactMap { try? $0.key.text().lowercased() })
        guard names.contains("certificateinfos") else { return nil }
        if names.contains("vicalprovider") {
            self = .vical
        } else if names.contains("provider") {
            self = .rical
        } else {
            return nil
        }
    }
}

/// The header parameters that tell what a COSE structure is used for (RFC 9052 3.1, RFC 9360 2).
private struct COSEHeaderMaps {
    private static let algorithm: Int64 = 1
    private static let type: Int64 = 16
    private static let x5chain: Int64 = 33
    /// The four HMAC algorithms (RFC 9053 3.1).
    private static let macs: ClosedRange<Int64> = 4...7

    let algorithm: Int64?
    let type: String?
    let hasCertificates: Bool

    /// Reads the parameters from the protected header, or else from the unprotected header.
    init(protected: CBORItem, unprotected: CBORItem) {
        let bytes = (try? protected.byteString()) ?? []
        let maps = [try? CBORItem.parse(bytes).map(), try? unprotected.map()].compactMap(\.self)
        algorithm = maps.lazy.compactMap { try? $0[Self.algorithm]?.integer() }.first
        type = maps.lazy.compactMap { try? $0[Self.type]?.text() }.first
        hasCertificates = maps.contains { $0[Self.x5chain] != nil }
    }

    var isMAC: Bool { algorithm.map(Self.macs.contains) ?? false }
}

extension CBORStructure {
    /// Parses the item in full, and returns why the item is not a valid structure of this kind. Returns `nil`
    /// if the item is valid or this kind has no parser.
    func complaint(about item: CBORItem) -> String? {
        switch self {
        case .vical, .rical, .statusToken: complaint(aboutList: item)
        case .encryptedResponse, .walletEnvelope: complaint(aboutSealed: item.encoded)
        default: complaint(aboutMessage: item.encoded)
        }
    }

    /// Parses a signed list only to learn whether it is well-formed. Its signature is not verified.
    private func complaint(aboutList item: CBORItem) -> String? {
        // Tag 61 of a CWT is not part of the COSE structure.
        let bytes = ((try? item.tagged(61)) ?? item).encoded
        switch self {
        case .vical:
            do throws(VICALError) { _ = try UnverifiedVICAL(bytes) } catch { return error.explanation }
        case .rical:
            do throws(RICALError) { _ = try UnverifiedRICAL(bytes) } catch { return error.explanation }
        default:
            do throws(StatusTokenError) { _ = try StatusToken(bytes) } catch { return error.explanation }
        }
        return nil
    }

    /// Parses an encrypted answer only to learn whether it is well-formed. It is not decrypted.
    private func complaint(aboutSealed bytes: ArraySlice<UInt8>) -> String? {
        do throws(WalletPresentationError) {
            if self == .walletEnvelope {
                _ = try WalletEnvelope(bytes)
            } else {
                _ = try EncryptedResponse(decoded: bytes)
            }
            return nil
        } catch {
            return error.explanation
        }
    }

    /// Parses a message only to learn whether it is well-formed. The parsed value is not needed.
    private func complaint(aboutMessage bytes: ArraySlice<UInt8>) -> String? {
        do throws(MdocModelError) {
            switch self {
            case .deviceResponse: _ = try UnverifiedResponse(bytes)
            case .deviceRequest: _ = try DeviceRequest(bytes)
            case .sessionEstablishment: _ = try SessionEstablishment(bytes)
            case .sessionData: _ = try SessionData(bytes)
            case .deviceEngagement:
                let malformed = try DeviceEngagement(bytes).malformedMembers
                return malformed.isEmpty ? nil : "malformed members: \(malformed)"
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
