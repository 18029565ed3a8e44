import Foundation
import MdocTrust
import ReaderStore
import ReaderTokens
import RecordBench
import Testing
import VectorFiles

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
        "A bundle that arrived while a site's bundle counted is checked before it counts, and refused if it is older",
        arguments: Way.allCases)
    func older(_ way: Way) async throws {
        let agent = try scene.agent(FakeDaemon(), in: store)
        try await scene.roll(try scene.document(.site, "harbour", trust: scene.bundle(of: "b")), out: agent)
        let old = try scene.bundle(of: "a", secondsAgo: 100)
        try await scene.roll(try scene.document(trust: old), out: agent)
        #expect(try store.trusted == "b")
        let bytes = try next(way, bundle: old)
        let error = await #expect(throws: FleetDocumentError.self) { try await agent.receiveDocument(bytes) }
        #expect(error == .trustRefused(.bundle(.older)) && error?.id == "document.trust_refused")
        // Nothing else of it is obeyed.
        #expect(try store.trusted == "b")
        #expect(!FileManager.default.fileExists(atPath: BrandFolder(store: store.path).registryPath))
        #expect(await agent.accepted.documents[.site]?.document.version == 1)
        // It holds after a start, too.
        let again = try scene.agent(FakeDaemon(), in: store)
        await #expect(throws: FleetDocumentError.trustRefused(.bundle(.older))) {
            try await again.receiveDocument(bytes)
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
        await #expect(throws: FleetDocumentError.trustRefused(.bundle(.older))) {
            try await agent.receiveDocument(old)
        }
        #expect(try store.trusted == "a")
    }

    // Brands beside a bundle that is not taken after all

    private var brands: BrandFolder { BrandFolder(store: store.path) }

    private static func registry(_ name: String) -> [UInt8] {
        Array(
            #"{"brands": [{"id": "utopia", "name": "\#(name)", "logo": "utopia.png", "keys": []}]}"#.utf8)
    }

    /// All files of brands, by their names.
    private func files() throws -> [String: Data] {
        let manager = FileManager.default
        guard manager.fileExists(atPath: brands.path) else { return [:] }
        let names = try manager.contentsOfDirectory(atPath: brands.path).filter { $0 != ".lock" }
        return Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, manager.contents(atPath: "\(brands.path)/\($0)") ?? Data())
            })
    }

    /// What was on the kiosk before a document said anything of brands.
    enum Before: CaseIterable {
        case nothing, brands
        /// A registry that can be used, and names a logo that is not there.
        case withoutLogo
        case unreadableRegistry
    }

    private func prepare(_ before: Before, png: [UInt8]) throws {
        guard before != .nothing else { return }
        let registry = before == .unreadableRegistry ? Array("{".utf8) : Self.registry("Own")
        try place(registry, "brands.json")
        if before != .withoutLogo { try place(png, "utopia.png") }
    }

    private func place(_ bytes: [UInt8], _ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: brands.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let path = "\(brands.path)/\(name)"
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600]))
    }

    @Test(
        "If a document's bundle cannot be stored, its brands are undone until the document is accepted",
        arguments: Before.allCases)
    func putBack(_ before: Before) async throws {
        let (png, other) = (
            try VectorFiles.bytes(of: VectorFiles.own.appending(path: "portraits/still.png")),
            try #require(LogoName("other.png"))
        )
        let log = LogLines()
        let agent = try scene.agent(FakeDaemon(), in: store, log: log)
        try await scene.roll(
            try scene.document(trust: scene.bundle(of: "a", secondsAgo: 100)), out: agent)
        try prepare(before, png: png)
        let there = try files()
        let registry = Array(
            String(decoding: Self.registry("Fleet"), as: UTF8.self)
                .replacingOccurrences(of: "utopia.png", with: "other.png").utf8)
        let bytes = try scene.document(
            .site, "harbour", trust: scene.bundle(of: "b"),
            brands: FleetBrands(registry: registry, logos: [other: png]))
        try await store.withoutRoomForTrust { try await scene.roll(bytes, out: agent) }
        #expect(log.count("document site 1 is not applied") == 1, "\(log.lines)")
        #expect(try store.trusted == "a")
        #expect(await agent.accepted.documents[.site] == nil)
        #expect(try files() == there)
        try await scene.roll(bytes, out: agent)
        #expect(try store.trusted == "b")
        #expect(try Set(files().keys) == ["brands.json", "other.png"])
    }

    @Test("Where documents have brands these come again if another document's bundle cannot be kept")
    func brandsOfDocuments() async throws {
        let agent = try scene.agent(FakeDaemon(), in: store)
        func brands(_ name: String) -> FleetBrands {
            FleetBrands(
                registry: Array(#"{"brands": [{"id": "utopia", "name": "\#(name)", "keys": []}]}"#.utf8),
                logos: [:])
        }
        try await scene.roll(
            try scene.document(trust: scene.bundle(of: "a", secondsAgo: 100), brands: brands("Chain")),
            out: agent)
        let there = try files()
        let bytes = try scene.document(
            .site, "harbour", trust: scene.bundle(of: "b"), brands: brands("Site"))
        try await store.withoutRoomForTrust { try await scene.roll(bytes, out: agent) }
        #expect(try files() == there)
        try await scene.roll(bytes, out: agent)
        #expect(try files() != there)
    }
}
