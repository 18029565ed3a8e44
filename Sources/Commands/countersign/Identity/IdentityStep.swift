internal import ArgumentParser
internal import ReaderIdentityStore

extension StoreArguments {
    var identities: IdentityFolder { IdentityFolder(store: path) }
}

extension IdentityName: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

/// Runs what reads or changes identities; a failure ends the command with its words and exit code.
func identityStep<R: ~Copyable>(
    _ name: IdentityName? = nil, _ body: () throws(IdentityStoreError) -> R
) throws(CommandFailure) -> R {
    do throws(IdentityStoreError) {
        return try body()
    } catch {
        let subject = error.namesIdentity ? "" : name.map { "\($0.text): " } ?? ""
        throw CommandFailure(status: error.exitStatus, message: "\(subject)\(error.failure.message)")
    }
}
