import CBOR
import COSE
import ISO7816
import MdocModel
import MdocSession
import NDEF
import OpenSSLCrypto

extension UserFacingTexts {
    static let mdoc: [TextGroup] = [
        TextGroup(MdocModelError.samples, .mdoc) { $0.explanation },
        TextGroup(Deviation.allCases, .mdoc, id: { $0.rawValue }) { $0.meaning },
        TextGroup(SessionError.samples, .mdoc) { $0.explanation },
        TextGroup(BenchLinkError.samples, .mdoc) { $0.explanation },
        TextGroup(NFCFault.samples, .mdoc) { NFCEndReason(.selectApplication, $0).explanation },
        TextGroup(NFCPhase.allCases, .mdoc, named: "NFCEndReason") {
            NFCEndReason($0, .deadlinePassed).explanation
        },
        TextGroup(BLEFault.samples, .mdoc, id: { $0.id }) {
            BLEEndReason.failed(.awaitResponse, $0).explanation
        },
        TextGroup(BLEEndReason.samples, .mdoc) { $0.explanation },
    ]
}

extension MdocModelError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .malformed(.deviceResponse, .truncated(at: 7))
        case .malformed?: .cose(.mobileSecurityObject, .keyNotUsable)
        case .cose?: .unsupportedVersion(.deviceRequest)
        case .unsupportedVersion?: .unsupportedCipherSuite(2)
        case .unsupportedCipherSuite?: .notADate(at: 7)
        case .notADate?: .notAnEngagementURI
        case .notAnEngagementURI?: nil
        }
    }
}

extension SessionError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .keyAgreementFailed
        case .keyAgreementFailed?: .malformed(.malformed(.sessionData, .truncated(at: 7)))
        case .malformed?: .decryptionFailed
        case .decryptionFailed?: .unexpectedMessage
        case .unexpectedMessage?: .cryptography(.openSSLFailed)
        case .cryptography?: nil
        }
    }
}

extension BenchLinkError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .malformed(.truncated(at: 7))
        case .malformed?: .engagement(.notAnEngagementURI)
        case .engagement?: nil
        }
    }
}

extension NFCFault: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .noWalletYet
        case .noWalletYet?: .cardLost
        case .cardLost?: .cardMute
        case .cardMute?: .status(.conditionsNotSatisfied)
        case .status?: .deadlinePassed
        case .deadlinePassed?: .stepBudgetSpent
        case .stepBudgetSpent?: .notReady(polls: 3, promised: nil)
        case .notReady?: .noProgress
        case .noProgress?: .surplusBytes
        case .surplusBytes?: .capabilityContainerInvalid
        case .capabilityContainerInvalid?: .messageTooLong(announced: 70_000, limit: 65_535)
        case .messageTooLong?: .messageMalformed(.emptyMessage)
        case .messageMalformed?: .messageUnexpected
        case .messageUnexpected?: .noHandoverService
        case .noHandoverService?: .serviceStatus(.protocolError)
        case .serviceStatus?: .noDeviceEngagement
        case .noDeviceEngagement?: .noUsableCarrier(.foreign)
        case .noUsableCarrier?: .unofferedCarrier(.centralClient)
        case .unofferedCarrier?: .dataObjectMalformed(.lengthMismatch)
        case .dataObjectMalformed?: .dataObjectIncomplete(missing: 7)
        case .dataObjectIncomplete?: .noCommandLimit
        case .noCommandLimit?: .olderVersion2
        case .olderVersion2?: .version2Malformed(.malformed(.handoverSelect, .truncated(at: 7)))
        case .version2Malformed?: .version2Methods(count: 2)
        case .version2Methods?: .version2MethodNotOffered
        case .version2MethodNotOffered?: .walletEnded
        case .walletEnded?: .outOfTurn
        case .outOfTurn?: nil
        }
    }
}

extension BLEFault: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .linkLost
        case .linkLost?: .deadlinePassed
        case .deadlinePassed?: .endedWithinMessage
        case .endedWithinMessage?: .stateUnknown(3)
        case .stateUnknown?: .valueEmpty
        case .valueEmpty?: .prefixUnknown(2)
        case .prefixUnknown?: .messageEmpty
        case .messageEmpty?: .messageTooLong(announced: 2_000_000, limit: 1_048_576)
        case .messageTooLong?: .messageUnexpected
        case .messageUnexpected?: .notFramed
        case .notFramed?: .outOfTurn
        case .outOfTurn?: nil
        }
    }
}

extension BLEEndReason: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .finished
        case .finished?: .terminated(.awaitResponse)
        case .terminated?: .disconnected
        case .disconnected?: .failed(.receiveMessage, .linkLost)
        case .failed?: nil
        }
    }
}
