import Foundation
import MdocTrust
import ReaderStore
import ReaderTokens
import Testing

@testable import Fleet

/// Bundles that came while that of a later level counted.
@Suite("Bundles in documents of a fleet")
struct FleetBundleTests {
    private let scene: FleetScene
    private let store = FleetStore()

    init() throws { scene = try FleetScene() }

    /// Where a bundle that did not count comes to count.
    enum Way: CaseIterable {
        /// The site's document has no bundle any more.
        case siteWithout
        /// The site's document has the chain's bundle.
        case siteWithTheSame
    }

    private func next(_ way: Way, bundle: [UInt8], version: Int64 = 2) throws -> [UInt8] {
        try scene.document(
            .site, "harbour", version: version, trust: way == .siteWithTheSame ? bundle : nil,
            brands: FleetBrands(registry: Array(#"{"brands": []}"#.utf8), logos: [:]))
    }

    @Test(
        "A bundle that came while a site's counted is checked before it counts, and its document is refused if it is older",
        arguments: Way.allCases)
    func older(_ way: Way) async throws {
        let agent = try scene.agent(FakeDaemon(), in: store)
        try await scene.roll(try scene.document(.site, "harbour", trust: scene.bundle(of: "b")), out: agent)
        let old = try scene.bundle(of: "a", secondsAgo: 100)
        try await scene.roll(try scene.document(trust: old), out: agent)
        #expect(try store.trusted == "b")
        let bytes = try next(way, bundle: old)
        let error = await #expect(throws: FleetDocumentError.self) { try await agent.take(bytes) }
        #expect(error == .trustRefused(.bundle(.older)) && error?.id == "document.trust_refused")
        // Nothing else of it is obeyed.
        #expect(try store.trusted == "b")
        #expect(!FileManager.default.fileExists(atPath: BrandFolder(store: store.path).registryPath))
        #expect(await agent.accepted.documents[.site]?.document.version == 1)
        // It holds after a start, too.
        let again = try scene.agent(FakeDaemon(), in: store)
        await #expect(throws: FleetDocumentError.trustRefused(.bundle(.older))) {
            try await again.take(bytes)
        }
        // Another export of the same lists is a later bundle.
        let new = try scene.bundle(of: "a")
        try await scene.roll(try scene.document(version: 2, trust: new), out: again)
        try await scene.roll(try next(way, bundle: new, version: 3), out: again)
        #expect(try store.trusted == "a")
    }

    @Test(
        "A later bundle that came while a site's counted is let in, and remembered", arguments: Way.allCases)
    func later(_ way: Way) async throws {
        let agent = try scene.agent(FakeDaemon(), in: store)
        try await scene.roll(
            try scene.document(.site, "harbour", trust: scene.bundle(of: "b", secondsAgo: 100)), out: agent)
        let bundle = try scene.bundle(of: "a", secondsAgo: 50)
        try await scene.roll(try scene.document(trust: bundle), out: agent)
        #expect(try store.trusted == "b")
        try await scene.roll(try next(way, bundle: bundle), out: agent)
        #expect(try store.trusted == "a")
        let old = try scene.document(
            .site, "harbour", version: 3, trust: scene.bundle(of: "c", secondsAgo: 60))
        await #expect(throws: FleetDocumentError.trustRefused(.bundle(.older))) { try await agent.take(old) }
        #expect(try store.trusted == "a")
    }
}
