internal import Transport
internal import MdocModel
internal import MdocSession
internal import MdocVerification
package import ReaderService

extension Presentation {
    /// What the presentation came to, by the ids a reader reports.
    package var summary: String {
        switch result {
        case .success(let judgement): judgement.summary
        case .failure(.responseMalformed(let error)): "malformed \(error.structure)"
        case .failure(.transfer(let reason)): "\(reason)"
        case .failure(.engagementOverdue(let reason?)): "\(reason)"
        case .failure(.session(.malformed(let error))): "malformed \(error.structure)"
        case .failure(.session(let error)): "\(error)"
        case .failure(.status(let status)): "status \(status.rawValue)"
        case .failure(.bluetooth(.failed(let phase, let fault))): "\(phase.rawValue) \(fault.id)"
        case .failure(.messageTooLong): "messageTooLong"
        case .failure(.radioUnavailable(let fault)): fault.id.rawValue
        case .failure(.connection(let fault)): fault.id.rawValue
        case .failure(let failure): "\(failure)"
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

extension Judgement {
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
