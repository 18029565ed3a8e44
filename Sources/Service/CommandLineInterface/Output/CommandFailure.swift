internal import ArgumentParser
internal import JSON
internal import MdocVerification
package import ReaderStore
package import Reports
package import RequestPlanner

/// The error of a command that could not do its work.
///
/// A command throws this error from `run()`. `RootCommand.runNamedCommand()` prints `error: ` and the message
/// on standard error, and exits with the status. A command never calls `exit` itself, so all commands fail in
/// the same form. Only `inspect` prints errors itself, because it continues with the next file.
///
/// Most failures have one of three statuses:
///
/// - `usage` (64): the user can correct the call, for example an option, a file name or a missing identity.
/// - `malformed` (65): the bytes of an input cannot be decoded.
/// - `unavailable` (69): a reader, a service or the disk is missing or busy; the same call may succeed later.
///
/// Two statuses that otherwise report a result are used for failures, too. A failure has `rejected` (2) if a
/// certificate, key or bundle fails a check, and `incomplete` (3) if the user cancels a presentation before
/// there is a report.
///
/// A verdict is not a failure. A command that verified something prints its report and throws `ExitCode` with
/// `TransactionReport.exitStatus`.
///
/// The message begins with the option or file, and then says what happened and what to do. The message has no
/// full stop. It is one line, except that the broken rules of a certificate follow on further lines. Text
/// from a file, a phone or the network passes through `Terminal.safe` first. A message never contains the
/// value of an element, a private key or a token.
package struct CommandFailure: Error {
    package let status: ExitStatus
    package let message: String

    package init(status: ExitStatus, message: String) {
        self.status = status
        self.message = message
    }

    /// A failure with exit status 64: the user can correct the call.
    package static func usage(_ message: String) -> CommandFailure {
        CommandFailure(status: .usage, message: message)
    }

    /// A failure with exit status 65: an input cannot be decoded.
    package static func malformed(_ message: String) -> CommandFailure {
        CommandFailure(status: .malformed, message: message)
    }

    /// A failure with exit status 69: a reader, a service or a resource is not available.
    package static func unavailable(_ message: String) -> CommandFailure {
        CommandFailure(status: .unavailable, message: message)
    }
}

extension ReaderStoreError {
    /// Returns the failure that says what is wrong with the store in `folder` and what to do.
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
    /// The failure of a request that cannot be planned: exit status 64.
    package var failure: CommandFailure { .usage(explanation) }
}

/// The exit codes, with the same meaning in every command.
///
/// Codes 0 to 3 report what a command found. Codes from 64 on report that the command could not do its work,
/// and have the numbers of `sysexits.h`. Scripts depend on the numbers, so a number never changes its
/// meaning.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    case success = 0
    /// The response is verified, but the outcome is not `allow`.
    case answerNotYes = 1
    case rejected = 2
    case incomplete = 3
    case usage = 64
    case malformed = 65
    case unavailable = 69

    /// The meaning of the code, for `--help` and the documentation.
    package var meaning: String {
        switch self {
        case .success: "verified, all answers yes, nothing missing; or the command succeeded"
        case .answerNotYes: "verified, but an answer is no or unknown, or something needed is missing"
        case .rejected: "a check failed, or the document is a test document that is not accepted"
        case .incomplete:
            "no answer to check: refusal, lost connection, timeout, or only a status"
        case .usage: "wrong usage, or a file that cannot be opened"
        case .malformed: "an input is malformed: its bytes cannot be decoded"
        case .unavailable: "a reader or service is not available"
        }
    }

    /// Returns the meaning of the code for the help of a command.
    ///
    /// - Parameter statuses: All exit codes of the command. A command without the code `answerNotYes`
    ///   verifies no response. Then the meaning of `success` does not mention a response.
    private func meaning(amongst statuses: [ExitStatus]) -> String {
        self == .success && !statuses.contains(.answerNotYes) ? "the command succeeded" : meaning
    }

    /// Returns the codes with their meanings, each on its own line, for the discussion of a command's help.
    package static func table(_ statuses: [ExitStatus] = allCases) -> String {
        // The codes are right-aligned, because some have one digit and some have two.
        let lines = statuses.map { status in
            String(repeating: " ", count: "\(status.rawValue)".count == 1 ? 3 : 2)
                + "\(status.rawValue)  \(status.meaning(amongst: statuses))"
        }
        return (["EXIT CODES:"] + lines).joined(separator: "\n")
    }
}

extension TransactionReport {
    /// The exit status of a command that printed this report.
    package var exitStatus: ExitStatus {
        switch verdict {
        // In Swift, a `where` clause applies to the last pattern only, which is `.mock`.
        case .verified,
            .mock where isAccepted:
            conclusion.outcome == .allow ? .success : .answerNotYes
        case .rejected, .mock: .rejected
        case .malformed: .malformed
        case .incomplete: .incomplete
        }
    }
}
