import Foundation
import OpenSSLCrypto
import ReaderTokens
import Testing
import VectorFiles

@testable import Fleet

@Suite("Brands in documents of a fleet")
struct FleetBrandTests {
    let scene: FleetScene
    let store = FleetStore()
    private let png: [UInt8]

    init() throws {
        scene = try FleetScene()
        png = try VectorFiles.bytes(of: VectorFiles.own.appending(path: "portraits/still.png"))
    }

    private static func name(_ text: String) throws -> LogoName { try #require(LogoName(text)) }

    /// The registry of one brand, `utopia`, with one key.
    private static func registry(
        _ name: String = "Utopia", logo: String = "utopia.png", isRevoked: Bool = false
    ) -> [UInt8] {
        Array(
            """
            {"brands": [{"id": "utopia", "name": "\(name)", "logo": "\(logo)", "keys": [
              {"kid": "k1", "kty": "EC", "crv": "P-256", "revoked": \(isRevoked),
               "x": "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY",
               "y": "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"}]}]}
            """.utf8)
    }

    private func brands(
        _ name: String, logo: String = "utopia.png", isRevoked: Bool = false
    ) throws -> FleetBrands {
        FleetBrands(
            registry: Self.registry(name, logo: logo, isRevoked: isRevoked), logos: [try Self.name(logo): png]
        )
    }

    /// What the store has.
    private func kept() throws -> FleetBrands { FleetBrands(try folder.bundle()) }
    private var folder: BrandFolder { BrandFolder(store: store.path) }

    // The member of a document

    private func document(_ brands: FleetBrands?) throws -> FleetDocument {
        var document = FleetDocument(
            chain: try .named("utopia"), level: .chain, name: try .named("utopia"), version: 1,
            created: FleetScene.now)
        document.brands = brands
        return document
    }

    @Test("Brands are written in one way, logos in the order of their names, and read as they were written")
    func written() throws {
        let logos: [LogoName: [UInt8]] = [
            try Self.name("aa.png"): [3], try Self.name("b.png"): [2], try Self.name("a.png"): [1],
        ]
        let brands = FleetBrands(registry: Array("{}".utf8), logos: logos)
        let document = try document(brands)
        let expected =
            "66 6272616e6473"  // "brands":
            + "a2 68 7265676973747279 42 7b7d"  // "registry": h'7b7d'
            + "65 6c6f676f73 a3"  // "logos":
            + "65 612e706e67 41 01" + "65 622e706e67 41 02"  // "a.png": h'01', "b.png": h'02'
            + "66 61612e706e67 41 03"  // "aa.png": h'03'
        #expect(document.payload.hex.hasSuffix(expected.bytes.hex))
        let signed = try document.sign(with: scene.daily.key)
        #expect(try FleetDocument.parse(signed).document == document)
    }

    /// `brands` of a document that says nothing of them.
    private static let nothing = "a2 68 7265676973747279 40 65 6c6f676f73 a0"

    @Test("A document that says nothing of brands has two empty members, and is read as one without")
    func absent() throws {
        let document = try document(nil)
        #expect(document.payload.hex.hasSuffix(Self.nothing.bytes.hex))
        #expect(try FleetDocument.parse(document.sign(with: scene.daily.key)).document == document)
    }

    /// What stands in place of a member's name and value, and why that is malformed.
    static let malformedMembers: [(why: String, hex: String)] = [
        ("a list", "80"), ("no members", "a0"), ("no logos", "a1 68 7265676973747279 40"),
        ("a third member", "a3 68 7265676973747279 40 65 6c6f676f73 a0 61 78 00"),
        ("a registry that is a text", "a2 68 7265676973747279 60 65 6c6f676f73 a0"),
        ("logos that are a list", "a2 68 7265676973747279 40 65 6c6f676f73 80"),
        ("a logo without a registry", "a2 68 7265676973747279 40 65 6c6f676f73 a1 65 612e706e67 41 01"),
        ("a logo that is a text", "a2 68 7265676973747279 42 7b7d 65 6c6f676f73 a1 65 612e706e67 61 01"),
        (
            "another order",
            "a2 68 7265676973747279 42 7b7d 65 6c6f676f73 a2"
                + "65 622e706e67 41 01 65 612e706e67 41 01"
        ),
        (
            "a name twice",
            "a2 68 7265676973747279 42 7b7d 65 6c6f676f73 a2"
                + "65 612e706e67 41 01 65 612e706e67 41 01"
        ),
        (
            "a name that leads elsewhere",
            "a2 68 7265676973747279 42 7b7d 65 6c6f676f73 a1 68 2e2e2f612e706e67 41 01"
        ),
        ("a name of no PNG", "a2 68 7265676973747279 42 7b7d 65 6c6f676f73 a1 65 612e737667 41 01"),
        ("a name that is a number", "a2 68 7265676973747279 42 7b7d 65 6c6f676f73 a1 01 41 01"),
        ("more behind", nothing + "00"),
    ]

    @Test(
        "Malformed brands are refused, even if the right key signed them", arguments: malformedMembers)
    func malformed(_ why: String, _ hex: String) throws {
        let before = try document(nil).payload.dropLast(Self.nothing.bytes.count)
        var documents = try scene.documents()
        let bytes = try FleetDocument.sign(before + hex.bytes, with: scene.daily.key)
        #expect(throws: FleetDocumentError.malformed) { try documents.accept(bytes, at: FleetScene.now) }
        #expect(documents.documents.isEmpty)
        let twin = try FleetDocument.sign(before + Self.nothing.bytes, with: scene.daily.key)
        #expect(try documents.accept(twin, at: FleetScene.now))
    }

    @Test("More logos than a registry has brands are malformed")
    func tooMany() throws {
        for (count, expected) in [(1000, "document.brands_refused"), (1001, "document.malformed")] {
            let names = try (0..<count).map { try Self.name("n\($0 + 1000).png") }
            let brands = FleetBrands(
                registry: Self.registry(), logos: Dictionary(uniqueKeysWithValues: names.map { ($0, [1]) }))
            #expect(try refusal(of: scene.document(brands: brands))?.id == expected)
        }
    }

    /// Why a document is refused; nothing has changed then.
    private func refusal(of bytes: [UInt8]) throws -> FleetDocumentError? {
        var documents = try scene.documents()
        let error = #expect(throws: FleetDocumentError.self) {
            try documents.accept(bytes, at: FleetScene.now)
        }
        #expect(documents.documents.isEmpty && documents.seen.isEmpty)
        return error
    }

    @Test("Brands that could not be used are refused by name and with the reason, and nothing has changed")
    func unfit() throws {
        let (registry, name) = (Self.registry(), try Self.name("utopia.png"))
        let end = Array(png.suffix(12))
        let long = Array(png.dropLast(12)) + [UInt8](repeating: 0, count: 256 << 10) + end
        let unfit: [(registry: [UInt8], logos: [LogoName: [UInt8]], words: String)] = [
            (Array("{".utf8), [:], "brands.json"),
            (Array(#"{"brands": [], "more": 1}"#.utf8), [:], "brands.json, line 1"),
            (Self.registry(""), [name: png], "a brand's name must have"),
            (registry, [:], "names the logo utopia.png, but the file is missing"),
            (
                Self.registry(logo: "other.png"), [name: png],
                "no brand in brands.json names the logo utopia.png"
            ),
            (registry, [name: png, try Self.name("other.png"): png], "names the logo other.png"),
            (registry, [name: Array(png.dropLast())], "the logo utopia.png: the file is not a complete PNG"),
            (registry, [name: long], "the logo utopia.png: the file is longer than 256 KiB"),
        ]
        for (registry, logos, words) in unfit {
            let brands = FleetBrands(registry: registry, logos: logos)
            let error = try refusal(of: scene.document(brands: brands))
            #expect(error?.id == "document.brands_refused", "\(words)")
            #expect(error?.explanation.contains(words) == true, "\(error?.explanation ?? words)")
        }
        var documents = try scene.documents()
        #expect(
            try documents.accept(
                scene.document(brands: FleetBrands(registry: registry, logos: [name: png])),
                at: FleetScene.now))
    }

    // The kiosk

    @Test(
        "The brands of the most specific level are in the store; once that level says nothing of them the chain's count again"
    )
    func mostSpecific() async throws {
        let agent = try scene.agent(FakeDaemon(), in: store)
        let (chain, site) = (try brands("Chain", logo: "a.png"), try brands("Site", logo: "b.png"))
        try await scene.roll(scene.document(.site, "harbour", brands: site), out: agent)
        #expect(try kept() == site)
        try await scene.roll(scene.document(brands: chain), out: agent)
        #expect(try kept() == site)
        try await scene.roll(scene.document(.site, "harbour", version: 2), out: agent)
        #expect(try kept() == chain)
        // No logo of a brand that is not there any more stays.
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/b.png"))
    }

    @Test("Where no level says anything of brands they stay as they are, until one does")
    func stay() async throws {
        let agent = try scene.agent(FakeDaemon(), in: store)
        let first = try brands("First")
        try await scene.roll(scene.document(version: 1, brands: first), out: agent)
        try await scene.roll(scene.document(version: 2), out: agent)
        #expect(try kept() == first)
        let kid = try #require(TokenText("k1"))
        _ = try folder.change { registry throws(BrandFault) in try registry.revoke(kid) }
        #expect(try kept() != first)
        try await scene.roll(scene.document(version: 3, brands: first), out: agent)
        #expect(try kept() == first)
    }

    @Test("What was changed on the kiosk, or left by documents that were not taken, goes with the next start")
    func start() async throws {
        let agent = try scene.agent(FakeDaemon(), in: store)
        await agent.start()
        #expect(!FileManager.default.fileExists(atPath: folder.registryPath))
        let first = try brands("First", logo: "a.png", isRevoked: true)
        try await scene.roll(scene.document(version: 1, brands: first), out: agent)
        try folder.replace(with: brands("Second", logo: "b.png").bundle())
        let again = try scene.agent(FakeDaemon(), in: store)
        await again.start()
        #expect(try kept() == first)
    }

    @Test("A document's registry takes the place of all that is there, also of what was revoked on the kiosk")
    func revoked() async throws {
        let agent = try scene.agent(FakeDaemon(), in: store)
        let kid = try #require(TokenText("k1"))
        for (version, isRevoked) in [(Int64(1), false), (2, true), (3, false)] {
            let brands = try brands("Utopia", isRevoked: isRevoked)
            try await scene.roll(scene.document(version: version, brands: brands), out: agent)
            #expect(try folder.registry().key(kid)?.1.isRevoked == isRevoked)
        }
    }

    @Test("Brands change once the lanes are ready, and not where they do not become ready")
    func notReady() async throws {
        let daemon = FakeDaemon()
        let agent = try scene.agent(daemon, in: store)
        let (first, second) = (try brands("First", logo: "a.png"), try brands("Second", logo: "b.png"))
        try await scene.roll(scene.document(version: 1, brands: first), out: agent)
        await daemon.answer(.notReady)
        let bad = try scene.document(version: 2, configuration: #"{"log": "debug"}"#, brands: second)
        try await scene.roll(bad, out: agent)
        #expect(try kept() == first)
        #expect(await agent.accepted.documents[.chain]?.document.version == 1)
        await daemon.answer(.ready)
        try await scene.roll(
            scene.document(version: 3, configuration: #"{"log": "debug"}"#, brands: second), out: agent)
        #expect(try kept() == second)
    }

    @Test("A kiosk refuses unusable brands by name and keeps its present brands")
    func refused() async throws {
        let agent = try scene.agent(FakeDaemon(), in: store)
        let first = try brands("First")
        try await scene.roll(scene.document(version: 1, brands: first), out: agent)
        let unfit = FleetBrands(registry: Self.registry("Second"), logos: [:])
        let bad = try scene.document(version: 2, brands: unfit)
        let error = await #expect(throws: FleetDocumentError.self) {
            try await agent.receiveDocument(bad)
        }
        #expect(error?.id == "document.brands_refused")
        #expect(try kept() == first)
        #expect(await agent.accepted.documents[.chain]?.document.version == 1)
    }

    @Test("A stopped kiosk has further brands at once, with what they revoke")
    func stopped() async throws {
        let daemon = FakeDaemon()
        let agent = try scene.agent(daemon, in: store, isStopped: true)
        let brands = try brands("Utopia", isRevoked: true)
        try await scene.roll(scene.document(brands: brands), out: agent)
        #expect(try kept() == brands)
        #expect(await daemon.applied.isEmpty)
    }
}
