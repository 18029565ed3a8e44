internal import ArgumentParser
internal import CommandLineInterface
internal import FoundationEssentials
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto
internal import PKIX

/// The argument of `--as`: the kind of the given files.
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

/// The sources of trust collected from files and folders. The kind of each file is detected from its
/// contents.
struct SourceFiles {
    /// The endings of the files that are read from a folder.
    static let endings = [".pem", ".der", ".crt", ".cer", ".crl", ".vical", ".cbor", ".cwt"]
    /// The longest file that is read, in bytes.
    static let largestFile = 1 << 23

    let kind: TrustSource.Kind?
    let now: Timestamp
    private(set) var sources: [TrustSource] = []
    /// Messages about skipped files and skipped PEM blocks, each with the reason.
    private(set) var notes: [String] = []

    init(as kind: TrustSource.Kind?, obtainedAt now: Timestamp) {
        self.kind = kind
        self.now = now
    }

    /// Adds the sources of one file, or of all files of a folder.
    ///
    /// If `path` is a file, its kind must be recognised. In a folder, files of an unknown kind are skipped.
    mutating func read(_ path: String) throws(CommandFailure) {
        let skipped = try TrustFiles.each(at: path, ending: Self.endings, limit: Self.largestFile) {
            contents, file in
            add(contents, from: file) ? nil : Self.fault(of: contents)
        }
        notes += skipped
    }

    /// Returns the reason why no source of trust was found in the contents. If the contents may be a
    /// certificate, the text explains the certificate's fault, because a damaged root is the most common
    /// case.
    private static func fault(of contents: [UInt8]) -> String {
        let unknown = "not a certificate, CRL, VICAL or status list"
        let form = TextForm(contents[...])
        // A certificate in DER begins with 0x30, which is "0" in text. Base64 text is excluded, so that it is
        // not reported as a damaged certificate.
        if form == nil || form == .pem, CertificateRevocationList.issuer(of: contents[...]) == nil,
            CertificateFile.fault(in: contents[...]) != nil
        {
            return TrustFiles.fault(of: contents)
        }
        guard let form else { return "\(unknown); give its kind with --as" }
        let hasBlocks = ((try? PEM.blocks(contents[...])) ?? []).contains {
            $0.is("CERTIFICATE") || $0.is("X509 CRL")
        }
        return hasBlocks ? TrustFiles.damagedBlock : "\(unknown), but \(form.explanation)"
    }

    /// Adds the sources in the contents of a file. Returns whether a source was found.
    private mutating func add(_ contents: [UInt8], from path: String) -> Bool {
        let found = FoundSources(in: contents, as: kind, provenance: .file(path: path), obtained: now)
        sources += found.sources
        // If there is no source at all, the caller reports the damaged blocks as a fault of the whole file.
        if !found.sources.isEmpty {
            notes += [String](
                repeating: "skipped: \(Terminal.safe(path)): \(TrustFiles.damagedBlock)",
                count: found.damagedBlocks)
        }
        return !found.sources.isEmpty
    }
}

/// The sources of trust in a file or in a server's answer, with their names in the trust store.
///
/// Each source is parsed once, because `TrustSource` keeps the parsed content.
struct FoundSources {
    private(set) var sources: [TrustSource] = []
    /// The number of PEM blocks that cannot be decoded.
    private(set) var damagedBlocks = 0

    init(
        in contents: [UInt8], as kind: TrustSource.Kind?, provenance: TrustSource.Provenance,
        obtained: Timestamp
    ) {
        var structures: [(kind: TrustSource.Kind, content: SourceContent)] = []
        // Contents that are recognised as one binary source are not searched for PEM blocks.
        if let whole = SourceContent.recognise(contents[...]) {
            structures = [(whole.kind, whole.content)]
        } else {
            let blocks = Self.blocks(in: contents)
            damagedBlocks = blocks.count { $0.contents == nil }
            structures = blocks.compactMap { block in
                guard let der = block.contents else { return nil }
                let kind: TrustSource.Kind = block.is("CERTIFICATE") ? .anchor : .revocationList
                return (kind, SourceContent(kind, der[...]))
            }
            // Roots come first, because a CRL in the same file is checked against them.
            structures.sort { $0.kind == .anchor && $1.kind != .anchor }
            // Unrecognised contents get the kind of `--as`, so that the check of the source reports their
            // fault.
            if blocks.isEmpty, let kind { structures = [(kind, SourceContent(kind, contents[...]))] }
        }
        for (found, content) in structures {
            let wanted = kind ?? found
            // The kind of --as must fit the recognised contents. For example, a root given with `--as vical`
            // is no VICAL.
            guard wanted.isLike(found) else { continue }
            sources.append(
                TrustSource(
                    wanted, name: content.name, provenance: provenance, obtained: obtained, reading: content))
        }
    }

    /// Returns the PEM blocks of certificates and CRLs.
    private static func blocks(in contents: [UInt8]) -> [PEM.Block] {
        ((try? PEM.blocks(contents[...])) ?? []).filter { $0.is("CERTIFICATE") || $0.is("X509 CRL") }
    }
}

extension SourceContent {
    /// The name of the source in the trust store.
    ///
    /// A certificate is named by its digest, so a new root of an authority does not replace the authority's
    /// earlier root. A list is named by a property that stays the same when the list is renewed, such as a
    /// VICAL's provider.
    fileprivate var name: String {
        let name: String? =
            switch self {
            case .certificate: nil
            case .vical(let held): (try? held.list())?.provider
            case .revocationList(let held):
                (try? held.list()).map { $0.distributionPointURIs?.first ?? $0.issuer.description }
            case .statusToken(let held): (try? held.token())?.subject
            }
        // A certificate, or a list from which no lasting name can be read, is named by its digest.
        return name ?? Digest(.sha256, of: bytes).bytes.hexadecimal
    }
}

extension TrustSource.Kind {
    /// Returns whether contents that were recognised as `found` may be used as this kind. The root of a
    /// list's provider is recognised as an issuer's root, because both are certificates.
    fileprivate func isLike(_ found: TrustSource.Kind) -> Bool {
        found == self || (found == .anchor && self == .provider)
    }
}

/// The argument that selects sources or roots: a name, or the beginning of a SHA-256 digest.
struct SourceSelector {
    /// The smallest number of hexadecimal digits that select by digest.
    private static let shortestDigest = 4
    let text: String

    init(_ text: String) { self.text = text }

    private func matches(_ digest: [UInt8]) -> Bool {
        text.count >= Self.shortestDigest && digest.hexadecimal.hasPrefix(text.lowercased())
    }

    /// Returns the sources with this name. If no source has this name, returns the sources whose digest
    /// begins with the text.
    func sources(in snapshot: TrustSnapshot) -> [TrustSource] {
        let named = snapshot.sources.filter { $0.name == text }
        return named.isEmpty ? snapshot.sources.filter { matches($0.sha256) } : named
    }

    /// Returns the only selected source.
    ///
    /// - Throws: Status 64 (usage) if no source or several sources are selected.
    func only(in snapshot: TrustSnapshot) throws(CommandFailure) -> TrustSource {
        let found = sources(in: snapshot)
        guard let first = found.first else { throw unknown }
        guard found.count == 1 else {
            throw .usage(
                "\(Terminal.safe(text)): \(found.count) sources have this name or a digest that begins like this; give more digits of the digest, as `countersign trust list` shows it"
            )
        }
        return first
    }

    /// Returns the trusted roots whose digest begins with the text.
    func anchors(in snapshot: TrustSnapshot) -> [TrustedAnchor] {
        snapshot.anchors.filter { matches($0.anchor.sha256) }
    }

    /// The failure of a command that finds no source with this name or digest.
    var unknown: CommandFailure {
        .usage(
            "\(Terminal.safe(text)): the trust store has no source with this name or digest; `countersign trust list` shows all sources"
        )
    }
}
