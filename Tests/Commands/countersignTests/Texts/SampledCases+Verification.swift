import CBOR
import COSE
import MdocModel
import MdocTrust
import OpenSSLCrypto
import PKIX
import RequestPlanner
import WalletPresentation

@testable import MdocVerification

extension UserFacingTexts {
    static let verification: [TextGroup] = [
        TextGroup(IssuerCertificateError.samples, .mdoc) { $0.explanation },
        TextGroup(RevokedCause.allCases, .mdoc, ids: .word, id: { $0.rawValue }) { $0.explanation },
        TextGroup(UndeterminedCause.samples, .mdoc, ids: .word, id: { $0.id }) { $0.explanation },
        TextGroup(CheckID.allCases, .mdoc, ids: .word, id: { $0.rawValue }) { $0.meaning },
        TextGroup(CheckReport.Outcome.samples, .mdoc, named: "CheckReport") {
            CheckReport(id: .digests, outcome: $0).explanation
        },
        TextGroup(CheckFailure.samples, .mdoc) { $0.explanation },
        TextGroup(ResponseFailure.allCases, .mdoc, id: { $0.rawValue }) { $0.explanation(status: 10) },
        TextGroup([0, 10, 11, 12, 99].map(DeviceResponseStatus.init(rawValue:)), .mdoc) { $0.explanation },
        TextGroup(TranscriptKind.samples, .mdoc, form: .free) { $0.explanation },
        TextGroup(NotReturned.samples, .mdoc) { $0.explanation },
        TextGroup(AgeAnswer.samples, .mdoc) { $0.reason },
        TextGroup(DrivingAnswer.samples, .mdoc) { $0.reason },
        TextGroup(InDateAnswer.samples, .mdoc) { $0.reason },
        TextGroup(RequestPlannerError.samples, .mdoc) { $0.explanation },
        TextGroup(RequestRule.allCases, .mdoc, id: { $0.rawValue }) { $0.meaning },
        TextGroup(WalletPresentationError.samples, .mdoc, id: { $0.id }) { $0.explanation },
        TextGroup(NonceRefusal.allCases, .mdoc, hasAdvice: true, id: { $0.rawValue }) { $0.explanation },
        TextGroup(ChannelFailure.allCases, .mdoc, id: { $0.rawValue }) { $0.explanation },
        TextGroup(MockSign.allCases, .mdoc, id: { $0.rawValue }) { $0.explanation },
    ]
}

private let familyName = ElementName(nameSpace: "org.iso.18013.5.1", identifier: "family_name")
private let portrait = ElementName(nameSpace: "org.iso.18013.5.1", identifier: "portrait")

extension IssuerCertificateError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .malformed(.truncated(at: 7))
        case .malformed?: .keyNotUsable(.unsupportedKey)
        case .keyNotUsable?: .encodingIrregular(.serialNumberNotPositive)
        case .encodingIrregular?: .anchorNotFound(issuer: Received.name)
        case .anchorNotFound?: .authorityKeyIdentifierMismatch
        case .authorityKeyIdentifierMismatch?: .issuerNameMismatch
        case .issuerNameMismatch?: .signatureInvalid
        case .signatureInvalid?: .notYetValid
        case .notYetValid?: .expired
        case .expired?: .anchorOutsideValidity
        case .anchorOutsideValidity?: .docTypeNotTrusted(Received.type)
        case .docTypeNotTrusted?: .isCertificateAuthority
        case .isCertificateAuthority?: .keyUsageWrong
        case .keyUsageWrong?: .extendedKeyUsageWrong
        case .extendedKeyUsageWrong?: .countryMissing
        case .countryMissing?: .countryMismatch
        case .countryMismatch?: .unknownCriticalExtension(ObjectIdentifier("2.5.29.30"))
        case .unknownCriticalExtension?: .forbiddenExtension(ObjectIdentifier("2.5.29.30"))
        case .forbiddenExtension?: nil
        }
    }
}

extension TranscriptKind: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .qr
        case .qr?: .staticHandover
        case .staticHandover?: .negotiatedHandover
        case .negotiatedHandover?: .version2Handover
        case .version2Handover?: .app
        case .app?: .annexC
        case .annexC?: .openID4VP
        case .openID4VP?: .openID4VPOverDCAPI
        case .openID4VPOverDCAPI?: .annexB
        case .annexB?: .unknown(handover: Received.type)
        case .unknown(_?)?: .unknown(handover: nil)
        case .unknown(nil)?: nil
        }
    }
}

extension UndeterminedCause: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .notChecked
        case .notChecked?: .nothingPublished
        case .nothingPublished?: .referenceUnreadable
        case .referenceUnreadable?: .listAbsent
        case .listAbsent?: .listStale(overdueSeconds: 90_000)
        case .listStale?: .listNotYetValid
        case .listNotYetValid?: .listMalformed
        case .listMalformed?: .listSignerWrong
        case .listSignerWrong?: .listSignerInvalid
        case .listSignerInvalid?: .listSubjectWrong
        case .listSubjectWrong?: .indexOutOfRange
        case .indexOutOfRange?: .statusNotDefined
        case .statusNotDefined?: .trustListOverdue(seconds: 90_000)
        case .trustListOverdue?: nil
        }
    }
}

extension CheckReport.Outcome: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .passed
        case .passed?: .failed(.digestMissing(familyName))
        case .failed?: .undetermined(.readerKeyNeeded(.ephemeral))
        case .undetermined?: .skipped
        case .skipped?: nil
        }
    }
}

extension CheckFailure: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .issuerCertificate(.expired)
        case .issuerCertificate?: .issuerAuthMissing
        case .issuerAuthMissing?: .cose(.signatureInvalid)
        case .cose?: .mobileSecurityObject(.notADate(at: 7))
        case .mobileSecurityObject?: .mobileSecurityObjectVersion
        case .mobileSecurityObjectVersion?: .docTypeMismatch
        case .docTypeMismatch?: .digestAlgorithmUnknown
        case .digestAlgorithmUnknown?: .digestMissing(familyName)
        case .digestMissing?: .digestMismatch(familyName)
        case .digestMismatch?:
            .signedOutsideCertificateValidity(
                signed: Timestamp(secondsSince1970: 1_793_533_800),
                from: Timestamp(secondsSince1970: 1_793_534_400),
                until: Timestamp(secondsSince1970: 1_793_634_400))
        case .signedOutsideCertificateValidity?: .validityContradictory
        case .validityContradictory?: .notYetValid
        case .notYetValid?: .expired
        case .expired?: .issuingCountryMismatch
        case .issuingCountryMismatch?: .revoked(.documentRevoked)
        case .revoked?: .revocationUndetermined(.listAbsent, .document)
        case .revocationUndetermined?: .deviceNameSpacesMissing
        case .deviceNameSpacesMissing?: .deviceAuthMissing
        case .deviceAuthMissing?: .deviceAuthTwice
        case .deviceAuthTwice?: .devicePayloadAttached
        case .devicePayloadAttached?: .readerKeyNeeded(.ephemeral)
        case .readerKeyNeeded(.ephemeral)?: .readerKeyNeeded(.encryption)
        case .readerKeyNeeded(.encryption)?: .signatureNeeded(.annexC)
        case .signatureNeeded?: .readerKeyOnOtherCurve
        case .readerKeyOnOtherCurve?: .keyAuthorizationsContradictory
        case .keyAuthorizationsContradictory?: .elementNotAuthorized(familyName)
        case .elementNotAuthorized?: .docTypeNotRequested
        case .docTypeNotRequested?: .documentTwice
        case .documentTwice?: .elementNotRequested(familyName)
        case .elementNotRequested?: .elementTwice(familyName)
        case .elementTwice?: .ageNotNearest(familyName)
        case .ageNotNearest?: .deviations([.dsState, .shortRandom])
        case .deviations?: nil
        }
    }
}

extension NotReturned: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .document(docType: Received.type, code: 0)
        case .document?: .element(docType: Received.type, portrait, code: nil)
        case .element?: nil
        }
    }
}

extension AgeAnswer: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .yes(by: familyName)
        case .yes?: .no(by: portrait)
        case .no?: .cannotTell(.noAttestation)
        case .cannotTell(.noAttestation)?: .cannotTell(.noneApplies)
        case .cannotTell(.noneApplies)?: .cannotTell(.contradictory)
        case .cannotTell(.contradictory)?: .cannotTell(.asOfIssue)
        case .cannotTell(.asOfIssue)?:
            .cannotTell(.wrongType(familyName, WrongType(expected: .boolean, found: .text)))
        case .cannotTell(.wrongType)?: .cannotTell(.implausible(familyName))
        case .cannotTell(.implausible)?: .cannotTell(.approximate(familyName))
        case .cannotTell(.approximate)?: .cannotTell(.elsewhere(familyName))
        case .cannotTell(.elsewhere)?: nil
        }
    }
}

extension DrivingAnswer: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        let day = Timestamp(secondsSince1970: 1_793_534_400).dayInUTC
        return switch previous {
        case nil: .yes(until: day, restrictions: [])
        case .yes?: .no(.notGranted)
        case .no(.notGranted)?: .no(.notYet(from: day))
        case .no(.notYet)?: .no(.expired(on: day))
        case .no(.expired)?: .no(.documentExpired(on: day))
        case .no(.documentExpired)?: .cannotTell(.notReturned)
        case .cannotTell(.notReturned)?: .cannotTell(.malformed)
        case .cannotTell(.malformed)?: .cannotTell(.expiryDateNotReturned)
        case .cannotTell(.expiryDateNotReturned)?: nil
        }
    }
}

extension InDateAnswer: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        let day = Timestamp(secondsSince1970: 1_793_534_400).dayInUTC
        return switch previous {
        case nil: .yes(until: day)
        case .yes?: .no(expiredOn: day)
        case .no?: .cannotTell(.notReturned)
        case .cannotTell(.notReturned)?: .cannotTell(.malformed)
        case .cannotTell(.malformed)?: nil
        }
    }
}

extension RequestPlannerError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .textTooLong(limit: 1024)
        case .textTooLong?: .notUnderstood(Received.type)
        case .notUnderstood?: .nothingAsked
        case .nothingAsked?: .claimTwice(.name)
        case .claimTwice?: .requiredNotAsked(.expiry)
        case .requiredNotAsked?: .documentTwice(docType: Received.type)
        case .documentTwice?: .ageOutOfRange(100)
        case .ageOutOfRange?: .overAsking(.attestationAnswersAge, .birthDate)
        case .overAsking?: .documentLacks(.nationality, docType: Received.type)
        case .documentLacks?: nil
        }
    }
}

extension WalletPresentationError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .malformed(.envelope, .truncated(at: 7))
        case .malformed?: .sizeWrong(.plaintext)
        case .sizeWrong?: .notBase64URL(.encryptedResponse)
        case .notBase64URL?: .algorithmUnknown
        case .algorithmUnknown?: .modeUnknown(2)
        case .modeUnknown?: .response(.malformed(.deviceResponse, .truncated(at: 7)))
        case .response?: .recipientKeyUnknown
        case .recipientKeyUnknown?: .merchantOther
        case .merchantOther?: .teamOther
        case .teamOther?: .infoHashWrong
        case .infoHashWrong?: .originOther
        case .originOther?: .encryptionInfoReencoded
        case .encryptionInfoReencoded?: .nonceOther
        case .nonceOther?: .encapsulatedKeyInvalid
        case .encapsulatedKeyInvalid?: .notOpened
        case .notOpened?: .identifierMalformed
        case .identifierMalformed?: .originMalformed
        case .originMalformed?: .nonceSizeWrong
        case .nonceSizeWrong?: .recipientKeyUnusable
        case .recipientKeyUnusable?: .computationFailed
        case .computationFailed?: nil
        }
    }
}
