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

    /// Lets in what was fetched. A list that could not be fetched does not affect the others, and its earlier version stays.
    mutating func admit(_ results: [FetchResult]) {
        var sources: [TrustSource] = []
        for result in results {
            switch result.outcome {
            case .success(let source): sources.append(source.withoutPEM)
            case .failure(let error):
                outcomes.append(
                    SourceOutcome(
                        result.target.identity,
                        failed: SourceOutcome.Reason(id: "fetch.\(error.id)", detail: error.explanation)))
            }
        }
        admit(sources)
    }

    mutating func replaceAll(by other: TrustSnapshot) {
        report { $0.replaceAll(by: other) }
    }

    mutating func remove(_ source: TrustSource) {
        report { $0.remove(source) }
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

    init(_ outcome: TrustChange.Decision) {
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

/// The result of a change of trust.
struct TrustChangeReport {
    /// What was current before; nil in a store that was just set up.
    let previous: TrustSnapshot.ID?
    /// What is current now; nil if nothing was let in ever.
    let current: TrustRecord?
    let outcomes: [SourceOutcome]

    /// A refused list outweighs one that could not be had.
    var exitStatus: ExitStatus {
        if outcomes.contains(where: { $0.result == .refused }) { return .rejected }
        return outcomes.contains { $0.result == .failed } ? .unavailable : .success
    }

    private var isChanged: Bool { previous != current?.id }

    var json: JSONValue {
        [
            "snapshot": JSONValue(current?.id.description), "previous": JSONValue(previous?.description),
            "changed": .boolean(isChanged), "sources": .array(outcomes.map(\.json)),
        ]
    }

    private static let mostLines = 60

    var text: String {
        let notable = outcomes.filter { $0.result != .unchanged }
        var lines = notable.prefix(Self.mostLines).map(\.line)
        if notable.count > lines.count { lines.append("  … and \(notable.count - lines.count) more") }
        let counts = SourceOutcome.Result.allCases.compactMap { result -> String? in
            let count = outcomes.count { $0.result == result }
            return count == 0 ? nil : "\(count) \(result.rawValue)"
        }
        if !counts.isEmpty { lines.append(counts.joined(separator: ", ")) }
        guard let current else { return (lines + ["nothing is trusted yet"]).joined(separator: "\n") }
        let snapshot = "trust snapshot \(current.id.shortText)"
        lines.append(
            isChanged ? "\(snapshot) is in force\(wayBack)" : "\(snapshot) stays in force: nothing changed")
        return lines.joined(separator: "\n")
    }

    private var wayBack: String {
        previous.map { "; `countersign trust rollback \($0.shortText)` takes that back" } ?? ""
    }
}

extension SourceOutcome {
    private static let mostRemarks = 20

    fileprivate var line: String {
        var lines = ["  \(result.rawValue.padding(to: 9))  \(kind.word.padding(to: 15))  \(title)"]
        let reasons = remarks.isEmpty ? [reason].compactMap(\.self) : remarks
        lines += reasons.prefix(Self.mostRemarks).map { "      \($0.detail)  [\($0.id)]" }
        if reasons.count > Self.mostRemarks {
            lines.append("      … and \(reasons.count - Self.mostRemarks) more remarks: --json has all")
        }
        return lines.joined(separator: "\n")
    }

    fileprivate var json: JSONValue {
        [
            "kind": .string(kind.rawValue), "name": .string(name), "outcome": .string(result.rawValue),
            "reason": JSONValue(reason?.id), "detail": JSONValue(reason?.detail),
            "remarks": .array(
                remarks.map { ["id": .string($0.id), "detail": .string($0.detail)] }),
        ]
    }
}
