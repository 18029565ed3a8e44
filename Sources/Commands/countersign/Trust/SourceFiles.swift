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
        let found = TrustSource.found(
            in: contents, as: kind, provenance: .file(path: path), obtained: now)
        sources += found
        let damaged = TrustSource.blocks(in: contents).count { $0.contents == nil }
        if !found.isEmpty, damaged > 0 {
            notes += [String](
                repeating: "skipped: \(Terminal.safe(path)): \(TrustFiles.damagedBlock)", count: damaged)
        }
        return !found.isEmpty
    }
}

extension TrustSource {
    /// What the bytes of a file or an answer hold, by the names that it will be known under.
    static func found(
        in contents: [UInt8], as kind: Kind?, provenance: Provenance, obtained: Timestamp
    ) -> [TrustSource] {
        // A folder of roots given with `--as vical` holds no VICAL.
        encodings(in: contents).compactMap { found, bytes in
            let wanted = kind ?? found
            guard let wanted, found == nil || wanted.isLike(found) else { return nil }
            return TrustSource(
                wanted, name: name(of: bytes, wanted), provenance: provenance, obtained: obtained,
                bytes: bytes[...])
        }
    }

    /// The blocks of a text that hold roots or CRLs. What can be read as it is, is no text.
    fileprivate static func blocks(in contents: [UInt8]) -> [PEM.Block] {
        guard kind(of: contents[...]) == nil else { return [] }
        let blocks = (try? PEM.blocks(contents[...])) ?? []
        return blocks.filter { $0.is("CERTIFICATE") || $0.is("X509 CRL") }
    }

    /// Each structure with its kind; nil for bytes of no known kind.
    private static func encodings(in contents: [UInt8]) -> [(Kind?, [UInt8])] {
        let blocks = blocks(in: contents)
        guard !blocks.isEmpty else { return [(Self.kind(of: contents[...]), contents)] }
        let read = blocks.compactMap { block in
            block.contents.map { (block.is("CERTIFICATE") ? Kind.anchor : .revocationList, $0) }
        }
        return read.sorted { $0.0 == .anchor && $1.0 != .anchor }
    }

    private static func kind(of bytes: ArraySlice<UInt8>) -> Kind? {
        if (try? Certificate(der: bytes)) != nil { return .anchor }
        if CertificateRevocationList.issuer(of: bytes) != nil { return .revocationList }
        if (try? UnverifiedVICAL(bytes)) != nil { return .vical }
        do throws(StatusTokenError) {
            return try StatusToken(bytes).kind == .statusList ? .statusList : .identifierList
        } catch {
            // It is refused as such, by name, beside the other sources.
            return error == .text(.jwt) ? .statusList : nil
        }
    }

    /// A certificate is named by its digest, so that the next root of an authority does not replace the previous
    /// one. A list is named by what stays the same when it is renewed.
    private static func name(of bytes: [UInt8], _ kind: Kind) -> String {
        let digest = Digest(.sha256, of: bytes[...]).bytes.hexadecimal
        switch kind {
        case .anchor, .provider: return digest
        case .vical: return (try? UnverifiedVICAL(bytes[...]))?.provider ?? digest
        case .revocationList:
            guard let list = try? CertificateRevocationList(der: bytes[...]) else { return digest }
            return list.distributionPointURIs?.first ?? list.issuer.description
        case .statusList, .identifierList: return (try? StatusToken(bytes[...]))?.subject ?? digest
        }
    }
}

extension TrustSource.Kind {
    /// Whether bytes of the kind `found` may be meant for this kind.
    fileprivate func isLike(_ found: TrustSource.Kind?) -> Bool {
        found == self || (found == .anchor && self == .provider)
    }
}
