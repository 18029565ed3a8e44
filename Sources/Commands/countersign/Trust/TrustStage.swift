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

/// A change of trust that is being prepared, with a report for the user.
///
/// The commands `trust import`, `add`, `update`, `remove` and `import-bundle` share this path:
///
/// 1. The command opens the store (`TrustStoreAccess`) and reads the current snapshot.
/// 2. It creates a stage from that snapshot and the `TrustRules` of its options.
/// 3. `admit`, `replaceAll` and `remove` change the stage. `TrustChange` decides about each source: new,
///    renewed, unchanged or refused. The stage makes a `SourceOutcome` for each decision, and for each
///    list that could not be fetched.
/// 4. `TrustStoreAccess.save` stores the new snapshot in one transaction, if it differs from the current
///    snapshot. The store refuses the snapshot if another process changed trust in the meantime.
/// 5. `TrustChangeReport.finish` prints the outcomes and ends the command: status 2 if a source was refused,
///    69 if a list could not be fetched, otherwise 0.
///
/// The sources given to `admit` are independent: if one is refused or cannot be fetched, the others are still
/// admitted. For a source that failed, the store keeps the present version. A bundle is one unit:
/// `replaceAll` changes nothing if one source is refused.
///
/// A stage is a value on the task of its command. It does no I/O: it fetches nothing, stores nothing, and
/// no new source is trusted before step 4. Commands never decide about a source themselves; that is the work
/// of `TrustChange`, which a kiosk of a fleet uses too.
struct TrustStage {
    /// The change so far, with the snapshot that it would make.
    private(set) var change: TrustChange
    /// The outcomes in the order in which the sources were checked.
    private(set) var outcomes: [SourceOutcome] = []

    init(_ before: TrustSnapshot?, _ rules: TrustRules) {
        change = TrustChange(from: before, by: rules)
    }

    var snapshot: TrustSnapshot { change.snapshot }

    /// Checks the sources and admits those that pass.
    mutating func admit(_ sources: [TrustSource]) {
        report { $0.admit(sources) }
    }

    /// Checks and admits fetched lists. If a list could not be fetched, its present version stays.
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

    /// Replaces all sources by the sources of a bundle's snapshot, unless one of the bundle's sources is
    /// refused.
    mutating func replaceAll(by other: TrustSnapshot) {
        report { $0.replaceAll(by: other) }
    }

    mutating func remove(_ source: TrustSource) {
        report { $0.remove(source) }
    }

    /// Performs one step of the change, such as an admission or a removal. Adds an outcome for each source
    /// that the step decided about.
    private mutating func report(_ step: (inout TrustChange) -> Void) {
        let reported = change.outcomes.count
        step(&change)
        outcomes += change.outcomes.dropFirst(reported).map(SourceOutcome.init)
    }
}

/// The outcome for one source when the trust store is changed.
struct SourceOutcome {
    /// The kind of outcome.
    enum Result: String, CaseIterable {
        case new, renewed, unchanged, removed
        /// The source was refused. Its present version stays.
        case refused
        /// The list could not be fetched. Its present version stays.
        case failed
    }

    /// The reason for a refusal or failure, or a remark on an admitted list.
    struct Reason {
        let id: String
        let detail: String
        /// Whether the list should have been renewed (Q217, Q230).
        var isOverdue = false
    }

    let kind: TrustSource.Kind
    let name: String
    /// The title of the source in texts.
    let title: String
    let result: Result
    /// The reason for a refusal or failure, or the remark that an admitted list is overdue.
    let reason: Reason?
    /// The remarks on an admitted list: repaired or omitted entries, and an overdue update.
    let remarks: [Reason]

    /// Creates the outcome of a source about which `TrustChange` has decided.
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

    /// Creates the outcome of a list that could not be fetched.
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
    /// Creates the reason for a refusal. If an unusable source contains text instead of binary data, the
    /// reason names the form of the text, such as PEM.
    fileprivate init(_ refusal: AdmissionRefusal, of source: TrustSource) {
        id = refusal.id
        guard case .unusable(let condition) = refusal else {
            detail = refusal.explanation
            return
        }
        var certificate: Certificate?
        if case .certificate(let held) = source.content { certificate = try? held.certificate() }
        let explanation = condition.explanation(of: certificate)
        // The explanation of `statusListUnreadable(.text)` already mentions the form of the text.
        if case .statusListUnreadable(.text) = condition {
            detail = explanation
        } else {
            detail = explanation + (TextForm(source.bytes).map { "; the content is \($0.explanation)" } ?? "")
        }
    }

    /// Creates the remark about an admitted list. For an overdue list, the text explains the effect on
    /// results.
    fileprivate init(_ condition: TrustCondition) {
        id = condition.id
        guard case .listStale = condition else {
            detail = condition.explanation
            return
        }
        isOverdue = true
        detail =
            "\(condition.explanation); results mention this, and a policy that refuses undetermined revocation may refuse documents"
    }
}

extension TrustStoreAccess {
    /// Admits the sources of files, fetches the targets, admits the fetched lists and stores the new
    /// snapshot.
    func importing(
        _ sources: [TrustSource], and targets: [FetchTarget], by fetching: FetchArguments,
        _ rules: TrustRules
    ) async throws(CommandFailure) -> TrustChangeReport {
        let current = try currentIfAny()
        var stage = TrustStage(current?.snapshot, rules)
        // Files come before targets, because a provider's root in a file must be trusted before its VICAL is
        // checked.
        Progress.during("Checking the sources") { stage.admit(sources) }
        if !targets.isEmpty {
            let fetcher = try fetching.fetcher()
            stage.admit(await fetcher.showingProgress(of: targets, at: rules.now))
        }
        return try save(stage, after: current, by: .imported, at: rules.now)
    }
}

extension FetchTarget {
    /// Creates the target of a fetch from a URL on the command line.
    init(_ kind: TrustSource.Kind, argument url: String) throws(CommandFailure) {
        self = try mapping(FetchTarget(kind, name: url)) { (error: TrustFetchError) in
            CommandFailure.usage("\(Terminal.safe(url)): \(error.explanation)")
        }
    }
}

extension TrustFetcher {
    /// Fetches the targets while a progress line is shown.
    func showingProgress(of targets: [FetchTarget], at now: Timestamp) async -> [FetchResult] {
        await Progress.during("Fetching trust lists") { await fetch(targets, at: now) }
    }
}

extension TrustSource {
    /// This source in DER if the server sent PEM.
    ///
    /// A fetched root is named by its digest instead of its URL, so the server cannot replace the root by
    /// another root.
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

/// The options that determine how strictly sources are checked.
struct StagingArguments: ParsableArguments {
    @Flag(
        name: .long,
        help:
            "Accept a list that lost more than a fifth of the entries of its previous version. By default such a list is refused."
    )
    var acceptShrunken = false

    @Option(
        name: .long, parsing: .upToNextOption,
        help: ArgumentHelp(
            "A certificate, in PEM or DER, that documents name as the signer of their status list. Repeatable.",
            valueName: "file"))
    var signer: [String] = []

    /// Reads the certificates of status list signers, and returns the rules of a change.
    func rules(at now: Timestamp, _ policy: VerificationPolicy) throws(CommandFailure) -> TrustRules {
        var signers: [ArraySlice<UInt8>] = []
        for path in signer {
            let contents = try InputFile.read(path, limit: TrustFiles.largestFile)
            do throws(PKIXError) {
                signers += try certificates(fromPEMOrDER: contents[...]).map(\.der)
            } catch {
                throw .malformed(
                    "\(Terminal.safe(path)): the file is not a certificate in PEM or DER: \(error.explanation)"
                )
            }
        }
        return TrustRules(
            now: now, clockSkew: policy.clockSkew, acceptsShrunken: acceptShrunken, signers: signers)
    }
}

/// `--server-roots`: the TLS roots for the servers from which lists are fetched.
struct FetchArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Verify the TLS certificates of servers with these roots (PEM) instead of the system's roots. The lists themselves are verified in any case.",
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
    /// The snapshot before the change, or `nil` in a new store.
    let previous: TrustSnapshot.ID?
    /// The snapshot after the change, or `nil` if no source was ever admitted.
    let current: TrustRecord?
    let outcomes: [SourceOutcome]

    /// The exit status of the command. A refused source has priority over a list that could not be fetched.
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

    /// The largest number of sources that the text lists.
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
            isChanged ? "\(snapshot) is now current\(wayBack)" : "\(snapshot) stays current: nothing changed")
        return lines.joined(separator: "\n")
    }

    /// The command that returns to the previous snapshot, or an empty text if there was no previous snapshot.
    private var wayBack: String {
        previous.map { "; to undo this, run `countersign trust rollback \($0.shortText)`" } ?? ""
    }
}

extension SourceOutcome {
    /// The largest number of remarks that the text lists for one source.
    private static let mostRemarks = 20

    fileprivate var line: String {
        var lines = ["  \(result.rawValue.padding(to: 9))  \(kind.word.padding(to: 15))  \(title)"]
        let reasons = remarks.isEmpty ? [reason].compactMap(\.self) : remarks
        lines += reasons.prefix(Self.mostRemarks).map { "      \($0.detail)  [\($0.id)]" }
        if reasons.count > Self.mostRemarks {
            lines.append("      … and \(reasons.count - Self.mostRemarks) more remarks: --json shows all")
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
