internal import CBOR
internal import COSE
internal import MdocModel
internal import OpenSSLCrypto

// Faults of issuerAuth: in its headers, in the signed payload, and in the signature itself.
extension IssuerFault {
    /// Applies the fault to issuerAuth before the signature is made.
    func edit(
        _ draft: inout IssuerAuthDraft, mobileSecurityObject object: CBORDraft, signer: [UInt8], root: [UInt8]
    ) {
        edit(algorithmOf: &draft)
        edit(certificatesOf: &draft, signer: signer, root: root)
        switch self {
        // The header crit (2) names a private header that no reader knows (RFC 9052 3.1).
        case .criticalHeader:
            draft.protected[2] = [-70_000]
            draft.protected[-70_000] = 0
        case .externalData: draft.externalData = [1]
        case .signatureAsDER: draft.signatureForm = .der
        case .msoUntagged: draft.payload = object.encode()
        // The signature covers an MSO with one more member than the MSO that is sent.
        case .msoSwapped:
            var other = object
            other["validityInfo"]?["expectedUpdate"] = object["validityInfo"]?["validUntil"]
            draft.signedPayload = CBORDraft.embedded(other).encode()
        default: break
        }
    }

    /// Edits the header alg, whose label is 1 (RFC 9052 3.1).
    private func edit(algorithmOf draft: inout IssuerAuthDraft) {
        switch self {
        case .algorithmMissing: draft.protected = [:]
        case .algorithmUnprotected:
            draft.unprotected[1] = draft.protected[1]
            draft.protected = [:]
        // In COSE, 5 is HMAC 256/256, -36 is ES512 (RFC 9053), and -9 is ESP256, the fully specified ES256
        // (RFC 9864).
        case .algorithmIsHMAC: draft.protected[1] = 5
        case .algorithmOfOtherCurve: draft.protected[1] = -36
        case .algorithmFullySpecified: draft.protected[1] = -9
        case .algorithmInBothHeaders: draft.unprotected[1] = draft.protected[1]
        default: break
        }
    }

    /// Edits x5chain, the header 33 (RFC 9360).
    private func edit(certificatesOf draft: inout IssuerAuthDraft, signer: [UInt8], root: [UInt8]) {
        switch self {
        case .certificateMissing: draft.unprotected = [:]
        case .certificateListEmpty: draft.unprotected[33] = []
        case .certificateProtected:
            draft.protected[33] = draft.unprotected[33]
            draft.unprotected = [:]
        // The bytes are a DER sequence, like a certificate, but contain only the letters abc.
        case .certificateIsGarbage: draft.unprotected[33] = .bytes([0x30, 0x03, 0x61, 0x62, 0x63])
        case .certificateAsText: draft.unprotected[33] = "MIIB"
        case .rootInCertificateList: draft.unprotected[33] = [.bytes(signer), .bytes(root)]
        default: break
        }
    }

    /// Applies the fault to the COSE_Sign1 after the signature is made.
    func edit(signed: inout CBORDraft) {
        switch self {
        case .signatureFlipped: signed.editSignature { [$0[0] ^ 1] + $0.dropFirst() }
        case .signatureZero: signed.editSignature { [UInt8](repeating: 0, count: $0.count) }
        case .signatureEmpty: signed.editSignature { _ in [] }
        case .fiveElements: signed.items.append(.bytes([]))
        case .payloadDetached: signed.items[2] = .null
        case .tagged: signed = .tagged(18, signed)
        default: break
        }
    }
}

extension CBORDraft {
    /// Edits the signature, the last element of a COSE_Sign1.
    fileprivate mutating func editSignature(_ edit: ([UInt8]) -> [UInt8]) {
        guard case .bytes(let signature)? = items.last else { return }
        items[items.count - 1] = .bytes(edit(signature))
    }
}

// Faults of the mobile security object, which the document signer signs with the fault in it.
extension IssuerFault {
    /// Applies the fault to the mobile security object before it is signed.
    func edit(mobileSecurityObject object: inout CBORDraft, issuedAt now: Timestamp) {
        edit(digestsOf: &object)
        edit(deviceKeyInfoOf: &object)
        edit(validityOf: &object, issuedAt: now)
        switch self {
        case .indefiniteMSO: object = .indefiniteMap(object.members)
        // The text has 3 bytes. Its length is written in two additional bytes, although it fits into the
        // first byte.
        case .longerHeadInMSO: object["version"] = .encoded([0x79, 0x00, 0x03] + Array("1.0".utf8))
        case .versionTwo: object["version"] = "2.0"
        case .otherDocType: object["docType"] = "org.example.other"
        case .bytesAfterMSO: object = .encoded(object.encode() + [0])
        default: break
        }
    }

    /// Applies the faults of `digestAlgorithm` and `valueDigests`.
    private func edit(digestsOf object: inout CBORDraft) {
        switch self {
        case .digestFlipped: object.editDigests { [$0[0] ^ 1] + $0.dropFirst() }
        // Each digest keeps half of the 32 bytes of a SHA-256.
        case .digestTruncated: object.editDigests { Array($0.prefix(16)) }
        case .digestAlgorithmUnknown: object["digestAlgorithm"] = "MD5"
        case .digestAlgorithmOfOtherLength: object["digestAlgorithm"] = "SHA-384"
        case .nameSpaceAbsent:
            object["valueDigests"] = ["org.example.x": object["valueDigests"]?.members.first?.value ?? [:]]
        default: break
        }
    }

    /// Applies the faults of the device key and of its authorizations.
    private func edit(deviceKeyInfoOf object: inout CBORDraft) {
        let device = "org.example.device"
        switch self {
        case .noDeviceKey: object["deviceKeyInfo"] = nil
        // The labels of a COSE_Key (RFC 9053): -2 and -3 are the coordinates, and -4 is the private key.
        case .privateDeviceKey: object.editDeviceKey { $0[-4] = .bytes([UInt8](repeating: 1, count: 32)) }
        case .deviceKeyOffCurve: object.editDeviceKey { $0[-3] = $0[-2] }
        case .otherElementAuthorized:
            object["deviceKeyInfo"]?["keyAuthorizations"] = ["dataElements": [.text(device): ["then"]]]
        case .otherNameSpaceAuthorized:
            object["deviceKeyInfo"]?["keyAuthorizations"] = ["nameSpaces": ["org.example.other"]]
        case .authorizationsContradictory:
            object["deviceKeyInfo"]?["keyAuthorizations"] = [
                "nameSpaces": [.text(device)], "dataElements": [.text(device): ["now"]],
            ]
        default: break
        }
    }

    /// Applies the faults of `validityInfo`.
    private func edit(validityOf object: inout CBORDraft, issuedAt now: Timestamp) {
        func day(_ days: Int64) -> CBORDraft {
            .dateTime("\(now.advanced(bySeconds: days * TestValidity.day))")
        }
        // By `TestValidity` an MSO is signed two days before `now`, and valid from then on. Its signer's
        // certificate is valid from 60 days before to 300 days after `now`.
        switch self {
        case .notYetValid: object["validityInfo"]?["validFrom"] = day(1)
        case .expired: object["validityInfo"]?["validUntil"] = day(-1)
        case .validBeforeSigned: object["validityInfo"]?["validFrom"] = day(-3)
        case .validUntilBeforeFrom: object["validityInfo"]?["validUntil"] = day(-3)
        case .signedBeforeCertificate:
            object["validityInfo"]?["signed"] = day(-100)
            object["validityInfo"]?["validFrom"] = day(-100)
        case .signedAfterCertificate: object["validityInfo"]?["signed"] = day(400)
        case .noValidity: object["validityInfo"] = nil
        case .dateIsNone: object["validityInfo"]?["validUntil"] = .dateTime("9999-99-99T99:99:99Z")
        case .dateWithFraction: object.editDates { .tagged(0, .text($0.dropLast() + ".125Z")) }
        case .dateWithOffset: object.editDates { .tagged(0, .text($0.dropLast() + "+00:00")) }
        case .dateUntagged: object.editDates { .text($0) }
        default: break
        }
    }
}

extension CBORDraft {
    /// Edits every digest of `valueDigests`.
    fileprivate mutating func editDigests(_ edit: ([UInt8]) -> [UInt8]) {
        guard var nameSpaces = self["valueDigests"] else { return }
        for nameSpace in nameSpaces.members.indices {
            for entry in nameSpaces.members[nameSpace].value.members.indices {
                guard case .bytes(let digest) = nameSpaces.members[nameSpace].value.members[entry].value
                else { continue }
                nameSpaces.members[nameSpace].value.members[entry].value = .bytes(edit(digest))
            }
        }
        self["valueDigests"] = nameSpaces
    }

    /// Edits every date of `validityInfo`.
    fileprivate mutating func editDates(_ edit: (String) -> CBORDraft) {
        guard var info = self["validityInfo"] else { return }
        for index in info.members.indices {
            guard case .tagged(0, .text(let text)) = info.members[index].value else { continue }
            info.members[index].value = edit(text)
        }
        self["validityInfo"] = info
    }

    /// Decodes the device key, edits it, and writes it back.
    fileprivate mutating func editDeviceKey(_ edit: (inout CBORDraft) -> Void) {
        guard case .encoded(let bytes)? = self["deviceKeyInfo"]?["deviceKey"],
            let item = try? CBORItem.parse(bytes[...])
        else { return }
        var key = CBORDraft(item)
        edit(&key)
        self["deviceKeyInfo"]?["deviceKey"] = key
    }
}

// Faults of elements and items. Every item gets the fault, so that a response has it whichever items it
// returns.
extension IssuerFault {
    /// Applies the fault to the elements before anything is signed.
    func edit(_ document: inout TestDocument, issuedAt now: Timestamp) {
        switch self {
        case .countryDiffers: document["issuing_country"] = "XX"
        // The date is in the previous year, and therefore before `validFrom`, so that the missing tag is the
        // only fault.
        case .dateUntaggedInElement: document["issue_date"] = .text("\(now.dayInUTC.previousYear)")
        // `validFrom` is two days before `now`.
        case .issuedAfterValidFrom: document["issue_date"] = .fullDate("\(now.dayInUTC)")
        case .jurisdictionDiffers: document["issuing_jurisdiction"] = "UT-XX"
        default: break
        }
    }

    /// Applies the fault to IssuerSignedItemBytes before the digest is computed.
    func edit(item: inout CBORDraft) {
        switch self {
        case .keyTwiceInItem:
            item.content.members.append(CBORDraft.Member(key: "elementValue", value: "another"))
        case .indefiniteItem: item.content = .indefiniteMap(item.content.members)
        case .longerHeadInItem:
            if case .integer(let digestID)? = item.content["digestID"] {
                item.content["digestID"] = .wideUnsigned(UInt16(truncatingIfNeeded: digestID))
            }
        case .itemUntagged: item = item.content
        // The standard requires at least 16 bytes.
        case .shortRandom:
            if case .bytes(let random)? = item.content["random"] {
                item.content["random"] = .bytes(Array(random.prefix(12)))
            }
        default: break
        }
    }

    /// Applies the fault to an item after the issuer has signed, as if the phone had changed the item.
    func edit(issued item: inout CBORDraft) {
        switch self {
        case .valueChanged:
            guard case .text(let identifier)? = item.content["elementIdentifier"] else { return }
            guard identifier.hasPrefix("age_over_") || identifier.hasSuffix("_name") else { return }
            item.content["elementValue"] = item.content["elementValue"]?.otherValue
        case .portraitChanged:
            guard case .text("portrait")? = item.content["elementIdentifier"] else { return }
            item.content["elementValue"] = item.content["elementValue"]?.otherValue
        // The changed digest identifier belongs to another item or to none.
        case .wrongDigestID:
            if case .integer(let digestID)? = item.content["digestID"] {
                item.content["digestID"] = .integer(digestID ^ 1)
            }
        default: break
        }
    }
}

extension CBORDraft {
    /// A value of the same type that differs from this one. For a byte string, the last bit is flipped; for
    /// types without a rule here, the result is null.
    fileprivate var otherValue: CBORDraft {
        switch self {
        case .boolean(let value): .boolean(!value)
        case .text(let value): .text(value + "x")
        case .bytes(let value): .bytes(value.dropLast() + value.suffix(1).map { $0 ^ 1 })
        default: .null
        }
    }
}

extension FullDate {
    /// The first day of this month, a year earlier.
    fileprivate var previousYear: FullDate { FullDate(year: year - 1, month: month, day: 1) ?? self }
}

/// The parts of issuerAuth (ISO/IEC 18013-5 9.1.2.4) before the signature is made. A fault can change each
/// part.
struct IssuerAuthDraft {
    var protected: CBORDraft
    var unprotected: CBORDraft
    var payload: [UInt8]
    /// The payload that is signed instead of the sent payload. If this is nil, the sent payload is signed.
    var signedPayload: [UInt8]?
    var externalData: [UInt8] = []
    var signatureForm = SignatureForm.fixedWidth

    /// Creates a conforming draft: `alg` is protected, and the document signer's certificate is unprotected.
    init(payload: [UInt8], signer: [UInt8], curve: Curve) {
        // Header 1 is alg, and header 33 is x5chain (RFC 9360).
        let algorithm = COSEAlgorithm(signingWith: curve) ?? .es256
        protected = [1: .integer(algorithm.identifier)]
        unprotected = [33: .bytes(signer)]
        self.payload = payload
    }

    /// Makes the COSE_Sign1 array.
    func sign(with key: borrowing PrivateKey) throws(OpenSSLCryptoError) -> CBORDraft {
        guard let algorithm = key.curve.preferredSignatureAlgorithm else { throw .algorithmDoesNotFitKey }
        // An empty protected header is an empty byte string, not an encoded empty map (RFC 9052 3).
        let header = CBORDraft.bytes(protected.members.isEmpty ? [] : protected.encode())
        let message: CBORDraft = [
            "Signature1", header, .bytes(externalData), .bytes(signedPayload ?? payload),
        ]
        let signature = try key.sign([message.encode()[...]], algorithm: algorithm, form: signatureForm)
        return [header, unprotected, .bytes(payload), .bytes(signature)]
    }
}

/// An IssuerSignedItem (ISO/IEC 18013-5 8.3.2.1.2.2) before the issuer signs its digest.
struct IssuerSignedItemDraft {
    let nameSpace: String
    let identifier: String
    let value: CBORDraft
    let digestID: Int
    /// IssuerSignedItemBytes with its fault. The digest covers these bytes.
    private let draft: CBORDraft
    let encoded: [UInt8]

    /// Makes the item of an element, with the fault in it.
    init(_ element: TestDocument.Element, digestID: Int, random: [UInt8], fault: IssuerFault?) {
        nameSpace = element.nameSpace
        identifier = element.identifier
        value = element.value
        self.digestID = digestID
        var draft = CBORDraft.embedded([
            "digestID": .integer(Int64(digestID)),
            "random": .bytes(random),
            "elementIdentifier": .text(element.identifier),
            "elementValue": element.value,
        ])
        fault?.edit(item: &draft)
        self.draft = draft
        encoded = draft.encode()
    }

    /// Returns the item that the phone keeps: the signed item, or a changed item if the fault is a change
    /// after signing.
    func issued(with fault: IssuerFault?) -> IssuedDocument.Item {
        var changed = draft
        fault?.edit(issued: &changed)
        return IssuedDocument.Item(
            nameSpace: nameSpace, identifier: identifier, value: value, encoded: changed.encode())
    }
}
