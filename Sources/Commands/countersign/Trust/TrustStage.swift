internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import MdocVerification
internal import OpenSSLCrypto
internal import PKIX
internal import ReaderStore
internal import TrustFetch

/// A change of trust with its report: `TrustChange` decides, and this puts the outcomes in words, among those of lists that could not
/// be fetched. Nothing of the change is current yet.
struct TrustStage {
    private(set) var change: TrustChange
    /// In the order in which the sources were looked at.
    private(set) var outcomes: [SourceOutcome] = []

    init(_ before: TrustSnapshot?, _ rules: TrustRules) {
        change = TrustChange(from: before, by: rules)
    }

    var snapshot: TrustSnapshot { change.snapshot }

    mutating func admit(_ sources: [TrustSource]) {
        report { $0.admit(sources) }
    }

    mutating func replaceAll(by other: TrustSnapshot) {
        report { $0.replaceAll(by: other) }
    }

    mutating func remove(_ source: TrustSource) {
        report { $0.remove(source) }
    }

    /// Adds the outcome of a source that could not be had.
    mutating func add(_ outcome: SourceOutcome) {
        outcomes.append(outcome)
    }

    private mutating func report(_ step: (inout TrustChange) -> Void) {
        let reported = change.outcomes.count
        step(&change)
        outcomes += change.outcomes.dropFirst(reported).map(SourceOutcome.init)
    }
}

/// What became of one source.
struct SourceOutcome {
    enum Result: String, CaseIterable {
        case new, renewed, unchanged, removed
        /// It was refused; what is there stays.
        case refused
        /// It could not be had; what is there stays.
        case failed
    }

    /// Why it was refused or failed, or what is to be known about a list that was let in.
    struct Reason {
        let id: String
        let detail: String
        /// Whether the list should have been renewed (Q217, Q230).
        var isOverdue = false
    }

    let kind: TrustSource.Kind
    let name: String
    /// What people know it by.
    let title: String
    let result: Result
    let reason: Reason?
    /// Remarks on a list that was let in: mended or left out entries, and whether the list is overdue.
    let remarks: [Reason]

    init(_ outcome: TrustChange.Outcome) {
        let source = outcome.source
        switch outcome.result {
        case .admitted(let proof):
            let result: Result =
                switch proof.admission {
                case .new: .new
                case .renewed: .renewed
                case .unchanged: .unchanged
                }
            let remarks = outcome.remarks.map(Reason.init)
            self.init(source, result, reason: remarks.first { $0.isOverdue }, remarks: remarks)
        case .refused(let refusal): self.init(source, .refused, reason: Reason(refusal, of: source))
        case .removed: self.init(source, .removed, reason: nil)
        }
    }

    /// The source could not be had.
    init(_ identity: TrustSource.Identity, failed reason: Reason) {
        self.init(identity, title: Terminal.safe(identity.name), result: .failed, reason: reason)
    }

    private init(
        _ source: TrustSource, _ result: Result, reason: Reason?, remarks: [Reason] = []
    ) {
        self.init(
            source.identity, title: SourceDescription(source).title, result: result, reason: reason,
            remarks: remarks)
    }

    private init(
        _ identity: TrustSource.Identity, title: String, result: Result, reason: Reason?,
        remarks: [Reason] = []
    ) {
        self.remarks = remarks
        kind = identity.kind
        name = identity.name
        self.title = title
        self.result = result
        self.reason = reason
    }
}

extension SourceOutcome.Reason {
    fileprivate init(_ refusal: AdmissionRefusal, of source: TrustSource) {
        id = refusal.id
        guard case .unusable(let condition) = refusal else {
            detail = refusal.explanation
            return
        }
        var certificate: Certificate?
        if case .certificate(let held) = source.content { certificate = try? held.certificate() }
        let explanation = condition.explanation(of: certificate)
        if case .statusListUnreadable(.text) = condition {
            detail = explanation
        } else {
            detail = explanation + (TextForm(source.bytes).map { "; the bytes are \($0.explanation)" } ?? "")
        }
    }

    fileprivate init(_ condition: TrustCondition) {
        id = condition.id
        guard case .listStale = condition else {
            detail = condition.explanation
            return
        }
        isOverdue = true
        detail =
            "\(condition.explanation); results say so, and a policy that refuses what is unknown may refuse them"
    }
}

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

/// How sources are let in.
struct StagingArguments: ParsableArguments {
    @Flag(
        name: .long,
        help:
            "Accept a list that lost more than a fifth of the entries of the one before. Without this it is refused."
    )
    var acceptShrunken = false

    @Option(
        name: .long, parsing: .upToNextOption,
        help: ArgumentHelp(
            "Certificates that documents name for the signers of their status lists, PEM or DER.",
            valueName: "file"))
    var signer: [String] = []

    func rules(at now: Timestamp, _ policy: VerificationPolicy) throws(CommandFailure) -> TrustRules {
        var signers: [ArraySlice<UInt8>] = []
        for path in signer {
            let contents = try InputFile.read(path, limit: TrustFiles.largestFile)
            do throws(PKIXError) {
                signers += try certificates(fromPEMOrDER: contents[...]).map(\.der)
            } catch {
                throw .malformed(
                    "\(Terminal.safe(path)): not a certificate, neither in PEM nor in DER: \(error.explanation)"
                )
            }
        }
        return TrustRules(
            now: now, clockSkew: policy.clockSkew, acceptsShrunken: acceptShrunken, signers: signers)
    }
}

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
