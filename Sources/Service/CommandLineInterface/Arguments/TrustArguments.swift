package import ArgumentParser
internal import JSON
package import MdocModel
package import MdocTrust
internal import PKIX
internal import ReaderStore

/// `--trust`: trust comes from it or from the store, and never from the system's certificates.
package struct TrustArguments: ParsableArguments {
    @Option(
        name: .long, parsing: .upToNextOption,
        help: ArgumentHelp(
            "Trust these issuer roots (IACA) instead of the trust store: PEM or DER files, or folders of them. Repeatable.",
            discussion: "Nothing else is trusted: no certificate of this system, none that a phone sends.",
            valueName: "path"))
    package var trust: [String] = []

    package init() {}

    /// The trusted roots. Problems are reported on standard error: certificates that are not roots (Q178), and
    /// roots that are not valid at `now` (Q173).
    ///
    /// - Parameter store: the folder of the store, which is not read if roots are named.
    package func load(from store: String, at now: Timestamp) throws(CommandFailure) -> TrustStore {
        trust.isEmpty ? try Self.stored(in: store, at: now) : try named(at: now)
    }

    private func named(at now: Timestamp) throws(CommandFailure) -> TrustStore {
        var files = TrustFiles()
        for path in trust { try files.read(path) }
        files.notes.forEach { Terminal.note("note: \($0)") }
        if let note = TrustFiles.noteOnValidity(of: files.anchors, at: now) { Terminal.note("note: \(note)") }
        if files.anchors.isEmpty { Terminal.note("note: --trust names no root: every issuer is unknown") }
        let store = TrustStore(anchors: files.anchors)
        for anchor in store.unlinkedAnchors(at: now) {
            Terminal.note("note: not trusted: \(TrustCondition(notLinked: anchor).explanation)")
        }
        return store
    }

    private static func stored(in folder: String, at now: Timestamp) throws(CommandFailure) -> TrustStore {
        let snapshot: TrustSnapshot
        do throws(ReaderStoreError) {
            snapshot = try ReaderStore(at: folder, for: .reading).currentTrust().snapshot
        } catch .absent, .empty {
            throw .usage(
                "no issuer is trusted yet: name roots with --trust, or put roots into the trust store with"
                    + " `countersign trust import`")
        } catch {
            throw error.failure(in: folder)
        }
        let anchors = snapshot.anchors.map(\.anchor)
        if let note = TrustFiles.noteOnValidity(of: anchors, at: now) { Terminal.note("note: \(note)") }
        if anchors.isEmpty { Terminal.note("note: the trust store has no root: every issuer is unknown") }
        return TrustStore(snapshot)
    }
}
