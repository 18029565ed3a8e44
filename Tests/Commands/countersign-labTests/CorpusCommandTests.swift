import CommandBench
import Foundation
import Testing
import VectorFiles

@Suite("corpus")
struct CorpusCommandTests {
    private struct Manifest: Decodable {
        let verifyAt: String
        let seed: String
        let cases: [StoredPresentation]
    }

    private static let time = "2026-11-01T12:00:00Z"

    private func write(_ seed: String, into folder: TemporaryFolder) async throws -> Manifest {
        let run = try await executeLab(["corpus", folder.path(seed), "--seed", seed, "--at", Self.time])
        #expect(run.status == 0 && run.output.isEmpty, "\(run.errors)")
        return try VectorFiles.json(at: URL(filePath: folder.path("\(seed)/manifest.json")))
    }

    @Test(
        "Writes the cases of the repository's corpus, with files that verify judges; another seed, other keys"
    )
    func write() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let (one, other) = (try await write("one", into: folder), try await write("other", into: folder))
        #expect(one.seed == "one" && other.seed == "other" && one.verifyAt == Self.time)
        let own = try #require(StoredCorpus.own)
        #expect(one.cases.map(\.name) == own.presentations.map(\.name))
        let keys = (one.cases + other.cases).map(\.eReaderKeyPrivate)
        #expect(Set(keys).count == keys.count)
        for presentation in one.cases {
            let files = try FileManager.default.contentsOfDirectory(
                atPath: folder.path("one/\(presentation.name)"))
            #expect(Set(files) == Set(presentation.files.keys))
        }
        for (name, status) in [("ok.nfc", 0), ("device.other_handover", 2)] as [(String, Int32)] {
            let path = { (file: String) in folder.path("one/\(name)/\(file)") }
            let run = try await execute([
                "verify", "--response", path("device_response.cbor"), "--transcript",
                path("session_transcript.cbor"), "--trust", path("iaca.der"), "--at", Self.time,
            ])
            #expect(run.status == status, "\(run.everything)")
        }
    }

    @Test("Without a seed it is wrong usage, and nothing is written")
    func withoutSeed() async throws {
        let folder = try TemporaryFolder()
        let run = try await executeLab(["corpus", folder.path("corpus")])
        #expect(run.status == 64 && run.errors.contains("--seed"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("corpus")))
    }

    @Test("A folder that cannot be made is named, with exit code 64")
    func notAFolder() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("a file".utf8, as: "file")
        let run = try await executeLab(["corpus", file, "--seed", "one", "--at", Self.time])
        #expect(run.status == 64 && run.errors.contains(file))
    }
}
