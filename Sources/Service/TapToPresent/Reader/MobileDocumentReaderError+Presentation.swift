internal import MdocModel
internal import MdocVerification
internal import ReaderService
internal import Transport

extension MobileDocumentReaderError {
    /// The error for a result that gives the app nothing.
    init(withoutAnswer result: Result<Judgement, PresentationFailure>) {
        switch result {
        case .failure(let failure): self = MobileDocumentReaderError(failure)
        case .success(let judgement):
            let verdict = MobileDocumentVerdict(judgement)
            self = verdict.isVerified ? .unknown(.internalFault) : .invalidResponse(.rejected(verdict))
        }
    }

    init(_ failure: PresentationFailure) {
        self =
            switch failure {
            case .declined: .cancelled(.holderDeclined)
            case .responseMalformed: .invalidResponse(.responseMalformed)
            case .readerUnavailable(let fault): Self(fault)
            case .radioUnavailable(let fault): .serviceUnavailable(.radioUnavailable(id: fault.id.rawValue))
            case .engagementOverdue: .cancelled(.engagementOverdue)
            case .consentOverdue: .cancelled(.consentOverdue)
            case .cancelled: .cancelled(.taskCancelled)
            case .engagement, .benchLink: .invalidResponse(.engagementMalformed)
            case .noUsableRetrieval: .notSupported(.noUsableRetrieval)
            case .connectionOverdue:
                .invalidResponse(.connectionFailed(id: ConnectionFaultID.timedOut.rawValue))
            case .connection(let fault): .invalidResponse(.connectionFailed(id: fault.id.rawValue))
            case .messageTooLong: .invalidResponse(.messageTooLong)
            case .transfer, .bluetooth, .linkLost: .invalidResponse(.transferIncomplete)
            case .requestNotSigned: .serviceUnavailable(.requestNotSigned)
            case .session, .sessionOver, .otherDocument: .invalidResponse(.sessionBroken)
            case .status(let status): .invalidResponse(.phoneStatus(Int(clamping: status.rawValue)))
            }
    }

    init(_ fault: ReaderFault) {
        let reason = Reason.readerUnavailable(id: fault.id.rawValue)
        self =
            switch fault.id {
            case .readerInUse, .tooManyClients: .systemBusy(reason)
            case .serviceAccessDenied, .cardAccessDenied: .notAllowed(reason)
            default: .serviceUnavailable(reason)
            }
    }
}
