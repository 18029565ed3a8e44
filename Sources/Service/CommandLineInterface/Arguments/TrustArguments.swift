package import ArgumentParser
internal import FoundationEssentials
internal import JSON
package import MdocModel
package import MdocTrust
internal import OpenSSLCrypto
internal import PKIX
internal import ReaderStore

/// `--trust`: the issuer roots to trust instead of the trust store. The system's certificates are never
/// trusted.
package struct TrustArguments: ParsableArguments {
    @Option(
        name: .long, parsing: .upToNextOption,
        help: ArgumentHelp(
            "Trust these issuer roots (IACA) instead of the trust store: PEM or DER files, or folders with such files. Repeatable.",
            discussion:
                "Nothing else is trusted: neither the certificates of this system nor those that a phone sends.",
            valueName: "path"))
    package var trust: [String] = []

    package init() {}

    /// Reads the trusted roots. Prints a note on standard error for each certificate that is not a root
    /// (Q178), and a note that lists roots that are not valid at `now` (Q173).
    ///
    /// - Parameter store: The folder of the store. The store is read if `--trust` is not given.
    package func load(from store: String, at now: Timestamp) throws(CommandFailure) -> TrustStore {
        trust.isEmpty ? try Self.stored(in: store, at: now) : try named(at: now)
    }

    /// Reads the roots of `--trust`.
    private func named(at now: Timestamp) throws(CommandFailure) -> TrustStore {
        var files = TrustFiles()
        for path in trust { try files.read(path) }
        files.notes.forEach { Terminal.message("note: \($0)") }
        if let note = TrustFiles.noteOnValidity(of: files.anchors, at: now) {
            Terminal.message("note: \(note)")
        }
        if files.anchors.isEmpty {
            Terminal.message(
                "note: no root certificate in \(trust.map { Terminal.safe($0) }.joined(separator: ", ")) (--trust), so every issuer is unknown"
            )
        }
        let store = TrustStore(anchors: files.anchors)
        for anchor in store.unlinkedAnchors(at: now) {
            Terminal.message("note: not trusted: \(TrustCondition(notLinked: anchor).explanation)")
        }
        return store
    }

    /// Reads the current snapshot of the trust store in `folder`.
    private static func stored(in folder: String, at now: Timestamp) throws(CommandFailure) -> TrustStore {
        let snapshot: TrustSnapshot
        do throws(ReaderStoreError) {
            snapshot = try ReaderStore(at: folder, for: .reading).currentTrust().snapshot
        } catch .absent, .empty {
            throw .usage(
                "no issuer is trusted yet in the store \(Terminal.safe(folder)): give roots with --trust,"
                    + " or add roots to the store with `countersign trust import`")
        } catch {
            throw error.failure(in: folder)
        }
        let anchors = snapshot.anchors.map(\.anchor)
        if let note = TrustFiles.noteOnValidity(of: anchors, at: now) { Terminal.message("note: \(note)") }
        if anchors.isEmpty {
            Terminal.message(
                "note: the trust store in \(Terminal.safe(folder)) has no root, so every issuer is unknown")
        }
        return TrustStore(snapshot)
    }
}

/// The issuer roots that were read from files and folders of the command line, and the notes on skipped
/// certificates and files.
package struct TrustFiles {
    /// The maximum size of a file with certificates, in bytes.
    package static let largestFile = 1 << 22
    /// The largest number of matching files in a folder.
    private static let mostFiles = 4096
    private static let endings = [".pem", ".der", ".crt", ".cer"]

    private(set) var anchors: [TrustAnchor] = []
    /// The texts about skipped certificates and files, each with the reason.
    private(set) var notes: [String] = []

    /// Adds the roots of a file, or of a folder's files that end in `.pem`, `.der`, `.crt` or `.cer`.
    ///
    /// If `path` is a file, it must contain a certificate. In a folder, a file without a certificate is
    /// skipped.
    package mutating func read(_ path: String) throws(CommandFailure) {
        let skipped = try Self.each(at: path, ending: Self.endings, limit: Self.largestFile) {
            contents, file in
            add(contents, from: file) ? nil : Self.fault(of: contents)
        }
        notes += skipped
    }

    /// Reads a file, or the files of a folder that have one of the endings.
    ///
    /// - Parameter accept: Accepts the contents of one file and returns `nil`, or returns the reason why the
    ///   contents cannot be used. If `path` is a file, the reason is thrown. For a file in a folder, the
    ///   reason becomes a note.
    /// - Returns: A note on each skipped file of a folder.
    package static func each(
        at path: String, ending endings: [String], limit: Int,
        _ accept: (_ contents: [UInt8], _ file: String) -> String?
    ) throws(CommandFailure) -> [String] {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder else {
            if let fault = accept(try InputFile.read(path, limit: limit), path) {
                throw .malformed("\(Terminal.safe(path)): \(fault)")
            }
            return []
        }
        var notes: [String] = []
        for file in try files(in: path, ending: endings) {
            do throws(CommandFailure) {
                guard let fault = accept(try InputFile.read(file, limit: limit), file) else { continue }
                notes.append("skipped: \(Terminal.safe(file)): \(fault)")
            } catch {
                notes.append("skipped: \(error.message)")
            }
        }
        return notes
    }

    /// Returns the paths of a folder's files that have one of the endings, sorted by name.
    private static func files(in folder: String, ending endings: [String]) throws(CommandFailure) -> [String]
    {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw .usage("\(Terminal.safe(folder)): the folder cannot be read")
        }
        let files = names.filter { name in endings.contains { name.lowercased().hasSuffix($0) } }.sorted()
        guard files.count <= mostFiles else {
            throw .usage(
                "\(Terminal.safe(folder)): the folder has more than \(mostFiles) matching files, which is the limit"
            )
        }
        return files.map { "\(folder)/\($0)" }
    }

    /// Adds the roots in the contents of a file. Returns whether the contents have a certificate, even a
    /// certificate that is no root.
    private mutating func add(_ contents: [UInt8], from path: String) -> Bool {
        if add(der: contents, from: path) { return true }
        let blocks = ((try? PEM.blocks(contents[...])) ?? []).filter { $0.is("CERTIFICATE") }
        var unreadable: [String] = []
        for block in blocks {
            guard let der = block.contents else {
                unreadable.append(Self.damagedBlock)
                continue
            }
            if !add(der: der, from: path) { unreadable.append(Self.fault(of: der)) }
        }
        // If no certificate is readable, the caller reports one fault of the whole file instead of these
        // texts.
        guard unreadable.count < blocks.count else { return false }
        notes += unreadable.map { "skipped: \(Terminal.safe(path)): \($0)" }
        return true
    }

    package static let damagedBlock = "a PEM block is damaged: it is cut off or not base64"

    /// Returns the reason why no certificate can be read from the contents of a file.
    package static func fault(of contents: [UInt8]) -> String {
        if let error = CertificateFile.fault(in: contents[...]) {
            return TrustCondition.certificateUnreadable(error).explanation
        }
        guard let form = TextForm(contents[...]) else { return notACertificate }
        let isDamaged = ((try? PEM.blocks(contents[...])) ?? []).contains { $0.is("CERTIFICATE") }
        return isDamaged ? damagedBlock : "\(notACertificate), but \(form.explanation)"
    }

    private static let notACertificate = "the file is not a certificate in PEM or DER"

    /// Adds a root in DER, or a note if the certificate is no root. Returns whether `der` is a certificate.
    private mutating func add(der: [UInt8], from path: String) -> Bool {
        guard let certificate = try? Certificate(der: der[...]) else { return false }
        do throws(TrustAnchorError) {
            let anchor = try TrustAnchor(certificate)
            if !anchors.contains(where: { $0.sha256 == anchor.sha256 }) { anchors.append(anchor) }
        } catch {
            let condition = TrustCondition(error)
            notes.append("not trusted: \(Terminal.safe(path)): \(condition.explanation(of: certificate))")
        }
        return true
    }

    /// Returns a note that names up to five roots that are not valid at `now`, or `nil` if all roots are
    /// valid.
    package static func noteOnValidity(of anchors: [TrustAnchor], at now: Timestamp) -> String? {
        let outside = anchors.map(\.certificate).filter { !$0.isValid(at: now) }
        guard !outside.isEmpty else { return nil }
        let named = outside.prefix(5).map { certificate in
            let isExpired = certificate.notAfter < now.secondsSince1970
            let date = Timestamp(secondsSince1970: isExpired ? certificate.notAfter : certificate.notBefore)
            return
                "\(Terminal.safe(certificate.subject.description)) (\(isExpired ? "until" : "from") \(date.dayInUTC))"
        }
        let more = outside.count > named.count ? ", and \(outside.count - named.count) more" : ""
        return "\(outside.count) of \(anchors.count) trusted roots are not valid at \(now): "
            + named.joined(separator: ", ") + more
    }
}

extension Certificate {
    fileprivate func isValid(at now: Timestamp) -> Bool {
        notBefore <= now.secondsSince1970 && now.secondsSince1970 <= notAfter
    }
}
