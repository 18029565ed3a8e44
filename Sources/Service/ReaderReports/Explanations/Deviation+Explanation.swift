package import MdocModel

extension Deviation {
    /// What is departed from, in plain words.
    package var meaning: String {
        switch self {
        case .indefiniteItem: "an element is encoded with indefinite length"
        case .indefiniteMSO: "the MSO is encoded with indefinite length"
        case .longerHeadInItem: "an element is encoded in more bytes than needed"
        case .longerHeadInMSO: "the MSO is encoded in more bytes than needed"
        case .nullMember: "a member that may be absent is there as null or undefined"
        case .issuerAuthTagged: "issuerAuth carries a tag"
        case .x5chainProtected: "the issuer's certificate stands in the protected header"
        case .issuerAlgorithmFullySpecified: "issuerAuth names its algorithm by a newer identifier"
        case .x5chainWithOtherCertificates: "x5chain holds more than the document signer's certificate"
        case .dateFormInMSO: "a date of the MSO has another form than asked for"
        case .dateFormInElement: "issue_date or expiry_date has another form than asked for"
        case .issuedAfterValidFrom: "issue_date lies after the MSO's validFrom"
        case .shortRandom: "an element's random is shorter than 16 bytes"
        case .jurisdiction: "issuing_jurisdiction differs from the document signer's state"
        case .deviceAuthTagged: "the device signature or MAC carries a tag"
        case .deviceAlgorithmFullySpecified: "the device signature names its algorithm by a newer identifier"
        case .unrequestedElement: "an element came that nobody asked for; it is not handed out"
        case .portraitMissing: "the portrait was asked for and did not come, while others did"
        case .dsState: "the document signer's state differs from its root's"
        case .dsExtendedKeyUsageNotCritical: "the document signer's extended key usage is not critical"
        case .dsFurtherExtendedKeyUsage: "the document signer has further extended key usages"
        case .dsKeyUsageNotCritical: "the document signer's key usage is not critical"
        case .dsFurtherKeyUsage: "the document signer has further key usages"
        case .dsLongValidity: "the document signer's certificate is valid for more than 457 days"
        case .dsAuthorityKeyIdentifierMissing:
            "the document signer's certificate has no authority key identifier"
        case .dsSubjectKeyIdentifierMissing: "the document signer's certificate has no subject key identifier"
        case .dsCommonNameMissing: "the document signer has no common name"
        case .dsSerialNumber: "the document signer's serial number has fewer than 8 octets"
        case .dsSignatureAlgorithm: "the document signer's certificate is not signed with ECDSA"
        case .dsPublicKey: "the document signer's key is compressed"
        case .dsCountryForm: "the document signer's country is not two capital letters"
        case .dsSubjectKeyIdentifierDigest:
            "the document signer's subject key identifier is not its key's SHA-1"
        case .dsIssuerAlternativeName:
            "the document signer's certificate names no address or URI of its issuer"
        case .dsDistributionPoint:
            "the document signer's CRL distribution points are missing or no plain URIs"
        case .anchorCountryMissing: "the root has no country to compare with"
        }
    }
}
