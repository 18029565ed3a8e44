internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import ReaderStore

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
