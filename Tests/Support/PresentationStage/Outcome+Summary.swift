internal import Transport
internal import MdocModel
internal import MdocSession
internal import MdocVerification
package import ReaderService

extension Presentation {
    /// What the presentation came to, by the ids a reader reports.
    package var summary: String {
        switch outcome {
        case .judged(let judgement): judgement.verdict.summary
        case .malformed(let error): "malformed \(error.structure)"
        case .declined: "declined"
        case .failed(.transfer(let reason)): "\(reason)"
        case .failed(.engagementOverdue(let reason?)): "\(reason)"
        case .failed(.session(.malformed(let error))): "malformed \(error.structure)"
        case .failed(.session(let error)): "\(error)"
        case .failed(.status(let status)): "status \(status.rawValue)"
        case .failed(.bluetooth(.failed(let phase, let fault))): "\(phase.rawValue) \(fault.id)"
        case .failed(.messageTooLong): "messageTooLong"
        case .failed(.radioUnavailable(let fault)): fault.id.rawValue
        case .failed(.connection(let fault)): fault.id.rawValue
        case .failed(let failure): "\(failure)"
        }
    }
}

extension NFCEndReason: CustomStringConvertible {
    /// The phase and the fault's name, without its figures.
    public var description: String {
        "\(phase.rawValue) " + String("\(fault)".prefix { $0 != "(" })
    }
}

extension DocumentReport {
    fileprivate var failedChecks: [String] {
        checks.compactMap { check in
            if case .failed = check.outcome { check.id.rawValue } else { nil }
        }
    }
}

extension MdocModelError {
    fileprivate var structure: String {
        if case .malformed(let structure, _) = self { "\(structure)" } else { "\(self)" }
    }
}

extension ResponseVerdict {
    fileprivate var summary: String {
        switch self {
        case .verified(let response):
            (["verified"] + response.reports.flatMap(\.deviations).map(\.rawValue)).joined(separator: " ")
        case .rejected(let response):
            (["rejected"] + response.failures.map(\.rawValue) + response.reports.flatMap(\.failedChecks))
                .joined(separator: " ")
        }
    }
}
