import Foundation
import OpenSSLCrypto
import Testing
import VectorFiles

@Suite("Test vectors")
struct VectorFileTests {
    private static let files: [String] = {
        let names = FileManager.default.enumerator(atPath: VectorFiles.own.path)
        return (names?.compactMap { $0 as? String } ?? []).filter { name in
            let values = try? VectorFiles.own.appending(path: name).resourceValues(forKeys: [.isDirectoryKey])
            return values?.isDirectory == false && name != "SOURCES.md"
        }.sorted()
    }()

    /// File and SHA-256 of each row.
    private static let rows: [String: String] = {
        let text = try? String(contentsOf: VectorFiles.own.appending(path: "SOURCES.md"), encoding: .utf8)
        let rows = text?.matches(of: /(?m)^\| `([^`]+)` \|.*\| `([0-9a-f]{64})` \|$/) ?? []
        return Dictionary(rows.map { (String($0.1), String($0.2)) }) { first, _ in first }
    }()

    /// File and SHA-256 of each line in the corpus's manifest, which has a row itself.
    private static let presented: [String: String] = {
        let files = StoredCorpus.own?.presentations.flatMap { presentation in
            presentation.files.map { ("corpus/\(presentation.name)/\($0.key)", $0.value) }
        }
        return Dictionary(uniqueKeysWithValues: files ?? [])
    }()

    @Test("There are vectors, and rows for them")
    func found() {
        #expect(!Self.files.isEmpty && !Self.presented.isEmpty)
        #expect(Set(Self.rows.keys).union(Self.presented.keys) == Set(Self.files))
        #expect(Set(Self.rows.keys).isDisjoint(with: Self.presented.keys))
    }

    @Test("A vector file is used by a test", arguments: files.filter { presented[$0] == nil })
    func used(_ file: String) {
        let name = file.split(separator: "/").last?.split(separator: ".").first ?? ""
        let users = SourceFile.tests.filter {
            $0.text.contains("\(name).") || $0.text.contains("\"\(name)\"")
        }
        #expect(!users.isEmpty)
    }

    @Test("A vector file is the one whose origin is given", arguments: files)
    func sum(_ file: String) throws {
        let bytes = try VectorFiles.bytes(of: VectorFiles.own.appending(path: file))
        #expect(Digest(.sha256, of: bytes[...]).bytes.hex == Self.rows[file] ?? Self.presented[file])
    }
}
