internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import ReaderStore

/// `countersign trust lint`: reports expired, outdated, broken and unusual sources of trust.
struct TrustLintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Find sources in the trust store that are expired, outdated, broken or unusual.",
        discussion: """
            A fault makes a source unusable, for example an expired root, an outdated list, or a CRL that no \
            root signed. A remark is worth knowing, for example a root that does not meet its profile or \
            expires within 90 days. Only faults change the exit code.

            EXAMPLE:
              countersign trust lint

            \(ExitStatus.table([.success, .rejected, .usage, .malformed, .unavailable]))
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let trust = try TrustStoreAccess.reading(store.path).current()
        let now = try clock.now()
        let findings = trust.snapshot.lint(at: now)
        let faults = findings.count { $0.condition.isFault }
        if output.json {
            let json: JSONValue = [
                "snapshot": .string(trust.record.id.description), "at": .string(now.description),
                "findings": .array(findings.map(\.json)),
            ]
            Terminal.result(json.text)
        } else {
            let end =
                findings.isEmpty
                ? "trust snapshot \(trust.record.id.shortText): no faults or remarks"
                : "trust snapshot \(trust.record.id.shortText): faults: \(faults), remarks: \(findings.count - faults)"
            Terminal.result((findings.map(\.line) + [end]).joined(separator: "\n"))
        }
        throw ExitCode((faults == 0 ? ExitStatus.success : .rejected).rawValue)
    }
}

extension TrustSource.Identity {
    /// The kind and name of the source. A certificate's name is the beginning of its digest.
    fileprivate var title: String {
        let isCertificate = kind == .anchor || kind == .provider
        return "\(kind.word) \(Terminal.safe(isCertificate ? String(name.prefix(12)) : name, limit: 100))"
    }
}

extension TrustFinding {
    fileprivate var line: String {
        "  \(condition.isFault ? "fault " : "remark")  \(source.title)\n"
            + "      \(condition.explanation)  [\(condition.id)]"
    }

    fileprivate var json: JSONValue {
        [
            "id": .string(condition.id), "severity": condition.isFault ? "fault" : "remark",
            "kind": .string(source.kind.rawValue), "name": .string(source.name),
            "detail": .string(condition.explanation),
        ]
    }
}
