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
            "Sign the request with this reader identity. If the identity cannot sign, no request is sent.",
            discussion:
                "By default the rules of `countersign identity choose` select an identity. The request is unsigned if no rule matches.",
            valueName: "name"))
    var identity: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The wallet that you expect. The rules that select an identity may depend on it.",
            valueName: "name"))
    var wallet: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The brand that makes the request. The rules that select an identity may depend on it.",
            valueName: "name"))
    var brand: String?

    func validate() throws {
        guard identity == nil || (wallet == nil && brand == nil) else {
            throw ValidationError("Give either --identity, or --wallet and --brand.")
        }
    }

    /// Returns a request for `content` with the identities that may sign it. With `--identity` only the given
    /// identity may sign. Otherwise the rules in `folder` select the identity. A message on standard error
    /// lists each identity that cannot sign.
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
