import Foundation
import TapToPresent

extension UserFacingTexts {
    static let library: [TextGroup] = [
        TextGroup(MobileDocumentReaderError.samples, .service, form: .sentence) {
            $0.errorDescription ?? ""
        },
        TextGroup(
            MobileDocumentReaderError.Reason.samples, .service, named: "MobileDocumentReaderError.Reason"
        ) { $0.description },
        TextGroup(DisplayFault.allCases, .service, id: { $0.rawValue }) { $0.explanation },
    ]
}

extension MobileDocumentReaderError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .cancelled(nil)
        case .cancelled(_)?: .invalidRequest(nil)
        case .invalidRequest(_)?: .invalidResponse(nil)
        case .invalidResponse(_)?: .invalidToken(nil)
        case .invalidToken(_)?: .networkUnavailable(nil)
        case .networkUnavailable(_)?: .notAllowed(nil)
        case .notAllowed(_)?: .notSupported(nil)
        case .notSupported(_)?: .serviceUnavailable(nil)
        case .serviceUnavailable(_)?: .sessionExpired(nil)
        case .sessionExpired(_)?: .systemBusy(nil)
        case .systemBusy(_)?: .unknown(nil)
        case .unknown(_)?: nil
        }
    }
}

extension MobileDocumentReaderError.Reason: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .nothingRequested
        case .nothingRequested?: .elementTwice
        case .elementTwice?: .elementNotOfDocument
        case .elementNotOfDocument?: .regionNotSupported
        case .regionNotSupported?: .ageOutOfRange
        case .ageOutOfRange?: .moreThanTwoAges
        case .moreThanTwoAges?: .documentTwice
        case .documentTwice?: .policyAcceptsMore
        case .policyAcceptsMore?: .tokenRequired
        case .tokenRequired?: .tokenRefused(id: "token.expired")
        case .tokenRefused?: .readInProgress
        case .readInProgress?: .readerUnavailable(id: "pcsc.no_reader")
        case .readerUnavailable?: .radioUnavailable(id: "bluez.no_adapter")
        case .radioUnavailable?: .storeUnavailable(id: "store.empty")
        case .storeUnavailable?: .rootsUnusable(id: "root.refused")
        case .rootsUnusable?: .brandsUnavailable
        case .brandsUnavailable?: .identityUnavailable(id: "identity.expired")
        case .identityUnavailable?: .clockNotSet
        case .clockNotSet?: .displayMissing
        case .displayMissing?: .displayUnavailable(id: "viewer.absent")
        case .displayUnavailable?: .taskCancelled
        case .taskCancelled?: .holderDeclined
        case .holderDeclined?: .engagementOverdue
        case .engagementOverdue?: .consentOverdue
        case .consentOverdue?: .engagementMalformed
        case .engagementMalformed?: .noUsableRetrieval
        case .noUsableRetrieval?: .connectionFailed(id: "connection.refused")
        case .connectionFailed?: .transferIncomplete
        case .transferIncomplete?: .messageTooLong
        case .messageTooLong?: .requestNotSigned
        case .requestNotSigned?: .sessionBroken
        case .sessionBroken?: .phoneStatus(20)
        case .phoneStatus?: .responseMalformed
        // `rejected` holds a verdict, which only a response makes; its text adds ids of checks.
        case .responseMalformed?, .rejected?: .ended(ids: ["document.test"])
        case .ended?: .internalFault
        case .internalFault?: nil
        }
    }
}
