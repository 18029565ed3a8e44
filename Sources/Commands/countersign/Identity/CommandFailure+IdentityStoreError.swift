internal import ArgumentParser
internal import CommandLineInterface
internal import OpenSSLCrypto
internal import ReaderIdentityStore

extension StoreArguments {
    var identities: IdentityFolder { IdentityFolder(store: path) }
}

extension IdentityName: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
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

    /// Names the identity, where the error itself does not.
    func failure(of name: IdentityName) -> CommandFailure {
        let subject = namesIdentity ? "" : "\(name.text): "
        return CommandFailure(status: exitStatus, message: "\(subject)\(failure.message)")
    }
}
