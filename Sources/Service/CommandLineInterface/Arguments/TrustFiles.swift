internal import FoundationEssentials
internal import JSON
package import MdocModel
package import MdocTrust
internal import OpenSSLCrypto
internal import PKIX

package struct TrustFiles {
    package static let largestFile = 1 << 22
    package static let mostFiles = 4096
    private static let endings = [".pem", ".der", ".crt", ".cer"]

    private(set) var anchors: [TrustAnchor] = []
    /// What was skipped, and why.
    private(set) var notes: [String] = []

    /// A file with certificates, or a folder whose files with the endings .pem, .der, .crt and .cer are read. A
    /// file that is named itself must contain a certificate; in a folder, other files are skipped.
    package mutating func read(_ path: String) throws(CommandFailure) {
        let skipped = try Self.each(at: path, ending: Self.endings, limit: Self.largestFile) {
            contents, file in
            add(contents, from: file) ? nil : Self.fault(of: contents)
        }
        notes += skipped
    }

    /// Reads a file, or those of a folder with one of these endings.
    ///
    /// - Parameter take: gives the fault of contents that are of no use. Of a file that is named itself it is thrown.
    /// - Returns: a note on each file of a folder that was skipped.
    package static func each(
        at path: String, ending endings: [String], limit: Int,
        _ take: (_ contents: [UInt8], _ file: String) -> String?
    ) throws(CommandFailure) -> [String] {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder else {
            if let fault = take(try InputFile.read(path, limit: limit), path) {
                throw .malformed("\(Terminal.safe(path)): \(fault)")
            }
            return []
        }
        var notes: [String] = []
        for file in try files(in: path, ending: endings) {
            do throws(CommandFailure) {
                guard let fault = take(try InputFile.read(file, limit: limit), file) else { continue }
                notes.append("skipped: \(Terminal.safe(file)): \(fault)")
            } catch {
                notes.append("skipped: \(error.message)")
            }
        }
        return notes
    }

    /// The files of a folder with one of these endings, by name.
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
            throw .usage("\(Terminal.safe(folder)): the folder has more than \(mostFiles) files to read")
        }
        return files.map { "\(folder)/\($0)" }
    }

    /// Whether there was a certificate, usable or not.
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
        guard unreadable.count < blocks.count else { return false }
        notes += unreadable.map { "skipped: \(Terminal.safe(path)): \($0)" }
        return true
    }

    package static let damagedBlock = "a PEM block is damaged: it is cut off or not base64"

    /// Why there is no certificate in the contents of a file: in the same words wherever a root is looked for.
    package static func fault(of contents: [UInt8]) -> String {
        if let error = CertificateFile.fault(in: contents[...]) {
            return TrustCondition.certificateUnreadable(error).explanation
        }
        guard let form = TextForm(contents[...]) else { return notACertificate }
        let isDamaged = ((try? PEM.blocks(contents[...])) ?? []).contains { $0.is("CERTIFICATE") }
        return isDamaged ? damagedBlock : "\(notACertificate), but \(form.explanation)"
    }

    private static let notACertificate = "not a certificate, neither in PEM nor in DER"

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

    /// Those of `anchors` that are not valid at `now`, where there are any.
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
