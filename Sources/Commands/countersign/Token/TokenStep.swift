internal import ReaderTokens

/// Runs what makes or checks tokens; a failure ends the command with its words and exit code.
func tokenStep<R>(_ body: () throws(ReaderTokensError) -> R) throws(CommandFailure) -> R {
    do throws(ReaderTokensError) {
        return try body()
    } catch {
        throw error.failure
    }
}

/// Runs what reads or changes brands; a failure ends the command with its words and exit code.
func brandStep<R>(_ body: () throws(BrandRegistryError) -> R) throws(CommandFailure) -> R {
    do throws(BrandRegistryError) {
        return try body()
    } catch {
        throw CommandFailure(status: error.exitStatus, message: error.explanation)
    }
}

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

    /// The failure that ends a command.
    var failure: CommandFailure { CommandFailure(status: exitStatus, message: explanation) }
}

extension BrandRegistryError {
    var exitStatus: ExitStatus {
        switch self {
        case .file(let error): error.exitStatus
        case .malformed, .faulty, .logo: .malformed
        case .refused: .usage
        }
    }
}
