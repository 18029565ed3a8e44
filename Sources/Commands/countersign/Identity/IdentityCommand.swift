internal import ArgumentParser
internal import CommandLineInterface
internal import OpenSSLCrypto
internal import ReaderIdentityStore

/// `countersign identity`: manages the keys and certificates that sign this reader's requests.
struct IdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "Make, certify and manage the identities that sign requests.",
        discussion: """
            A wallet shows its holder who asks, and may refuse an unknown reader. A request is therefore \
            signed with a key that is certified by an authority that the wallet trusts. To set up signed \
            requests:

              countersign identity init counter
              countersign identity csr counter --subject 'CN=Counter 1,O=Shop,C=US' >c.csr
              (send c.csr to the reader authority; it returns certificates)
              countersign identity import counter returned.pem
              countersign identity lint

            For tests without an authority, make one with `identity authority init`. With several \
            identities, use `identity choose` to select which identity signs which requests.
            """,
        subcommands: [
            IdentityInitCommand.self, IdentityCSRCommand.self, IdentityImportCommand.self,
            IdentityListCommand.self, IdentityLintCommand.self, IdentityChooseCommand.self,
            IdentityAuthorityCommand.self,
        ])
}

extension StoreArguments {
    var identities: IdentityFolder { IdentityFolder(store: path) }
}

extension IdentityName: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

extension IdentityStoreError {
    /// The exit status of a command that fails with this error. An unusable key or certificate gives
    /// `rejected`, unless the TPM itself cannot be used.
    var exitStatus: ExitStatus {
        switch self {
        case .fileRefused, .notAFile, .nameTaken, .unknown, .noSuchRule: .usage
        case .tooLong, .rulesMalformed: .malformed
        case .busy, .keyUnusable(.tpmProviderMissing), .keyUnusable(.tpmUnreachable): .unavailable
        default: .rejected
        }
    }

    /// The failure that ends a command. The first line has the explanation and the id. The broken rules
    /// follow, one on each line.
    var failure: CommandFailure {
        var lines = explanation.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        lines[0] += "  [\(id)]"
        return CommandFailure(status: exitStatus, message: lines.joined(separator: "\n"))
    }

    /// Returns the failure with the name of the identity in front, unless the error already names it.
    func failure(of name: IdentityName) -> CommandFailure {
        let subject = namesIdentity ? "" : "\(name.text): "
        return CommandFailure(status: exitStatus, message: "\(subject)\(failure.message)")
    }
}
