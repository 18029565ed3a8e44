internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import MdocTrust

/// A source, or a root that a VICAL lists, as a person names it.
struct SourceSelector {
    private static let shortestDigest = 4
    let text: String

    init(_ text: String) { self.text = text }

    private func matches(_ digest: [UInt8]) -> Bool {
        text.count >= Self.shortestDigest && digest.hexadecimal.hasPrefix(text.lowercased())
    }

    func sources(in snapshot: TrustSnapshot) -> [TrustSource] {
        let named = snapshot.sources.filter { $0.name == text }
        return named.isEmpty ? snapshot.sources.filter { matches($0.sha256) } : named
    }

    /// The one source that is meant.
    func only(in snapshot: TrustSnapshot) throws(CommandFailure) -> TrustSource {
        let found = sources(in: snapshot)
        guard let first = found.first else { throw unknown }
        guard found.count == 1 else {
            throw .usage(
                "\(Terminal.safe(text)): \(found.count) sources have this name, or digests that begin like this: give more of the digest that `countersign trust list` shows"
            )
        }
        return first
    }

    func anchors(in snapshot: TrustSnapshot) -> [TrustedAnchor] {
        snapshot.anchors.filter { matches($0.anchor.sha256) }
    }

    var unknown: CommandFailure {
        .usage(
            "\(Terminal.safe(text)): the trust store has no source with this name or digest: `countersign trust list` shows those it has"
        )
    }
}
