import Foundation
import FuzzTargets
import VectorFiles

/// The inputs a target is known by: our seeds, what once made it fail, and the shared corpus where the checkout has it.
enum SeedFiles {
    private static let folder = VectorFiles.repository.appending(path: "Tests/Fuzzing")

    /// `Corpus` and `Crashes`, each with one folder a target.
    static let kept = ["Corpus", "Crashes"].map { folder.appending(path: $0) }

    static func inputs(of target: FuzzTarget) throws -> [[UInt8]] {
        let own = kept.flatMap { files(in: $0.appending(path: target.rawValue)) }
        return try (own + shared(for: target)).map(VectorFiles.bytes)
    }

    static func files(in folder: URL) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { folder.appending(path: $0) }
    }

    /// The files that `SharedSeeds.txt` names for the target, from every case of the shared corpus.
    private static func shared(for target: FuzzTarget) throws -> [URL] {
        guard let cases = VectorFiles.shared.map({ files(in: $0.appending(path: "corpus")) }) else {
            return []
        }
        let list = try String(contentsOf: folder.appending(path: "SharedSeeds.txt"), encoding: .utf8)
        let prefix = target.rawValue + " "
        let names = list.split(separator: "\n").filter { $0.hasPrefix(prefix) }.map {
            $0.dropFirst(prefix.count)
        }
        return cases.flatMap { folder in names.map { folder.appending(path: String($0)) } }
            .filter { FileManager.default.fileExists(atPath: $0.path) }
    }
}
