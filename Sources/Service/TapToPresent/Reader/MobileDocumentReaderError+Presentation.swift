internal import MdocModel
internal import ReaderService
internal import Transport

extension MobileDocumentReaderError {
    /// Why an outcome gives the app nothing.
    init(withoutAnswer outcome: Presentation.Outcome) {
        switch outcome {
        case .declined: self = .cancelled(.holderDeclined)
        case .malformed: self = .invalidResponse(.responseMalformed)
        case .failed(let failure): self = MobileDocumentReaderError(failure)
        case .judged(let judgement):
            let verdict = MobileDocumentVerdict(judgement)
            self = verdict.isVerified ? .unknown(.internalFault) : .invalidResponse(.rejected(verdict))
        }
    }

    init(_ failure: PresentationFailure) {
        self =
            switch failure {
            case .readerUnavailable(let fault): Self(fault)
            case .radioUnavailable(let fault): .serviceUnavailable(.radioUnavailable(id: fault.rawValue))
            case .engagementOverdue: .cancelled(.engagementOverdue)
            case .consentOverdue: .cancelled(.consentOverdue)
            case .cancelled: .cancelled(.taskCancelled)
            case .engagement, .benchLink: .invalidResponse(.engagementMalformed)
            case .noUsableRetrieval: .notSupported(.noUsableRetrieval)
            case .connectionOverdue:
                .invalidResponse(.connectionFailed(id: ConnectionFault.timedOut.rawValue))
            case .connection(let fault): .invalidResponse(.connectionFailed(id: fault.rawValue))
            case .messageTooLong: .invalidResponse(.messageTooLong)
            case .transfer, .bluetooth, .linkLost: .invalidResponse(.transferIncomplete)
            case .requestNotSigned: .serviceUnavailable(.requestNotSigned)
            case .session, .sessionOver, .otherDocument: .invalidResponse(.sessionBroken)
            case .status(let status): .invalidResponse(.phoneStatus(Int(clamping: status.rawValue)))
            }
    }

    init(_ fault: ReaderFault) {
        let reason = Reason.readerUnavailable(id: fault.rawValue)
        self =
            switch fault {
            case .readerInUse, .tooManyClients: .systemBusy(reason)
            case .serviceAccessDenied, .cardAccessDenied: .notAllowed(reason)
            default: .serviceUnavailable(reason)
            }
    }
}
