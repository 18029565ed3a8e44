import COSE
import MdocModel
import MdocSession
import MdocTrust
import MdocVerification
import MdocWallet
import PKIX

/// Where a reader must catch a fault, and why; or that it is a departure without harm.
enum FaultExpectation {
    /// Verified by default, with these departures listed; refused under strict rules for them.
    case tolerated([Deviation])
    /// These checks fail for these reasons, and no other.
    case checks([CheckID: (CheckFailure) -> Bool])
    case response(ResponseFailure)
    /// The bytes are not this structure.
    case malformed(MdocStructure)
    /// There is no response: the session ends so, and this is sent last.
    case session((SessionEnd) -> Bool, terminationStatus: SessionStatus?)

    static func check(_ id: CheckID, _ failure: CheckFailure) -> FaultExpectation {
        .checks([id: { $0 == failure }])
    }

    static func certificate(_ error: IssuerCertificateError) -> FaultExpectation {
        .check(.issuerCertificate, .issuerCertificate(error))
    }

    static func signature(_ error: COSEError) -> FaultExpectation {
        .check(.issuerSignature, .cose(error))
    }

    /// issuerAuth that cannot be read at all.
    static func unreadableIssuerAuth(_ failure: CheckFailure) -> FaultExpectation {
        .checks([
            .issuerCertificate: { $0 == failure }, .issuerSignature: { $0 == failure },
            .mobileSecurityObject: { $0 == failure },
        ])
    }

    /// An issuerAuth without a certificate to read.
    static func unreadableCertificate(_ failure: CheckFailure) -> FaultExpectation {
        .checks([.issuerCertificate: { $0 == failure }, .issuerSignature: { $0 == failure }])
    }

    /// A signed MSO that cannot be read.
    static var unreadableMSO: FaultExpectation {
        .checks([
            .issuerSignature: \.isMobileSecurityObject, .mobileSecurityObject: \.isMobileSecurityObject,
        ])
    }

    static func device(_ failure: CheckFailure) -> FaultExpectation {
        .check(.deviceAuthentication, failure)
    }

    static var digestMismatch: FaultExpectation {
        .checks([
            .digests: { if case .digestMismatch = $0 { true } else { false } }
        ])
    }

    static var digestMissing: FaultExpectation {
        .checks([
            .digests: { if case .digestMissing = $0 { true } else { false } }
        ])
    }

    static var malformedSessionData: FaultExpectation {
        .session(
            {
                if case .failed(.malformed(.malformed(.sessionData, _))) = $0 { true } else { false }
            }, terminationStatus: .decodingError)
    }

    static var decryptionFailed: FaultExpectation {
        .session({ $0 == .failed(.decryptionFailed) }, terminationStatus: .encryptionError)
    }

    static func endedBy(_ status: SessionStatus) -> FaultExpectation {
        .session({ $0 == .status(status) }, terminationStatus: nil)
    }
}

extension CheckFailure {
    fileprivate var isMobileSecurityObject: Bool {
        if case .mobileSecurityObject = self { true } else { false }
    }
}

private let nameSpace = TestLicence.nameSpace
private let deviceElement = ElementName(nameSpace: "org.example.device", identifier: "now")

extension IssuerFault {
    /// What a reader makes of every fault; one without an expectation stops the tests.
    var expectation: FaultExpectation {
        switch self {
        case .keyTwiceInItem, .itemUntagged: .malformed(.issuerSignedItem)
        case .indefiniteItem: .tolerated([.indefiniteItem])
        case .indefiniteMSO: .tolerated([.indefiniteMSO])
        case .longerHeadInItem: .tolerated([.longerHeadInItem])
        case .longerHeadInMSO: .tolerated([.longerHeadInMSO])
        case .shortRandom: .tolerated([.shortRandom])
        case .dateUntaggedInElement: .tolerated([.dateFormInElement])
        case .issuedAfterValidFrom: .tolerated([.issuedAfterValidFrom])
        case .jurisdictionDiffers: .tolerated([.jurisdiction])
        case .countryDiffers: .check(.issuingCountry, .issuingCountryMismatch)
        case .valueChanged, .digestFlipped, .digestTruncated, .digestAlgorithmOfOtherLength: .digestMismatch
        case .portraitChanged:
            .check(.digests, .digestMismatch(ElementName(nameSpace: nameSpace, identifier: "portrait")))
        case .wrongDigestID: .digestMismatch
        case .digestAlgorithmUnknown: .check(.digests, .digestAlgorithmUnknown)
        case .nameSpaceAbsent: .digestMissing
        case .versionTwo: .check(.mobileSecurityObject, .mobileSecurityObjectVersion)
        case .otherDocType: .check(.mobileSecurityObject, .docTypeMismatch)
        case .notYetValid: .check(.validity, .notYetValid)
        case .expired: .check(.validity, .expired)
        case .validBeforeSigned, .validUntilBeforeFrom: .check(.validity, .validityContradictory)
        case .signedBeforeCertificate: .checks([.validity: { $0.reason == .signedBeforeCertificate }])
        case .signedAfterCertificate: .checks([.validity: { $0.reason == .signedAfterCertificate }])
        case .noValidity, .noDeviceKey, .bytesAfterMSO, .msoUntagged, .dateIsNone, .privateDeviceKey:
            .unreadableMSO
        case .dateWithFraction, .dateUntagged, .dateWithOffset: .tolerated([.dateFormInMSO])
        case .deviceKeyOffCurve: .device(.cose(.keyNotUsable))
        case .otherElementAuthorized, .otherNameSpaceAuthorized:
            .check(.keyAuthorizations, .elementNotAuthorized(deviceElement))
        case .authorizationsContradictory: .check(.keyAuthorizations, .keyAuthorizationsContradictory)
        default: issuerAuthExpectation
        }
    }

    private var issuerAuthExpectation: FaultExpectation {
        switch self {
        case .signatureFlipped, .msoSwapped, .externalData: .signature(.signatureInvalid)
        case .algorithmMissing, .algorithmUnprotected: .signature(.algorithmMissing)
        case .algorithmIsHMAC: .signature(.algorithmNotAllowed(5))
        case .algorithmOfOtherCurve: .signature(.algorithmNotAllowed(-36))
        case .algorithmFullySpecified: .tolerated([.issuerAlgorithmFullySpecified])
        case .algorithmInBothHeaders: .unreadableIssuerAuth(.cose(.labelInBothHeaders(1)))
        case .criticalHeader: .unreadableIssuerAuth(.cose(.criticalHeaderNotUnderstood))
        case .certificateMissing, .certificateListEmpty, .certificateAsText:
            .unreadableCertificate(.cose(.certificateChainMalformed))
        case .certificateIsGarbage:
            .checks([
                .issuerCertificate: \.isMalformedCertificate, .issuerSignature: \.isMalformedCertificate,
            ])
        case .certificateProtected: .tolerated([.x5chainProtected])
        case .rootInCertificateList: .tolerated([.x5chainWithOtherCertificates])
        case .signatureAsDER, .signatureEmpty: .signature(.signatureMalformed)
        case .signatureZero: .signature(.signatureInvalid)
        case .fiveElements: .unreadableIssuerAuth(.cose(.malformed(.sign1)))
        case .tagged: .tolerated([.issuerAuthTagged])
        case .payloadDetached:
            .checks([
                .issuerSignature: { $0 == .cose(.payloadMisplaced) },
                .mobileSecurityObject: { $0 == .cose(.payloadMisplaced) },
            ])
        default: certificateExpectation
        }
    }

    private var certificateExpectation: FaultExpectation {
        switch self {
        case .rogueAuthority: .certificate(.signatureInvalid)
        case .otherIssuerName: .certificate(.issuerNameMismatch)
        case .authorityKeyIdentifierDiffers, .authorityKeyIdentifierMissing:
            .certificate(.authorityKeyIdentifierMismatch)
        case .subjectKeyIdentifierMissing: .tolerated([.dsSubjectKeyIdentifierMissing])
        case .readerKeyUsage, .extendedKeyUsageMissing: .certificate(.extendedKeyUsageWrong)
        case .extendedKeyUsageNotCritical: .tolerated([.dsExtendedKeyUsageNotCritical])
        case .furtherExtendedKeyUsage: .tolerated([.dsFurtherExtendedKeyUsage])
        case .noDigitalSignature, .keyUsageMissing: .certificate(.keyUsageWrong)
        case .keyUsageNotCritical: .tolerated([.dsKeyUsageNotCritical])
        case .furtherKeyUsage: .tolerated([.dsFurtherKeyUsage])
        case .signerIsAuthority, .signerMaySignCertificates: .certificate(.isCertificateAuthority)
        case .unknownCriticalExtension:
            .certificate(.unknownCriticalExtension(ObjectIdentifier("1.3.6.1.4.1.32473.1")))
        case .nameConstraints: .certificate(.forbiddenExtension(.nameConstraints))
        case .otherCountry: .certificate(.countryMismatch)
        case .countryMissing: .certificate(.countryMissing)
        case .subjectKeyIdentifierNoDigest: .tolerated([.dsSubjectKeyIdentifierDigest])
        case .shortSerialNumber: .tolerated([.dsSerialNumber])
        case .otherState: .tolerated([.dsState])
        case .commonNameMissing: .tolerated([.dsCommonNameMissing])
        case .issuerContactMissing: .tolerated([.dsIssuerAlternativeName])
        case .distributionPointMissing, .distributionPointByName: .tolerated([.dsDistributionPoint])
        case .longValidity: .tolerated([.dsLongValidity])
        case .certificateExpired: .certificate(.expired)
        case .certificateNotYetValid:
            .checks([
                .issuerCertificate: { $0 == .issuerCertificate(.notYetValid) },
                .validity: { $0.reason == .signedBeforeCertificate },
            ])
        case .rootExpired: .certificate(.anchorOutsideValidity)
        case .rootWithoutCountry: .tolerated([.anchorCountryMissing])
        default: preconditionFailure("no expectation for \(rawValue)")
        }
    }
}

extension CheckFailure {
    fileprivate var isMalformedCertificate: Bool {
        if case .issuerCertificate(.malformed) = self { true } else { false }
    }
}

extension HolderFault {
    var expectation: FaultExpectation {
        switch self {
        case .truncated, .empty, .notAMap, .hugeLength, .nameSpaceTwice: .malformed(.deviceResponse)
        case .versionTwo, .noVersion: .response(.version)
        case .noStatus: .response(.statusMissing)
        case .errorStatus: .response(.statusNotOK)
        case .noDocuments: .response(.noDocuments)
        case .noIssuerAuth: .unreadableIssuerAuth(.issuerAuthMissing)
        case .unrequestedDocType: .check(.requestMatch, .docTypeNotRequested)
        case .documentTwice: .check(.requestMatch, .documentTwice)
        case .unrequestedElement: .tolerated([.unrequestedElement])
        case .elementTwice:
            .check(.requestMatch, .elementTwice(ElementName(nameSpace: nameSpace, identifier: "family_name")))
        case .ageNotNearest:
            .check(
                .requestMatch, .ageNotNearest(ElementName(nameSpace: nameSpace, identifier: "age_over_65")))
        case .noPortrait: .tolerated([.portraitMissing])
        case .otherNameSpace: .digestMissing
        case .otherHandover, .otherSession, .otherDocType, .otherKey, .signatureFlipped, .macFlipped:
            .device(.cose(.signatureInvalid))
        case .shortMAC: .device(.cose(.algorithmNotAllowed(4)))
        case .signatureAndMAC: .device(.deviceAuthTwice)
        case .noDeviceAuth: .device(.deviceAuthMissing)
        case .noNameSpaces: .device(.deviceNameSpacesMissing)
        case .algorithmOfOtherCurve: .device(.cose(.algorithmNotAllowed(-35)))
        case .algorithmFullySpecified: .tolerated([.deviceAlgorithmFullySpecified])
        case .tagged: .tolerated([.deviceAuthTagged])
        case .nullMember: .tolerated([.nullMember])
        case .issuerElementAsserted:
            .check(.requestMatch, .elementTwice(ElementName(nameSpace: nameSpace, identifier: "age_over_21")))
        case .unrequestedDeviceElement: .check(.requestMatch, .elementNotRequested(deviceElement))
        }
    }
}

extension SessionFault {
    var expectation: FaultExpectation {
        switch self {
        case .tagFlipped, .counterTwo: .decryptionFailed
        case .emptyMap, .trailingBytes, .dataTwice, .notAMap: .malformedSessionData
        case .encryptionError: .endedBy(.encryptionError)
        case .decodingError: .endedBy(.decodingError)
        case .termination: .endedBy(.termination)
        case .dataWithEncryptionError: .endedBy(.encryptionError)
        case .dataWithDecodingError: .endedBy(.decodingError)
        case .dataWithUnknownStatus: .endedBy(SessionStatus(rawValue: 99))
        }
    }
}
