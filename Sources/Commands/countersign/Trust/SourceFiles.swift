internal import ArgumentParser
internal import CommandLineInterface
internal import FoundationEssentials
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto
internal import PKIX

/// What `--as` names a file to be.
enum SourceKindArgument: String, CaseIterable, ExpressibleByArgument {
    case root, provider, vical, crl, status, identifiers

    var kind: TrustSource.Kind {
        switch self {
        case .root: .anchor
        case .provider: .provider
        case .vical: .vical
        case .crl: .revocationList
        case .status: .statusList
        case .identifiers: .identifierList
        }
    }
}

/// Collects sources of trust from files and folders, and detects their kinds.
struct SourceFiles {
    private static let endings = [".pem", ".der", ".crt", ".cer", ".crl", ".vical", ".cbor", ".cwt"]
    /// The longest file that is read, in bytes.
    private static let largestFile = 1 << 23

    let kind: TrustSource.Kind?
    let now: Timestamp
    private(set) var sources: [TrustSource] = []
    /// What was skipped, and why.
    private(set) var notes: [String] = []

    init(as kind: TrustSource.Kind?, obtainedAt now: Timestamp) {
        self.kind = kind
        self.now = now
    }

    /// A file, which must be of a known kind, or a folder, in which others are skipped.
    mutating func read(_ path: String) throws(CommandFailure) {
        let skipped = try TrustFiles.each(at: path, ending: Self.endings, limit: Self.largestFile) {
            contents, file in
            add(contents, from: file) ? nil : Self.fault(of: contents)
        }
        notes += skipped
    }

    /// For what may be certificates, what is wrong with them: a broken root is the likeliest.
    private static func fault(of contents: [UInt8]) -> String {
        let unknown = "not a certificate, CRL, VICAL or status list"
        let form = TextForm(contents[...])
        // Digits in base64 may begin with the byte that begins DER.
        if form == nil || form == .pem, CertificateRevocationList.issuer(of: contents[...]) == nil,
            CertificateFile.fault(in: contents[...]) != nil
        {
            return TrustFiles.fault(of: contents)
        }
        guard let form else { return "\(unknown); say with --as what it is" }
        let hasBlocks = ((try? PEM.blocks(contents[...])) ?? []).contains {
            $0.is("CERTIFICATE") || $0.is("X509 CRL")
        }
        return hasBlocks ? TrustFiles.damagedBlock : "\(unknown), but \(form.explanation)"
    }

    /// Whether there was something to take.
    private mutating func add(_ contents: [UInt8], from path: String) -> Bool {
        let found = FoundSources(in: contents, as: kind, provenance: .file(path: path), obtained: now)
        sources += found.sources
        if !found.sources.isEmpty {
            notes += [String](
                repeating: "skipped: \(Terminal.safe(path)): \(TrustFiles.damagedBlock)",
                count: found.damagedBlocks)
        }
        return !found.sources.isEmpty
    }
}

/// The sources that the bytes of a file or an answer hold, by the names that they will be known under. Each is read once: its content
/// goes with it.
struct FoundSources {
    private(set) var sources: [TrustSource] = []
    /// The number of blocks of a text that cannot be decoded.
    private(set) var damagedBlocks = 0

    init(
        in contents: [UInt8], as kind: TrustSource.Kind?, provenance: TrustSource.Provenance,
        obtained: Timestamp
    ) {
        var structures: [(kind: TrustSource.Kind, content: SourceContent)] = []
        // Bytes that can be read as they are hold no PEM.
        if let whole = SourceContent.recognize(contents[...]) {
            structures = [(whole.kind, whole.content)]
        } else {
            let blocks = Self.blocks(in: contents)
            damagedBlocks = blocks.count { $0.contents == nil }
            structures = blocks.compactMap { block in
                guard let der = block.contents else { return nil }
                let kind: TrustSource.Kind = block.is("CERTIFICATE") ? .anchor : .revocationList
                return (kind, SourceContent(kind, der[...]))
            }
            structures.sort { $0.kind == .anchor && $1.kind != .anchor }
            // Bytes of no known kind are what they are named to be.
            if blocks.isEmpty, let kind { structures = [(kind, SourceContent(kind, contents[...]))] }
        }
        for (found, content) in structures {
            let wanted = kind ?? found
            // A folder of roots given with `--as vical` holds no VICAL.
            guard wanted.isLike(found) else { continue }
            sources.append(
                TrustSource(
                    wanted, name: content.name, provenance: provenance, obtained: obtained, reading: content))
        }
    }

    /// The blocks of a text that hold roots or CRLs.
    private static func blocks(in contents: [UInt8]) -> [PEM.Block] {
        ((try? PEM.blocks(contents[...])) ?? []).filter { $0.is("CERTIFICATE") || $0.is("X509 CRL") }
    }
}

extension SourceContent {
    /// A certificate is named by its digest, so that the next root of an authority does not replace the previous
    /// one. A list is named by what stays the same when it is renewed.
    fileprivate var name: String {
        let name: String? =
            switch self {
            case .certificate: nil
            case .vical(let held): (try? held.list())?.provider
            case .revocationList(let held):
                (try? held.list()).map { $0.distributionPointURIs?.first ?? $0.issuer.description }
            case .statusToken(let held): (try? held.token())?.subject
            }
        return name ?? Digest(.sha256, of: bytes).bytes.hexadecimal
    }
}

extension TrustSource.Kind {
    /// Whether bytes of the kind `found` may be meant for this kind.
    fileprivate func isLike(_ found: TrustSource.Kind) -> Bool {
        found == self || (found == .anchor && self == .provider)
    }
}

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
