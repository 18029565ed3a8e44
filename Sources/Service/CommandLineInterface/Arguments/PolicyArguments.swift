package import ArgumentParser
internal import FoundationEssentials
package import JSON
package import MdocTrust
package import MdocVerification
internal import ReaderService
package import RequestPlanner

/// `--policy` and `--policy-file`: the verification policy, which says what to do when it is unknown whether
/// a document is revoked.
package struct PolicyArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "What to do when it is unknown whether a document is revoked: \"age\" accepts the document, \"rental\" refuses it, and the policy file may define more names. By default the purpose of the request selects the policy. A policy that accepts more than the purpose's policy is refused.",
            valueName: "name"))
    package var policy: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A JSON file with the policies, the name of the default policy, the clock skew, and whether test documents are accepted. By default policy.json in the store, if it exists.",
            valueName: "file"))
    package var policyFile: String?

    package init() {}

    /// Reads the policy file and returns the verification policy.
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the request, or `nil` if the request is not known.
    ///   - store: The folder of the store, which is searched for `policy.json`.
    ///   - strict: Whether deviations from the profile are refused.
    package func settings(
        for purpose: RequestPurpose? = nil, in store: String, strict: Bool = false
    ) throws(CommandFailure) -> VerificationPolicy {
        let own = "\(store)/policy.json"
        let path = policyFile ?? (FileManager.default.fileExists(atPath: own) ? own : nil)
        let file = try path.map { path throws(CommandFailure) in try PolicyFile(path) } ?? PolicyFile()
        var settings = try file.settings(named: policy, for: purpose)
        settings.rules = strict ? .strict : .interoperable
        return settings
    }
}

/// The contents of the policy file, or the defaults that apply without a policy file.
///
/// The file is a JSON object with these optional members:
/// - `policy`: the name of the default policy;
/// - `policies`: policies by name; a policy with the name `age` or `rental` replaces the built-in policy;
/// - `clockSkewSeconds`: the clock skew, 0 to 3600;
/// - `documentSigners`: the profiles of document signer certificates for further document types;
/// - `acceptTestDocuments`: whether test documents are accepted.
///
/// An unknown member is an error, because it may be a misspelt restriction.
package struct PolicyFile {
    private static let largestSize = 1 << 16
    private static let largestSkew: Int64 = 3600
    private static let mostPolicies = 256

    /// The name of the default policy.
    package private(set) var standard = "age"
    /// The clock skew, in seconds.
    package private(set) var clockSkew: Int64 = 60
    package private(set) var signers = DocumentSignerProfiles()
    package private(set) var acceptsTestDocuments = false
    package private(set) var policies = ["age": RevocationPolicy.age, "rental": .rental(staleDays: 0)]

    /// The defaults that apply without a policy file.
    package init() {}

    /// The defaults, with test documents accepted. Used by the `demo` commands and by `field-test`.
    package static var trial: PolicyFile {
        var file = PolicyFile()
        file.acceptsTestDocuments = true
        return file
    }

    package init(_ path: String) throws(CommandFailure) {
        let bytes = try InputFile.read(path, limit: Self.largestSize)
        do throws(JSONFault) {
            try self.init(JSONText(bytes[...], limit: Self.largestSize))
        } catch {
            throw .malformed("\(Terminal.safe(path)), line \(error.line): \(error.explanation)")
        }
    }

    package init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members([
            "policy", "policies", "clockSkewSeconds", "documentSigners", "acceptTestDocuments",
        ])
        if let skew = try members["clockSkewSeconds"]?.integer(in: 0...Self.largestSkew) { clockSkew = skew }
        acceptsTestDocuments = try members["acceptTestDocuments"]?.boolean() ?? false
        for (name, entry) in try members["policies"]?.entries(upTo: Self.mostPolicies) ?? [] {
            policies[name] = RevocationPolicy(name: name, undetermined: try Self.undetermined(entry))
        }
        if let profiles = members["documentSigners"] { signers = try DocumentSignerProfiles(profiles) }
        // Read last, because the default may be one of the policies of the file.
        guard let policy = members["policy"] else { return }
        standard = try policy.string()
        if policies[standard] == nil { throw policy.wrong("there is no policy of this name") }
    }

    /// Parses a policy of the file: what to do when it is unknown whether a document is revoked.
    private static func undetermined(
        _ entry: JSONText
    ) throws(JSONFault) -> RevocationPolicy.Undetermined {
        let members = try entry.members(["undetermined", "staleDays"])
        let stale = members["staleDays"]
        switch try members.required("undetermined").word(Undetermined.self) {
        case .accept:
            if let stale { throw stale.wrong("is allowed only with \"undetermined\": \"refuse\"") }
            return .accept
        case .refuse: return .refuse(unlessStaleFor: (try stale?.integer(in: 0...365) ?? 0) * 86_400)
        }
    }

    private enum Undetermined: String, CaseIterable { case accept, refuse }

    /// Returns the verification policy.
    ///
    /// - Parameters:
    ///   - name: The argument of `--policy`. A policy that accepts more than the policy of `purpose` is
    ///     refused.
    ///   - purpose: The purpose of the request, or `nil` if the request is not known.
    package func settings(
        named name: String? = nil, for purpose: RequestPurpose? = nil
    ) throws(CommandFailure) -> VerificationPolicy {
        var settings = VerificationPolicy(
            revocation: try revocation(named: name, for: purpose), clockSkew: clockSkew, signers: signers)
        settings.acceptsTestDocuments = acceptsTestDocuments
        return settings
    }

    /// Returns the revocation policy for a request. If the purpose is unknown, as with a stored answer, every
    /// policy of the file is allowed.
    private func revocation(
        named name: String?, for purpose: RequestPurpose?
    ) throws(CommandFailure) -> RevocationPolicy {
        let named = try name.map { name throws(CommandFailure) in try policy(named: name) }
        guard let purpose else {
            if let named { return named }
            return try policy(named: standard)
        }
        guard let chosen = purposes.policy(for: [purpose], choosing: [named]) else {
            let own = Terminal.safe(purposes[purpose].name, limit: 40)
            throw .usage(
                "--policy: this policy accepts more than \(own), the policy for \(purpose.rawValue); leave --policy out, or change the policy file"
            )
        }
        return chosen
    }

    /// The policy of each purpose: the policy of the file with the purpose's name. A purpose without such a
    /// policy gets the policy `rental`, which by default refuses a document if it is unknown whether the
    /// document is revoked.
    private var purposes: PurposePolicies {
        var purposes = PurposePolicies()
        for purpose in RequestPurpose.allCases {
            let own = policies[purpose.rawValue] ?? policies[RequestPurpose.rental.rawValue]
            if let own { purposes[purpose] = own }
        }
        return purposes
    }

    private func policy(named name: String) throws(CommandFailure) -> RevocationPolicy {
        guard let policy = policies[name] else {
            throw .usage(
                "--policy: there is no policy of this name; give one of "
                    + policies.keys.sorted().map { Terminal.safe($0, limit: 40) }.joined(separator: ", "))
        }
        return policy
    }
}
