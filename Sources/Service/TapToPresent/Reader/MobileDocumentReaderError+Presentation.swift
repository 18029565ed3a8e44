internal import MdocModel
internal import ReaderService

extension MobileDocumentReaderError {
    /// Why a presentation came to no answer.
    init(_ failure: PresentationFailure) {
        self =
            switch failure {
            case .readerUnavailable(let id): Self(readerUnavailable: id)
            case .radioUnavailable(let id): .serviceUnavailable(.radioUnavailable(id: id))
            case .engagementOverdue: .cancelled(.engagementOverdue)
            case .consentOverdue: .cancelled(.consentOverdue)
            case .cancelled: .cancelled(.taskCancelled)
            case .engagement, .benchLink: .invalidResponse(.engagementMalformed)
            case .noUsableRetrieval: .notSupported(.noUsableRetrieval)
            case .connectionOverdue: .invalidResponse(.connectionFailed(id: "overdue"))
            case .connection(let id): .invalidResponse(.connectionFailed(id: id))
            case .messageTooLong: .invalidResponse(.messageTooLong)
            case .transfer, .bluetooth, .linkLost: .invalidResponse(.transferIncomplete)
            case .requestNotSigned: .serviceUnavailable(.requestNotSigned)
            case .session, .sessionOver: .invalidResponse(.sessionBroken)
            case .status(let status): .invalidResponse(.phoneStatus(Int(clamping: status.rawValue)))
            }
    }

    /// By the id of what the reader or pcscd refused.
    init(readerUnavailable id: String) {
        let reason = Reason.readerUnavailable(id: id)
        self =
            switch id {
            case "pcsc-reader-in-use", "pcsc-too-many-clients": .systemBusy(reason)
            case "pcsc-access-denied-service", "pcsc-access-denied-card": .notAllowed(reason)
            case "pcsc-cancelled": .cancelled(.taskCancelled)
            default: .serviceUnavailable(reason)
            }
    }
}
