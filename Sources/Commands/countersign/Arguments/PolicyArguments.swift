internal import ArgumentParser
internal import FoundationEssentials
internal import MdocVerification

/// `--policy`: what is to be done where it is not known whether a document is revoked.
struct PolicyArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "What to do when it is not known whether a document is revoked: age accepts it, rental refuses it, or a policy of the policy file.",
            valueName: "name"))
    var policy: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The policies, the default among them and the clock skew, as JSON; without it policy.json of the store, where there is one.",
            valueName: "file"))
    var policyFile: String?

    /// The current policy; `store` is the folder of the store.
    func settings(in store: String, strict: Bool = false) throws(CommandFailure) -> VerificationPolicy {
        let own = "\(store)/policy.json"
        let path = policyFile ?? (FileManager.default.fileExists(atPath: own) ? own : nil)
        let file = try path.map { path throws(CommandFailure) in try PolicyFile(path) } ?? PolicyFile()
        var settings = try file.settings(named: policy)
        settings.rules = strict ? .strict : .interoperable
        return settings
    }
}
