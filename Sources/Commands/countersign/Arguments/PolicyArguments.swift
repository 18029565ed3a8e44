internal import ArgumentParser
internal import FoundationEssentials
internal import MdocTrust

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

    /// The policy and the clock skew in force; `store` is the folder of the store.
    func settings(in store: String) throws(CommandFailure) -> JudgingPolicy {
        let own = "\(store)/policy.json"
        let path = policyFile ?? (FileManager.default.fileExists(atPath: own) ? own : nil)
        let file = try path.map { path throws(CommandFailure) in try PolicyFile(path) } ?? PolicyFile()
        return try file.settings(named: policy)
    }
}

/// By what a response is judged beyond its signatures.
struct JudgingPolicy {
    let revocation: RevocationPolicy
    /// The seconds by which clocks are excused.
    let clockSkew: Int64
}
