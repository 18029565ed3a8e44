internal import OpenSSLCrypto
internal import ReaderIdentityStore
internal import ReaderReports

extension IdentityStoreError {
    var exitStatus: ExitStatus {
        switch self {
        case .fileRefused, .notAFile, .nameTaken, .unknown, .noSuchRule: .usage
        case .tooLong, .rulesMisshapen: .malformed
        case .busy, .keyUnusable(.tpmProviderMissing), .keyUnusable(.tpmUnreachable): .unavailable
        default: .rejected
        }
    }

    /// What ends a command.
    var failure: CommandFailure { CommandFailure(status: exitStatus, message: "\(explanation)  [\(id)]") }
}
