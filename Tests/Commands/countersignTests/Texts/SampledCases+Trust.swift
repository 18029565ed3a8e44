import CBOR
import COSE
import MdocModel
import PKIX

@testable import MdocTrust

extension UserFacingTexts {
    static let trust: [TextGroup] = [
        TextGroup(TrustCondition.samples, .mdoc, id: { $0.id }) { $0.explanation },
        TextGroup(AdmissionRefusal.samples, .mdoc, id: { $0.id }) { $0.explanation },
        TextGroup(VICALError.samples, .mdoc, id: { TrustCondition.vicalRefused($0).id }) {
            $0.explanation
        },
        TextGroup(VICALFinding.samples, .mdoc, id: { TrustCondition.vical($0).id }) { $0.explanation },
        TextGroup(RICALError.samples, .mdoc) { $0.explanation },
        TextGroup(CertificatePathError.samples, .mdoc) { $0.explanation },
        TextGroup(
            StatusTokenError.samples, .mdoc, id: { TrustCondition.statusListUnreadable($0).id }
        ) { $0.explanation },
        TextGroup(TrustBundleError.samples, .mdoc, id: { $0.id }) { $0.explanation },
    ]
}

extension TrustCondition: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .certificateUnreadable(.truncated(at: 7))
        case .certificateUnreadable?: .notACertificateAuthority(subject: Received.name)
        case .notACertificateAuthority?:
            .selfIssuedWithoutAuthority(subject: Received.name, hasBasicConstraints: false)
        case .selfIssuedWithoutAuthority?: .keyNotUsable(subject: Received.name)
        case .keyNotUsable?: .anchorKeyUsage(subject: Received.name)
        case .anchorKeyUsage?: .anchorNameConstraints(subject: Received.name)
        case .anchorNameConstraints?:
            .anchorUnknownExtension(subject: Received.name, ObjectIdentifier("1.2.3.4"))
        case .anchorUnknownExtension?: .linkCertificate(subject: Received.name)
        case .linkCertificate?: .selfSignatureInvalid(subject: Received.name)
        case .selfSignatureInvalid?:
            .anchorTwice(
                subject: Received.name, other: TrustSource.Identity(kind: .anchor, name: Received.path))
        case .anchorTwice?: .anchorProfile(subject: Received.name, [ProfileFinding(.keyUsage)])
        case .anchorProfile?: .anchorNotYetValid(subject: Received.name)
        case .anchorNotYetValid?: .anchorExpired(subject: Received.name)
        case .anchorExpired?: .anchorExpiresSoon(subject: Received.name, days: 30)
        case .anchorExpiresSoon?: .vicalRefused(.expired)
        case .vicalRefused?: .vical(.listEmpty)
        case .vical?: .vicalSigner([ProfileFinding(.keyUsageTrailingZeros)])
        case .vicalSigner?: .vicalWithoutNextUpdate
        case .vicalWithoutNextUpdate?: .revocationListUnreadable(.indirectCRL)
        case .revocationListUnreadable?: .revocationListIncomplete(.deltaCRL)
        case .revocationListIncomplete?: .revocationListIssuerUnknown(issuer: Received.name)
        case .revocationListIssuerUnknown?: .revocationListSignatureInvalid(issuer: Received.name)
        case .revocationListSignatureInvalid?: .statusListUnreadable(.typeWrong)
        case .statusListUnreadable?: .statusListSignerUnknown
        case .statusListSignerUnknown?: .statusListSubjectWrong
        case .statusListSubjectWrong?: .statusListIncomplete(.identifierUnreadable)
        case .statusListIncomplete?: .listNotYetValid
        case .listNotYetValid?: .listStale(overdueSeconds: 90_000)
        case .listStale?: nil
        }
    }
}

extension AdmissionRefusal: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .unusable(.listNotYetValid)
        case .unusable?:
            .older(
                ListIssueName(number: "89782", date: Timestamp(secondsSince1970: 1_754_352_000)),
                than: ListIssueName(number: "616575", date: Timestamp(secondsSince1970: 1_727_136_000)))
        case .older?: .otherIssuer
        case .otherIssuer?: .shrunken(from: 10, to: 7)
        case .shrunken?: .tooManyIncomplete(16)
        case .tooManyIncomplete?: nil
        }
    }
}

extension VICALError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .malformed(.truncated(at: 7))
        case .malformed?: .cose(.signatureInvalid)
        case .cose?: .dateMalformed(.notADate(at: 7))
        case .dateMalformed?: .versionUnknown
        case .versionUnknown?: .signerMalformed(.truncated(at: 7))
        case .signerMalformed?: .signerNotTrusted(.issuerNotFound(issuer: Received.name))
        case .signerNotTrusted?: .signerProfile([ProfileFinding(.keyUsage)])
        case .signerProfile?: .signerRevoked
        case .signerRevoked?: .notYetValid
        case .notYetValid?: .expired
        case .expired?: nil
        }
    }
}

extension RICALError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .malformed(.truncated(at: 7))
        case .malformed?: .cose(.signatureInvalid)
        case .cose?: .dateMalformed(.notADate(at: 7))
        case .dateMalformed?: .versionUnknown
        case .versionUnknown?: .signerNotProtected
        case .signerNotProtected?: .signerMalformed(.truncated(at: 7))
        case .signerMalformed?: .signerNotTrusted(.issuerNotFound(issuer: Received.name))
        case .signerNotTrusted?: .typeUnknown(Received.name)
        case .typeUnknown?: .notYetValid
        case .notYetValid?: .expired
        case .expired?: .empty
        case .empty?: nil
        }
    }
}

extension VICALFinding: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .listEmpty
        case .listEmpty?: .entryLeftOut(index: 3, .notAMap)
        case .entryLeftOut(_, .notAMap)?: .entryLeftOut(index: 3, .certificateMissing)
        case .entryLeftOut(_, .certificateMissing)?: .entryLeftOut(index: 3, .certificateWrongType)
        case .entryLeftOut(_, .certificateWrongType)?:
            .entryLeftOut(index: 3, .certificateUnreadable(.truncated(at: 7)))
        case .entryLeftOut?: .memberWrong(.serialNumber, .wrongType, index: 3, subject: Received.name)
        case .memberWrong(.serialNumber, _, _, _)?:
            .memberWrong(.ski, .differs, index: 3, subject: Received.name)
        case .memberWrong(.ski, _, _, _)?:
            .memberWrong(.docType, .twice, index: 3, subject: Received.name)
        case .memberWrong?: .withoutDocTypes(subject: Received.name)
        case .withoutDocTypes?: .entryTwice(subject: Received.name)
        case .entryTwice?: nil
        }
    }
}

extension CertificatePathError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .empty
        case .empty?: .tooLong
        case .tooLong?: .issuerNotFound(issuer: Received.name)
        case .issuerNotFound?: .signatureInvalid
        case .signatureInvalid?: .outsideValidity(subject: Received.name)
        case .outsideValidity?: .notAnAuthority(subject: Received.name)
        case .notAnAuthority?: nil
        }
    }
}

extension StatusTokenError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .malformed(.truncated(at: 7))
        case .malformed?: .text(.jwt)
        case .text(.jwt)?: .text(.markup)
        case .text?: .cose(.signatureInvalid)
        case .cose?: .typeWrong
        case .typeWrong?: .claimMissing(6)
        case .claimMissing?: .claimUnreadable(65_534, .outOfRange(at: 7))
        case .claimUnreadable?: .claimMisplaced(65_533)
        case .claimMisplaced?: .identifierUnreadable
        case .identifierUnreadable?: .bitsWrong(3)
        case .bitsWrong?: .listNotCompressed
        case .listNotCompressed?: .listTooLong
        case .listTooLong?: nil
        }
    }
}

extension TrustBundleError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .malformed(.truncated(at: 7))
        case .malformed?: .cose(.signatureInvalid)
        case .cose?: .typeWrong
        case .typeWrong?: .older
        case .older?: .notYetValid
        case .notYetValid?: .snapshotDiffers
        case .snapshotDiffers?: nil
        }
    }
}
