internal import CommandLineInterface
internal import ReaderTokens

extension ReaderTokensError {
    var exitStatus: ExitStatus {
        switch self {
        case .tooLong, .notThreeParts, .notBase64URL, .malformed, .valueMalformed, .signatureMalformed:
            .malformed
        case .signingKeyNotP256: .usage
        case .firstUseUnknown, .signingFailed: .unavailable
        default: .rejected
        }
    }

    var failure: CommandFailure { CommandFailure(status: exitStatus, message: explanation) }
}

extension BrandRegistryError {
    var exitStatus: ExitStatus {
        switch self {
        case .file(let error): error.exitStatus
        case .malformed, .faulty, .logo, .logoMissing, .logoUnfit, .logoUnnamed: .malformed
        case .refused: .usage
        }
    }

    var failure: CommandFailure { CommandFailure(status: exitStatus, message: explanation) }
}
