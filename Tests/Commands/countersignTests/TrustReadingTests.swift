import CommandBench
import ArgumentParser
import MdocTrust
import PKIX
import TestCredentials
import Testing

@testable import countersign

@Suite("Lists that an import reads once")
struct TrustReadingTests {
    private let scene: TrustScene
    private let provider: TestAuthority

    init() throws {
        scene = try TrustScene()
        provider = try TestAuthority([(.countryName, "UT"), (.commonName, "Utopia provider")])
        let root = try scene.write("provider.pem", provider.der)
        try #require(try scene.trust("import", root, "--as", "provider").status == 0)
    }

    private func list(_ issue: UInt64) throws -> String {
        var list = try TestVICAL([.init(scene.root.der)], provider: provider)
        list.issueID = issue
        return try scene.write("list-\(issue).vical", list.encoded())
    }

    /// The work of one import in this process.
    private func count(importing file: String) async throws -> WorkCount {
        let count = WorkCount()
        let command = try TrustImportCommand.parse([file, "--store", scene.store, "--at", TrustScene.time])
        await WorkCount.$current.withValue(count) {
            await #expect(throws: ExitCode.success) { try await command.run() }
        }
        return count
    }

    @Test("A VICAL that is imported is parsed once, and its signature verified once")
    func vical() async throws {
        let first = try await count(importing: list(7))
        #expect(first[.listParsed] == 1)
        #expect(first[.listVerified] == 1)
        // The one that it is compared with is read from the store.
        let second = try await count(importing: list(8))
        #expect(second[.listParsed] == 2)
        #expect(second[.listVerified] == 2)
        let again = try await count(importing: list(8))
        #expect(again[.listParsed] == 2)
        #expect(again[.listVerified] == 2)
    }
}
