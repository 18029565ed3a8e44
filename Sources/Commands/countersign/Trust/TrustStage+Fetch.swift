internal import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto
internal import TrustFetch

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
        let found = TrustSource.found(
            in: Array(bytes), as: kind, provenance: provenance, obtained: obtained)
        guard found.count == 1, let only = found.first else { return self }
        return kind == .anchor
            ? only
            : TrustSource(kind, name: name, provenance: provenance, obtained: obtained, bytes: only.bytes)
    }
}
