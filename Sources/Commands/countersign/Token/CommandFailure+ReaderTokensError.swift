internal import ReaderTokens

extension CommandFailure {
    static func mapping<Value>(
        _ body: () throws(ReaderTokensError) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(ReaderTokensError) { return try body() } catch { throw error.failure }
    }

    static func mapping<Value>(
        _ body: () throws(BrandRegistryError) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(BrandRegistryError) {
            return try body()
        } catch {
            throw CommandFailure(status: error.exitStatus, message: error.explanation)
        }
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
}
