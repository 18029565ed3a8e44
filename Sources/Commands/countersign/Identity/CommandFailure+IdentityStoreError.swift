internal import ArgumentParser
internal import OpenSSLCrypto
internal import ReaderIdentityStore

extension StoreArguments {
    var identities: IdentityFolder { IdentityFolder(store: path) }
}

extension IdentityName: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

extension CommandFailure {
    /// Names the identity, where the error itself does not.
    static func mapping<Value: ~Copyable>(
        of name: IdentityName? = nil, _ body: () throws(IdentityStoreError) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(IdentityStoreError) {
            return try body()
        } catch {
            let subject = error.namesIdentity ? "" : name.map { "\($0.text): " } ?? ""
            throw CommandFailure(status: error.exitStatus, message: "\(subject)\(error.failure.message)")
        }
    }
}

extension IdentityStoreError {
    var exitStatus: ExitStatus {
        switch self {
        case .fileRefused, .notAFile, .nameTaken, .unknown, .noSuchRule: .usage
        case .tooLong, .rulesMalformed: .malformed
        case .busy, .keyUnusable(.tpmProviderMissing), .keyUnusable(.tpmUnreachable): .unavailable
        default: .rejected
        }
    }

    /// The failure that ends a command. The id is at the end of the first line; the rules follow, one per line.
    var failure: CommandFailure {
        var lines = explanation.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        lines[0] += "  [\(id)]"
        return CommandFailure(status: exitStatus, message: lines.joined(separator: "\n"))
    }
}
