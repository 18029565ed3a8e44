internal import OpenSSLCrypto
internal import ReaderIdentityStore

extension IdentityStoreError {
    var exitStatus: ExitStatus {
        switch self {
        case .fileRefused, .notAFile, .nameTaken, .unknown, .noSuchRule: .usage
        case .tooLong, .rulesMalformed: .malformed
        case .busy, .keyUnusable(.tpmProviderMissing), .keyUnusable(.tpmUnreachable): .unavailable
        default: .rejected
        }
    }

    /// What ends a command. The id stands behind the first line: rules follow it, a line each.
    var failure: CommandFailure {
        var lines = explanation.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        lines[0] += "  [\(id)]"
        return CommandFailure(status: exitStatus, message: lines.joined(separator: "\n"))
    }
}
