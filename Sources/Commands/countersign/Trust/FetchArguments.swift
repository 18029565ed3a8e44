internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import MdocModel
internal import TrustFetch

/// How lists are fetched.
struct FetchArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Verify servers by these roots (PEM) instead of the system's. The lists themselves are verified all the same.",
            valueName: "file"))
    var serverRoots: String?

    func fetcher() throws(CommandFailure) -> TrustFetcher {
        let roots: ServerRoots =
            if let serverRoots {
                .pem(try InputFile.read(serverRoots, limit: TrustFiles.largestFile))
            } else {
                .system
            }
        return try mapping(TrustFetcher(roots)) { (error: TrustFetchError) in
            CommandFailure.usage(
                "\(Terminal.safe(serverRoots ?? "the system's roots")): \(error.explanation)")
        }
    }
}
