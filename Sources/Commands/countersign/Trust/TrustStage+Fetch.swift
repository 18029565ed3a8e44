internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto
internal import ReaderStore
internal import TrustFetch

extension TrustStoreAccess {
    /// Lets in sources, then what is fetched of the targets, and stores what was let in.
    func importing(
        _ sources: [TrustSource], and targets: [FetchTarget], by fetching: FetchArguments,
        _ rules: TrustRules
    ) async throws(CommandFailure) -> TrustChangeReport {
        let current = try currentIfAny()
        var stage = TrustStage(current?.snapshot, rules)
        Progress.during("Checking the sources") { stage.admit(sources) }
        if !targets.isEmpty {
            let fetcher = try fetching.fetcher()
            stage.admit(await fetcher.showingProgress(of: targets, at: rules.now))
        }
        return try put(stage, after: current, by: .imported, at: rules.now)
    }
}

extension FetchTarget {
    /// A list by its URL on the command line.
    init(_ kind: TrustSource.Kind, argument url: String) throws(CommandFailure) {
        self = try mapping(FetchTarget(kind, name: url)) { (error: TrustFetchError) in
            CommandFailure.usage("\(Terminal.safe(url)): \(error.explanation)")
        }
    }
}

extension TrustStage {
    /// Lets in what was fetched. A list that could not be fetched does not affect the others, and its earlier version stays.
    mutating func admit(_ results: [FetchResult]) {
        var sources: [TrustSource] = []
        for result in results {
            switch result.outcome {
            case .success(let source): sources.append(source.withoutPEM)
            case .failure(let error):
                add(
                    SourceOutcome(
                        result.target.identity,
                        failed: SourceOutcome.Reason(id: "fetch.\(error.id)", detail: error.explanation)))
            }
        }
        admit(sources)
    }
}

extension TrustFetcher {
    /// As `fetch`, with progress on the terminal.
    func showingProgress(of targets: [FetchTarget], at now: Timestamp) async -> [FetchResult] {
        await Progress.during("Fetching trust lists") { await fetch(targets, at: now) }
    }
}

extension TrustSource {
    /// The source in DER, where a server sent it as text. A root that was fetched is known by its digest as any other, so that
    /// nobody who serves it puts another in its place.
    fileprivate var withoutPEM: TrustSource {
        let found = FoundSources(in: Array(bytes), as: kind, provenance: provenance, obtained: obtained)
            .sources
        guard found.count == 1, let only = found.first else { return self }
        return kind == .anchor
            ? only
            : TrustSource(
                kind, name: name, provenance: provenance, obtained: obtained, reading: only.content)
    }
}
