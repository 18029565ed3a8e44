internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import ReaderStore

/// `countersign trust list`: what is trusted, and what was before.
struct TrustListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List what is trusted, and the snapshots that are kept.",
        discussion: """
            The latest \(ReaderStore.keptSnapshots) snapshots are kept.

            EXAMPLES:
              countersign trust list
              countersign trust list --json

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Option(
        name: .long, help: ArgumentHelp("List this snapshot instead of the current one.", valueName: "id"))
    var snapshot: SnapshotArgument?

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let access = try TrustStoreAccess.reading(store.path)
        let trust =
            try snapshot.map { id throws(CommandFailure) in try access.snapshot(id) } ?? access.current()
        try Self.list(trust, of: access, asJSON: output.json)
    }

    /// Writes the list of everything in a snapshot.
    static func list(_ trust: StoredTrust, of access: TrustStoreAccess, asJSON: Bool) throws(CommandFailure) {
        let list = TrustListing(trust: trust, history: try access.history())
        Terminal.result(asJSON ? list.json.text : list.text)
    }
}

private struct TrustListing {
    let trust: StoredTrust
    let history: [TrustRecord]

    private var sources: [SourceDescription] { trust.snapshot.sources.map(SourceDescription.init) }

    var json: JSONValue {
        [
            "snapshot": .string(trust.record.id.description),
            "created": .string(trust.record.created.description),
            "change": .string(trust.record.change.rawValue), "current": .boolean(trust.record.isCurrent),
            "roots": .integer(Int64(trust.snapshot.anchors.count)),
            "sources": .array(sources.map(\.json)), "history": .array(history.map(\.json)),
        ]
    }

    var text: String {
        let record = trust.record
        var lines = [
            "trust snapshot \(record.id.shortText), \(record.change.rawValue) \(record.created)"
                + (record.isCurrent ? "" : " (not the current one)"),
            "trusted roots: \(trust.snapshot.anchors.count); sources: \(trust.snapshot.sources.count)",
        ]
        lines += sources.map(\.line)
        lines.append("snapshots that are kept, the latest first:")
        lines += history.map { entry in
            "  \(entry.id.shortText)  \(entry.change.rawValue.padding(to: 8))  \(entry.created)"
                + (entry.isCurrent ? "  current" : "")
        }
        return lines.joined(separator: "\n")
    }
}

extension TrustRecord {
    fileprivate var json: JSONValue {
        [
            "snapshot": .string(id.description), "created": .string(created.description),
            "change": .string(change.rawValue), "current": .boolean(isCurrent),
        ]
    }
}
