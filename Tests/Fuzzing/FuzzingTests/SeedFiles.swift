import Foundation
import FuzzTargets
import VectorFiles

/// The inputs a target is known by: our seeds, what once made it fail, and the corpora of presentations that are here.
enum SeedFiles {
    private static let folder = VectorFiles.repository.appending(path: "Tests/Fuzzing")

    /// `Corpus` and `Crashes`, each with one folder a target.
    static let kept = ["Corpus", "Crashes"].map { folder.appending(path: $0) }

    static func inputs(of target: FuzzTarget) throws -> [[UInt8]] {
        let own = kept.flatMap { files(in: $0.appending(path: target.rawValue)) }
        return try (own + presentations(for: target)).map(VectorFiles.bytes)
    }

    static func files(in folder: URL) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { folder.appending(path: $0) }
    }

    /// The files that `PresentationSeeds.txt` names for the target, from every case of each corpus.
    private static func presentations(for target: FuzzTarget) throws -> [URL] {
        let list = try String(contentsOf: folder.appending(path: "PresentationSeeds.txt"), encoding: .utf8)
        let prefix = target.rawValue + " "
        let names = list.split(separator: "\n").filter { $0.hasPrefix(prefix) }.map {
            String($0.dropFirst(prefix.count))
        }
        return StoredCorpus.presentations.flatMap { presentation in
            names.filter { presentation.files[$0] != nil }.map(presentation.file)
        }
    }
}
