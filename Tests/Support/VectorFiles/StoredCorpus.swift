package import Foundation

/// A corpus of presentations: a folder for each, and a manifest of what is expected of a reader. The repository's
/// corpus was written by `countersign-lab corpus`; the shared one, where the checkout has it beside it, by another
/// implementation.
package struct StoredCorpus: Sendable {
    package let folder: URL
    /// When all presentations are to be judged, RFC 3339.
    package let verifyAt: String
    package let seed: String
    package let presentations: [StoredPresentation]

    /// The repository's corpus; `nil` if it cannot be read, which a test refuses.
    package static let own = StoredCorpus(in: VectorFiles.own.appending(path: "corpus"))
    package static let all = [
        own, VectorFiles.shared.flatMap { StoredCorpus(in: $0.appending(path: "corpus")) },
    ].compactMap(\.self)
    /// The presentations of every corpus that is here.
    package static let presentations = all.flatMap(\.presentations)

    private struct Manifest: Decodable {
        let verifyAt: String
        let seed: String
        let cases: [StoredPresentation]
    }

    private init?(in folder: URL) {
        guard let manifest: Manifest = try? VectorFiles.json(at: folder.appending(path: "manifest.json"))
        else {
            return nil
        }
        self.folder = folder
        verifyAt = manifest.verifyAt
        seed = manifest.seed
        presentations = manifest.cases.map { presentation in
            var presentation = presentation
            presentation.folder = folder.appending(path: presentation.name)
            presentation.verifyAt = manifest.verifyAt
            return presentation
        }
    }

    package func presentation(_ name: String) -> StoredPresentation? {
        presentations.first { $0.name == name }
    }

    /// The presentations of this name, from every corpus that is here.
    package static func presentations(named name: String) -> [StoredPresentation] {
        presentations.filter { $0.name == name }
    }
}

extension StoredCorpus: CustomStringConvertible {
    package var description: String { "the \(folder == Self.own?.folder ? "own" : "shared") corpus" }
}

/// One presentation of a corpus, as its manifest describes it.
package struct StoredPresentation: Decodable, Sendable {
    package enum Level: String, Decodable, Sendable { case must, profile, robust }
    package enum Layer: String, Decodable, Sendable { case response, session }
    package enum Expectation: String, Decodable, Sendable { case accept, reject }

    package struct Request: Decodable, Equatable, Sendable {
        package let docType: String
        package let nameSpaces: [String: [String: Bool]]
    }

    package let name: String
    package let expect: Expectation
    package let level: Level
    package let layer: Layer
    package let rule: String
    package let deviceAuth: String
    package let handover: String
    package let qr: String?
    package let requests: [Request]
    /// The SHA-256 of each file, by its name.
    package let files: [String: String]
    package let eReaderKeyPrivate: String
    package let eDeviceKeyPrivate: String
    package let deviceKeyPrivate: String
    package fileprivate(set) var folder = VectorFiles.own
    package fileprivate(set) var verifyAt = ""

    private enum CodingKeys: CodingKey {
        case name, expect, level, layer, rule, deviceAuth, handover, qr, requests, files
        case eReaderKeyPrivate, eDeviceKeyPrivate, deviceKeyPrivate
    }

    package func file(_ name: String) -> URL { folder.appending(path: name) }

    package func bytes(_ file: String) throws -> [UInt8] { try VectorFiles.bytes(of: self.file(file)) }
}

extension StoredPresentation: CustomStringConvertible {
    /// Whether it is of the repository's corpus.
    package var isOwn: Bool { folder.path.hasPrefix(VectorFiles.own.path) }

    package var description: String { "\(name) of the \(isOwn ? "own" : "shared") corpus (\(rule))" }
}
