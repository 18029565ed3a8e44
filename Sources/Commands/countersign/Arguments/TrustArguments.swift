internal import ArgumentParser
internal import MdocModel
internal import MdocTrust

/// `--trust`, the only place that trust comes from: no system certificates, ever.
struct TrustArguments: ParsableArguments {
    @Option(
        name: .long, parsing: .upToNextOption,
        help: ArgumentHelp(
            "Trust these issuer roots (IACA): PEM or DER files, or folders of them. Repeatable.",
            discussion: "Nothing else is trusted: no certificate of this system, none that a phone sends.",
            valueName: "path"))
    var trust: [String]

    /// The roots, with what was found wrong with them told on standard error: certificates that are no roots
    /// (Q178), and roots that are not valid at `now` (Q173).
    func load(at now: Timestamp) throws(CommandFailure) -> TrustStore {
        var files = TrustFiles()
        for path in trust { try files.read(path) }
        files.notes.forEach { Terminal.note("note: \($0)") }
        if let note = files.noteOnValidity(at: now) { Terminal.note("note: \(note)") }
        if files.anchors.isEmpty { Terminal.note("note: --trust names no root: every issuer is unknown") }
        return TrustStore(anchors: files.anchors)
    }
}
