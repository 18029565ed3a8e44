internal import ArgumentParser
internal import JSON
internal import MdocVerification
package import ReaderStore
package import Reports
package import RequestPlanner

/// Why a command could not do its work; the root command prints the message and exits with the status.
package struct CommandFailure: Error {
    package let status: ExitStatus
    package let message: String

    package init(status: ExitStatus, message: String) {
        self.status = status
        self.message = message
    }

    package static func usage(_ message: String) -> CommandFailure {
        CommandFailure(status: .usage, message: message)
    }

    package static func malformed(_ message: String) -> CommandFailure {
        CommandFailure(status: .malformed, message: message)
    }

    package static func unavailable(_ message: String) -> CommandFailure {
        CommandFailure(status: .unavailable, message: message)
    }
}

extension ReaderStoreError {
    /// What the command ends with: what is wrong with the store in `folder`, and what to do.
    package func failure(in folder: String) -> CommandFailure {
        let message = "the store in \(Terminal.safe(folder)): \(explanation)"
        return switch self {
        case .damaged, .snapshotDamaged, .notAStore, .versionUnknown, .receiptMalformed: .malformed(message)
        case .busy, .changedMeanwhile, .noSpace, .failed: .unavailable(message)
        default: .usage(message)
        }
    }
}

extension RequestPlannerError {
    /// A request that cannot be planned is wrong usage.
    package var failure: CommandFailure { .usage(explanation) }
}

/// The exit codes, the same for every command.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    case success = 0
    case answerNotYes = 1
    case rejected = 2
    case incomplete = 3
    case usage = 64
    case malformed = 65
    case unavailable = 69

    /// What the code says, for `--help` and the documentation.
    package var meaning: String {
        switch self {
        case .success: "verified, all answers yes, nothing missing; or the command succeeded"
        case .answerNotYes: "verified, but an answer is not yes, or something needed is missing"
        case .rejected: "a check failed, or it is a test document that is not accepted"
        case .incomplete:
            "no answer to check: declined, connection lost, timeout, or only a status"
        case .usage: "wrong usage, or a file that cannot be opened"
        case .malformed: "an input is malformed: its bytes cannot be decoded"
        case .unavailable: "a reader or service is not available"
        }
    }

    /// The codes and meanings, one a line, for the discussion of a command's help.
    package static func table(_ statuses: [ExitStatus] = allCases) -> String {
        let lines = statuses.map { status in
            String(repeating: " ", count: "\(status.rawValue)".count == 1 ? 3 : 2)
                + "\(status.rawValue)  \(status.meaning)"
        }
        return (["EXIT CODES:"] + lines).joined(separator: "\n")
    }
}

extension TransactionReport {
    package var exitStatus: ExitStatus {
        switch verdict {
        case .verified,
            .mock where isAccepted:
            conclusion.outcome == .allow ? .success : .answerNotYes
        case .rejected, .mock: .rejected
        case .malformed: .malformed
        case .incomplete: .incomplete
        }
    }
}
