import CommandBench
import FieldTrace
import Foundation
import JSON
import MdocModel
import MdocSession
import OpenSSLCrypto
import PKIX
import ReaderIdentityStore
import ReaderService
import ReaderTokens
import Reports
import Transport
import TrustFetch

@testable import MdocTrust
@testable import ReaderStore

extension UserFacingTexts {
    static let service: [TextGroup] = [
        TextGroup(
            PresentationFailure.samples, .service, ids: .wordOrGrouped,
            id: { UserFacingTexts.report(on: $0).id }
        ) { UserFacingTexts.report(on: $0).text },
        TextGroup(
            [SessionStatus.encryptionError, .decodingError, .termination, SessionStatus(rawValue: 99)],
            .service,
            named: "TransactionError", id: { TransactionError($0).id }
        ) { TransactionError($0).detail },
        TextGroup(PresentationNote.samples, .service, id: { $0.id.rawValue }) { $0.explanation },
        TextGroup(OutcomeReason.allCases, .service, ids: .wordOrGrouped, id: { $0.rawValue }) {
            $0.explanation
        },
        TextGroup(ReaderStoreError.samples, .service, id: { $0.id }) { $0.explanation },
        TextGroup(ReceiptChainFault.samples, .service, id: { $0.id }) { $0.explanation },
        TextGroup(IdentityStoreError.samples, .service, id: { $0.id }) { $0.explanation },
        TextGroup(RulesFault.samples, .service) {
            IdentityStoreError.rulesMalformed(line: 3, $0).explanation
        },
        TextGroup(UserFacingTexts.profileRules, .service, named: "ProfileRule") {
            $0.line.trimmingCharacters(in: .whitespaces)
        },
        TextGroup(ReaderTokensError.samples, .service, id: { $0.id }) { $0.explanation },
        TextGroup(BrandRegistryError.samples, .service) { $0.explanation },
        TextGroup(BrandFault.samples, .service) { BrandRegistryError.refused($0).explanation },
        TextGroup(LogoFault.samples, .service) { BrandRegistryError.logo($0).explanation },
        TextGroup(TrustFetchError.samples, .service, ids: .word, id: { $0.id }) { $0.explanation },
        TextGroup(LocationFault.samples, .service, ids: .word, id: { $0.rawValue }) { $0.explanation },
        TextGroup(FieldTraceError.samples, .service) { $0.explanation },
        TextGroup(NextStep.allCases, .service, ids: .word, id: { $0.rawValue }) { $0.text },
    ]

    /// The report on a presentation without an answer; where the reader is missing, what to do about that.
    private static func report(on failure: PresentationFailure) -> (id: String?, text: String) {
        do throws(ReaderFault) {
            let error = try failure.report().errors.first
            return (error?.id, error?.detail ?? "")
        } catch {
            return (error.id.rawValue, error.advice)
        }
    }

    /// Those of readers: the others have one text, which nobody is shown.
    private static let profileRules = CertificateRule.allCases.map {
        ProfileRule(ProfileFinding($0, ObjectIdentifier("2.5.29.30")))
    }.filter { !$0.line.contains("a rule for other certificates") }
}

extension PresentationFailure: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .readerUnavailable(.noReader)
        case .readerUnavailable?: .engagementOverdue(lastTap: nil)
        case .engagementOverdue(lastTap: nil)?:
            .engagementOverdue(lastTap: NFCEndReason(.selectApplication, .noWalletYet))
        case .engagementOverdue(let lastTap?)? where lastTap.fault == .noWalletYet:
            .engagementOverdue(lastTap: NFCEndReason(.initialMessage, .cardLost))
        case .engagementOverdue?: .engagement(.notAnEngagementURI)
        case .engagement?: .noUsableRetrieval
        case .noUsableRetrieval?: .transfer(NFCEndReason(.receiveMessage, .cardLost))
        case .transfer?: .radioUnavailable(.noAdapter)
        case .radioUnavailable?: .connectionOverdue
        case .connectionOverdue?: .connection(.refused)
        case .connection?: .bluetooth(.failed(.receiveMessage, .linkLost))
        case .bluetooth?: .linkLost
        case .linkLost?: .messageTooLong(announced: 2_000_000, limit: 1_048_576)
        case .messageTooLong?: .benchLink(.engagement(.notADate(at: 7)))
        case .benchLink?: .requestNotSigned(identity: Received.type)
        case .requestNotSigned?: .session(.decryptionFailed)
        case .session(.decryptionFailed)?:
            .session(.malformed(.unsupportedVersion(.sessionData)))
        case .session(.malformed)?: .session(.keyAgreementFailed)
        case .session?: .status(.termination)
        case .status?: .sessionOver
        case .sessionOver?: .otherDocument
        case .otherDocument?: .consentOverdue
        case .consentOverdue?: .cancelled
        case .cancelled?: nil
        }
    }
}

extension PresentationNote: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .copiesDiffer(second: .nfc)
        case .copiesDiffer?: .sequenceMissing(expected: 0)
        case .sequenceMissing?: .sequenceUnexpected(7, expected: 0)
        case .sequenceUnexpected?: nil
        }
    }
}

extension ReaderStoreError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .absent
        case .absent?: .empty
        case .empty?: .writableByOthers
        case .writableByOthers?: .ownedByAnother
        case .ownedByAnother?: .notPermitted
        case .notPermitted?: .notAStore
        case .notAStore?: .versionUnknown(9)
        case .versionUnknown?: .damaged
        case .damaged?: .snapshotDamaged(TrustSnapshot.ID(bytes: [UInt8](repeating: 0xab, count: 32)))
        case .snapshotDamaged?: .busy
        case .busy?: .changedMeanwhile
        case .changedMeanwhile?: .snapshotUnknown
        case .snapshotUnknown?: .snapshotAmbiguous
        case .snapshotAmbiguous?: .noPredecessor
        case .noPredecessor?: .noSpace
        case .noSpace?: .receiptMalformed
        case .receiptMalformed?: .receiptKeyUnusable
        case .receiptKeyUnusable?: .keyFile(.ownedByOther(path: Received.path))
        case .keyFile?: .keysInsideStore
        case .keysInsideStore?: .sealBroken
        case .sealBroken?: .retentionDiffers
        case .retentionDiffers?: .tooLong
        case .tooLong?: .deadlinePassed
        case .deadlinePassed?: .failed(code: 13)
        case .failed?: nil
        }
    }
}

extension ReceiptChainFault: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .malformed
        case .malformed?:
            ReceiptPublicKey.ID([UInt8](repeating: 0xab, count: 16)[...]).map(Self.keyUnknown)
        case .keyUnknown?: .changed
        case .changed?: .missing(from: 3, through: 5)
        case .missing?: .outOfOrder(expected: 3)
        case .outOfOrder?: .predecessorDiffers
        case .predecessorDiffers?: .endMissing
        case .endMissing?: .headDiffers
        case .headDiffers?: nil
        }
    }
}

extension IdentityStoreError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .fileRefused(path: Received.path, errno: 13)
        case .fileRefused?: .notAFile(path: Received.path)
        case .notAFile?: .exposed(path: Received.path, mode: 0o644)
        case .exposed?: .ownedByOther(path: Received.path)
        case .ownedByOther?: .busy(path: Received.path)
        case .busy?: .tooLong(path: Received.path)
        case .tooLong?: IdentityName("counter").map(Self.nameTaken)
        case .nameTaken?: .unknown(Received.type)
        case .unknown?: .keyUnusable(.tpmUnreachable)
        case .keyUnusable(.tpmUnreachable)?: .keyUnusable(.unsupportedKey)
        case .keyUnusable?: .noCertificates
        case .noCertificates?: .certificatesUnreadable(.pemMalformed)
        case .certificatesUnreadable?: .keyNotCertified
        case .keyNotCertified?: .chainUnusable(.leafSelfSigned)
        case .chainUnusable?: .notYetValid(subject: Received.name, from: 1_793_534_400)
        case .notYetValid?: .expired(subject: Received.name, since: 1_793_534_400)
        case .expired?: .profileBroken([ProfileRule(ProfileFinding(.keyUsage))])
        case .profileBroken?: .rulesMalformed(line: nil, .notWritten)
        case .rulesMalformed?: .noSuchRule
        case .noSuchRule?: nil
        }
    }
}

extension RulesFault: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .form(.unknownMember(at: 7))
        case .form?: .identityNameMalformed(at: 7)
        case .identityNameMalformed?: .tooMany(limit: 256)
        case .tooMany?: .notWritten
        case .notWritten?: nil
        }
    }
}

extension ReaderTokensError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        let time = Timestamp(secondsSince1970: 1_793_534_400)
        return switch previous {
        case nil: .tooLong(limit: 4096)
        case .tooLong?: .notThreeParts
        case .notThreeParts?: .notBase64URL(.claims)
        case .notBase64URL?: .malformed(.header, .unexpectedByte(at: 7))
        case .malformed?: .valueMalformed(.sub)
        case .valueMalformed?: .signatureMalformed(size: 71)
        case .signatureMalformed?: .typeNotJWT
        case .typeNotJWT?: .algorithmNotES256
        case .algorithmNotES256?: .keyUnknown
        case .keyUnknown?: .keyRevoked
        case .keyRevoked?: .keyExpired(since: time)
        case .keyExpired?: .brandNotOfKey
        case .brandNotOfKey?: .signatureInvalid
        case .signatureInvalid?: .audienceWrong
        case .audienceWrong?: .instanceWrong
        case .instanceWrong?: .issuedInFuture
        case .issuedInFuture?: .lifetimeNotPositive
        case .lifetimeNotPositive?: .lifetimeTooLong
        case .lifetimeTooLong?: .expired(since: time)
        case .expired?: .sessionExpired(since: time)
        case .sessionExpired?: .firstUseUnknown(.busy)
        case .firstUseUnknown?: .signingKeyNotP256
        case .signingKeyNotP256?: .signingFailed
        case .signingFailed?: .hubUnavailable("the hub does not answer: try again later")
        case .hubUnavailable?: nil
        }
    }
}

extension BrandRegistryError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .file(.busy(path: Received.path))
        case .file?: .malformed(line: 3, .unknownMember(at: 7))
        case .malformed(line: _?, _)?: .malformed(line: nil, .tooLong(limit: 1024))
        case .malformed?: .faulty(line: 3, .nameMalformed)
        case .faulty?: .refused(.brandTwice)
        case .refused?: .logo(.notPNG)
        case .logo?: LogoName("utopia.png").map { Self.logoMissing($0) }
        case .logoMissing(let name)?: .logoUnfit(name, .tooLarge(limit: 1024))
        case .logoUnfit(let name, _)?: .logoUnnamed(name)
        case .logoUnnamed?: nil
        }
    }
}

extension BrandFault: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .identifierMalformed
        case .identifierMalformed?: .nameMalformed
        case .nameMalformed?: .logoNameMalformed
        case .logoNameMalformed?: .identityNameMalformed
        case .identityNameMalformed?: .instantMalformed
        case .instantMalformed?: .keyNotP256
        case .keyNotP256?: .tooManyBrands(limit: 64)
        case .tooManyBrands?: .tooManyKeys(limit: 16)
        case .tooManyKeys?: .brandTwice
        case .brandTwice?: .keyTwice
        case .keyTwice?: .brandUnknown
        case .brandUnknown?: .keyUnknown
        case .keyUnknown?: nil
        }
    }
}

extension LogoFault: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .tooLong(limit: 1 << 18)
        case .tooLong?: .notPNG
        case .notPNG?: .tooLarge(limit: 1024)
        case .tooLarge?: nil
        }
    }
}

extension FieldTraceError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .tooLong(limit: FieldTrace.mostBytes)
        case .tooLong?: .lineTooLong(line: 3, limit: FieldTrace.mostLineBytes)
        case .lineTooLong?: .notAFieldTrace
        case .notAFieldTrace?: .malformedLine(3)
        case .malformedLine?: .unknownWord
        case .unknownWord?: .noPresentation
        case .noPresentation?: .presentationMissing(3)
        case .presentationMissing?: .noTap
        case .noTap?: .noRandomness
        case .noRandomness?: nil
        }
    }
}

extension TrustFetchError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .locationRefused(.pinned)
        case .locationRefused?: .timedOut(.connect)
        case .timedOut(.connect)?: .timedOut(.headers)
        case .timedOut(.headers)?: .timedOut(.progress)
        case .timedOut(.progress)?: .timedOut(.whole)
        case .timedOut(.whole)?: .timedOut(.batch)
        case .timedOut(.batch)?: .tooLarge(limit: 1 << 24)
        case .tooLarge?: .status(404)
        case .status?: .redirectedElsewhere
        case .redirectedElsewhere?: .redirectedToPlaintext
        case .redirectedToPlaintext?: .redirectedTooOften(limit: 3)
        case .redirectedTooOften?: .contentEncoded
        case .contentEncoded?: .tls(.certificateRefused)
        case .tls(.certificateRefused)?: .tls(.hostNameWrong)
        case .tls(.hostNameWrong)?: .tls(.handshakeFailed)
        case .tls(.handshakeFailed)?: .nameUnresolved
        case .nameUnresolved?: .unreachable
        case .unreachable?: .truncated
        case .truncated?: .malformed
        case .malformed?: .cancelled
        case .cancelled?: .serverRootsUnreadable
        case .serverRootsUnreadable?: nil
        }
    }
}

extension LocationFault: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .unreadable
        case .unreadable?: .schemeRefused
        case .schemeRefused?: .credentials
        case .credentials?: .pinned
        case .pinned?: nil
        }
    }
}
