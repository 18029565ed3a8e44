internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import PKIX
internal import ReaderStore

/// `countersign trust show`: shows one source or root in full.
struct TrustShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one source, or a root that a VICAL lists.",
        discussion: """
            Give a source as `countersign trust list` shows it: its name, or the beginning of its SHA-256. \
            Give a root that a VICAL lists by the beginning of its SHA-256. Without an argument, everything \
            is listed. --out writes the bytes unchanged.

            EXAMPLE:
              countersign trust show aamva --out vical.cbor

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("The source: a name or the beginning of a digest.", valueName: "source"))
    var source: String?

    @Option(name: .long, help: ArgumentHelp("Write the source's bytes to this file.", valueName: "file"))
    var out: String?

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard source != nil || out == nil else {
            throw ValidationError("--out writes the bytes of one source: give the source.")
        }
    }

    func run() throws {
        let access = try TrustStoreAccess.reading(store.path)
        let current = try access.current()
        guard let source else {
            return try TrustListCommand.list(current, of: access, asJSON: output.json)
        }
        let snapshot = current.snapshot
        let selector = SourceSelector(source)
        let anchors = selector.anchors(in: snapshot)
        let sources = selector.sources(in: snapshot)
        guard let bytes = sources.first?.bytes ?? anchors.first?.anchor.certificate.der else {
            throw selector.unknown
        }
        // An imported root is in both lists, as a source and as a trusted root with the same digest. Both are
        // shown.
        guard sources.count <= 1, anchors.count <= 1 else {
            throw CommandFailure.usage(
                "\(Terminal.safe(source)): several sources have this name or a digest that begins like this; give more digits of the digest"
            )
        }
        if let out { try OutputFile.write(bytes, to: out) }
        let descriptions = sources.map { SourceDescription($0) }
        let roots = anchors.map { RootDescription($0) }
        Terminal.result(
            output.json
                ? JSONValue.object([
                    ("source", descriptions.first?.json ?? .null), ("root", roots.first?.json ?? .null),
                ]).text
                : (descriptions.flatMap(\.lines) + roots.flatMap(\.lines)).joined(separator: "\n"))
    }
}

extension SourceDescription {
    /// All facts about the source, each on its own line.
    fileprivate var lines: [String] {
        var lines = [
            "\(source.kind.word) \(title)", "  sha256: \(source.sha256.hexadecimal)",
            "  \(source.bytes.count) bytes, \(source.provenance.text), \(source.obtained)",
        ]
        // The first line already has the title, so a subject that equals the title is not repeated.
        if source.kind != .anchor, let subject, Terminal.safe(subject) != title {
            lines.append("  of: \(Terminal.safe(subject))")
        }
        if let issue { lines.append("  issue: \(issue)") }
        if let entries { lines.append("  entries: \(entries)") }
        if source.isIncomplete {
            lines.append(
                "  incomplete: a certificate or document that is not in this list may still be revoked")
        }
        if let from { lines.append("  from: \(from)") }
        if let until { lines.append("  until: \(until)") }
        return lines
    }
}

/// A trusted root as text and as JSON.
private struct RootDescription {
    let root: TrustedAnchor

    init(_ root: TrustedAnchor) { self.root = root }

    private var certificate: Certificate { root.anchor.certificate }

    /// The broken rules of the certificate profile for issuers' roots (IACA). Rules that compare a
    /// certificate with its issuer are left out.
    private var departures: [String] {
        CertificateProfile.iaca.findings(of: certificate, issuedBy: nil).map(\.rule.rawValue)
    }

    var lines: [String] {
        let docTypes =
            switch root.docTypes {
            case .any: "all document types"
            case .only(let names):
                names.isEmpty
                    ? "nothing" : names.sorted().map { Terminal.safe($0, limit: 80) }.joined(separator: ", ")
            }
        var lines = [
            "trusted root \(Terminal.safe(certificate.subject.description))",
            "  sha256: \(root.anchor.sha256.hexadecimal)",
            "  valid: \(certificate.validity.from) to \(certificate.validity.until)", "  for: \(docTypes)",
            "  named by: "
                + root.sources.map { "\($0.kind.word) \(Terminal.safe($0.name))" }.joined(separator: ", "),
        ]
        if !departures.isEmpty {
            lines.append("  breaks rules of its profile: " + departures.joined(separator: ", "))
        }
        return lines
    }

    var json: JSONValue {
        let docTypes: JSONValue =
            switch root.docTypes {
            case .any: .null
            case .only(let names): .array(names.sorted().map { .string($0) })
            }
        return [
            "subject": .string(certificate.subject.description),
            "sha256": .string(root.anchor.sha256.hexadecimal),
            "from": .string(certificate.validity.from.description),
            "until": .string(certificate.validity.until.description), "docTypes": docTypes,
            "namedBy": .array(
                root.sources.map { ["kind": .string($0.kind.rawValue), "name": .string($0.name)] }),
            "departures": .array(departures.map { .string($0) }),
        ]
    }
}

extension Certificate {
    fileprivate var validity: (from: Timestamp, until: Timestamp) {
        (Timestamp(secondsSince1970: notBefore), Timestamp(secondsSince1970: notAfter))
    }
}

/// `countersign trust list`: lists the sources of a snapshot, and the snapshots that are kept.
struct TrustListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the trusted roots and lists, and the snapshots that are kept.",
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

    /// Prints the sources of a snapshot and the kept snapshots.
    static func list(_ trust: StoredTrust, of access: TrustStoreAccess, asJSON: Bool) throws(CommandFailure) {
        let list = TrustListing(trust: trust, history: try access.history())
        Terminal.result(asJSON ? list.json.text : list.text)
    }
}

/// The sources of a snapshot and the history of snapshots, as text and as JSON.
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
        lines.append("kept snapshots, the latest first:")
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
