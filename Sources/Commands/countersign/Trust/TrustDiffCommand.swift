internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import ReaderStore

/// `countersign trust diff`: shows the changes from one snapshot to another.
struct TrustDiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show the changes from one snapshot to another.",
        discussion: """
            Give a snapshot by the beginning of its id, as `countersign trust list` shows it. Without a \
            second snapshot, the first is compared with the current one.

            EXAMPLE:
              countersign trust diff 09c5f9f8

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("The earlier snapshot.", valueName: "A"))
    var first: SnapshotArgument

    @Argument(help: ArgumentHelp("The later snapshot.", valueName: "B"))
    var second: SnapshotArgument?

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let access = try TrustStoreAccess.reading(store.path)
        let from = try access.snapshot(first).snapshot
        let to = try second.map { id throws(CommandFailure) in try access.snapshot(id) } ?? access.current()
        let report = TrustDifferenceReport(from: from, to: to.snapshot)
        Terminal.result(output.json ? report.json.text : report.text)
    }
}

/// The difference of two snapshots as text and as JSON.
private struct TrustDifferenceReport {
    private let from: TrustSnapshot
    private let to: TrustSnapshot
    private let difference: TrustDifference

    init(from: TrustSnapshot, to: TrustSnapshot) {
        self.from = from
        self.to = to
        difference = to.difference(from: from)
    }

    var text: String {
        let heading = "from trust snapshot \(from.id.shortText) to \(to.id.shortText)"
        guard !difference.isEmpty else { return "\(heading): no difference" }
        var lines = [heading]
        lines += difference.added.map { "  + \($0.line)" }
        lines += difference.removed.map { "  - \($0.line)" }
        lines += difference.changed.map { "  ~ \($0.to.line), was \($0.from.sha256.hexadecimal.prefix(12))" }
        lines += difference.anchorsAdded.map { "  now trusted: \($0.line)" }
        lines += difference.anchorsRemoved.map { "  no longer trusted: \($0.line)" }
        lines += difference.anchorsChanged.map { "  now trusted for different document types: \($0.line)" }
        return lines.joined(separator: "\n")
    }

    var json: JSONValue {
        [
            "from": .string(from.id.description), "to": .string(to.id.description),
            "added": .array(difference.added.map { SourceDescription($0).json }),
            "removed": .array(difference.removed.map { SourceDescription($0).json }),
            "changed": .array(
                difference.changed.map {
                    ["from": SourceDescription($0.from).json, "to": SourceDescription($0.to).json]
                }),
            "rootsAdded": .array(difference.anchorsAdded.map(\.json)),
            "rootsRemoved": .array(difference.anchorsRemoved.map(\.json)),
            "rootsChanged": .array(difference.anchorsChanged.map(\.json)),
        ]
    }
}

extension TrustSource {
    fileprivate var line: String {
        "\(kind.word) \(SourceDescription(self).title) (\(sha256.hexadecimal.prefix(12)))"
    }
}

extension TrustDifference.Anchor {
    fileprivate var line: String { "\(Terminal.safe(subject)) (\(sha256.hexadecimal.prefix(12)))" }

    fileprivate var json: JSONValue {
        ["subject": .string(subject), "sha256": .string(sha256.hexadecimal)]
    }
}
