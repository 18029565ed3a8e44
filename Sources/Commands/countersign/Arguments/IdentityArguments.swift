internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import ReaderIdentityStore
internal import ReaderService

/// `--identity`, `--wallet` and `--brand`: the reader identity that signs a request.
struct IdentityArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Sign the request with this reader identity. If it cannot sign, nothing is requested.",
            discussion:
                "By default the rules of `countersign identity choose` select an identity. The request is unsigned if no rule matches.",
            valueName: "name"))
    var identity: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The expected wallet, used by the rules that select the identity.", valueName: "name"))
    var wallet: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The brand that asks, used by the rules that select the identity.", valueName: "name"))
    var brand: String?

    func validate() throws {
        guard identity == nil || (wallet == nil && brand == nil) else {
            throw ValidationError("Give either --identity, or --wallet and --brand.")
        }
    }

    /// Returns a request for `content` with the identities that may sign it. With `--identity` only that
    /// identity may sign. Otherwise the rules in `folder` select the identity. A note on standard error names
    /// each identity that cannot sign.
    func question(
        _ content: PresentationQuestion.Content, in folder: IdentityFolder, at now: Timestamp
    ) throws(CommandFailure) -> PresentationQuestion {
        do throws(IdentityStoreError) {
            let identities: ReaderIdentityChoice
            if let identity {
                let named = try ReaderIdentities.identity(named: identity, in: folder, at: now)
                identities = ReaderIdentityChoice([.init(identity: named)])
            } else {
                let stored = try ReaderIdentities(in: folder, at: now)
                for (name, error) in stored.unusable {
                    Terminal.message("note: identity \(name) cannot sign the request: \(error.explanation)")
                }
                identities = stored.choice
            }
            return PresentationQuestion(content, identities: identities, wallet: wallet, brand: brand)
        } catch {
            throw error.failure
        }
    }
}
