internal import ArgumentParser
internal import COSE
internal import FoundationEssentials
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderService

/// In whose name a request is made.
struct IdentityArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Sign the request as this reader identity, or do not ask at all.",
            discussion: "Without it the identities' own choice decides, which may be that none signs.",
            valueName: "name"))
    var identity: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The wallet that is expected, for the choice of identity.", valueName: "name"))
    var wallet: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The brand that asks, for the choice of identity.", valueName: "name"))
    var brand: String?

    func validate() throws {
        guard identity == nil || (wallet == nil && brand == nil) else {
            throw ValidationError("--identity takes the place of --wallet and --brand.")
        }
    }

    /// A question that is asked in the name of whom these arguments say.
    func question(
        _ content: PresentationQuestion.Content, from source: some ReaderIdentitySource, at now: Timestamp
    ) throws(CommandFailure) -> PresentationQuestion {
        let identities: ReaderIdentityChoice
        if let identity {
            identities = ReaderIdentityChoice([.init(identity: try source.identity(named: identity, at: now))]
            )
        } else {
            identities = try source.choice(at: now)
        }
        return PresentationQuestion(content, identities: identities, wallet: wallet, brand: brand)
    }
}

/// Where reader identities are kept.
protocol ReaderIdentitySource {
    /// The identity of this name; one that cannot be used is wrong usage.
    func identity(named name: String, at now: Timestamp) throws(CommandFailure) -> ReaderIdentity

    /// Which of them asks where none is named.
    func choice(at now: Timestamp) throws(CommandFailure) -> ReaderIdentityChoice
}

/// Identities as folders, each with `key.pem` and `chain.pem`, its leaf first. None of them is chosen unnamed.
struct ReaderIdentityFolders: ReaderIdentitySource {
    /// Nil where there are none.
    let path: String? = ProcessInfo.processInfo.environment["COUNTERSIGN_STORE"].map { "\($0)/identities" }

    func identity(named name: String, at now: Timestamp) throws(CommandFailure) -> ReaderIdentity {
        guard let path, !name.isEmpty, !name.hasPrefix("."), !name.contains("/") else {
            throw .usage("there is no identity \(Terminal.safe(name))")
        }
        let key = try InputFile.read("\(path)/\(name)/key.pem")
        let chain = try InputFile.read("\(path)/\(name)/chain.pem")
        do {
            let certificates = try PEM.decode(chain[...], label: "CERTIFICATE").map {
                try Certificate(der: $0[...])
            }
            let certified = try COSECertifiedKey(
                PrivateKey(pem: key[...]), chain: CertificateChain(certificates))
            return ReaderIdentity(name: name, key: certified)
        } catch {
            throw .usage("identity \(Terminal.safe(name)): its key and certificates do not go together")
        }
    }

    func choice(at now: Timestamp) throws(CommandFailure) -> ReaderIdentityChoice { ReaderIdentityChoice([]) }
}
