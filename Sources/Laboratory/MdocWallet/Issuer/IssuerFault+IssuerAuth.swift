internal import OpenSSLCrypto

// Faults of issuerAuth: in its headers, in what is signed, and in the signature itself.
extension IssuerFault {
    /// Before the signature is made.
    func edit(
        _ draft: inout IssuerAuthDraft, mobileSecurityObject object: CBORDraft, signer: [UInt8], root: [UInt8]
    ) {
        edit(algorithmOf: &draft)
        edit(certificatesOf: &draft, signer: signer, root: root)
        switch self {
        case .criticalHeader:
            draft.protected[2] = [-70_000]
            draft.protected[-70_000] = 0
        case .externalData: draft.externalData = [1]
        case .signatureAsDER: draft.signatureForm = .der
        case .msoUntagged: draft.payload = object.encode()
        case .msoSwapped:
            var other = object
            other["validityInfo"]?["expectedUpdate"] = object["validityInfo"]?["validUntil"]
            draft.signedPayload = CBORDraft.embedded(other).encode()
        default: break
        }
    }

    private func edit(algorithmOf draft: inout IssuerAuthDraft) {
        switch self {
        case .algorithmMissing: draft.protected = [:]
        case .algorithmUnprotected:
            draft.unprotected[1] = draft.protected[1]
            draft.protected = [:]
        case .algorithmIsHMAC: draft.protected[1] = 5
        case .algorithmOfOtherCurve: draft.protected[1] = -36
        case .algorithmFullySpecified: draft.protected[1] = -9
        case .algorithmInBothHeaders: draft.unprotected[1] = draft.protected[1]
        default: break
        }
    }

    private func edit(certificatesOf draft: inout IssuerAuthDraft, signer: [UInt8], root: [UInt8]) {
        switch self {
        case .certificateMissing: draft.unprotected = [:]
        case .certificateListEmpty: draft.unprotected[33] = []
        case .certificateProtected:
            draft.protected[33] = draft.unprotected[33]
            draft.unprotected = [:]
        case .certificateIsGarbage: draft.unprotected[33] = .bytes([0x30, 0x03, 0x61, 0x62, 0x63])
        case .certificateAsText: draft.unprotected[33] = "MIIB"
        case .rootInCertificateList: draft.unprotected[33] = [.bytes(signer), .bytes(root)]
        default: break
        }
    }

    /// After the signature is made: the COSE_Sign1.
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
    fileprivate mutating func editSignature(_ edit: ([UInt8]) -> [UInt8]) {
        guard case .bytes(let signature)? = items.last else { return }
        items[items.count - 1] = .bytes(edit(signature))
    }
}
