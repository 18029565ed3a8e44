import Foundation
import ReaderIdentityStore
import Testing

@testable import ReaderTokens

@Suite("A folder of brands as a whole")
struct BrandBundleTests {
    private let fixture: BrandFolderFixture
    private var folder: BrandFolder { fixture.brands }

    init() throws { fixture = try BrandFolderFixture() }

    private static let utopia =
        "{\"id\": \"utopia\", \"name\": \"Utopia\", \"logo\": \"a.png\", \"keys\": []}"

    private func name(_ text: String) throws -> LogoName { try #require(LogoName(text)) }

    private func logo(_ width: UInt32 = 3) -> [UInt8] { TestLogo.png(width: width, height: 2) }

    /// Two brands with this logo, which has this width, and one without a logo.
    private func bundle(_ logoName: String, width: UInt32 = 3) throws -> BrandBundle {
        let brands = ["utopia", "arcadia"].map { id in
            "{\"id\": \"\(id)\", \"name\": \"Brand\", \"logo\": \"\(logoName)\", \"keys\": []}"
        }
        let bare = "{\"id\": \"bare\", \"name\": \"Bare\", \"keys\": []}"
        return try BrandBundle(
            json: Array("{\"brands\": [\(brands.joined(separator: ", ")), \(bare)]}".utf8),
            logos: [try name(logoName): logo(width)])
    }

    @Test("What takes the place of a folder's brands is what the folder has then; other logos are removed")
    func replaced() throws {
        let utopia = try #require(TokenText("utopia"))
        for (name, width) in [("a.png", UInt32(1)), ("b.png", 2), ("b.png", 3)] {
            let bundle = try bundle(name, width: width)
            try folder.replace(with: bundle)
            let found = try folder.bundle()
            #expect(found.json == bundle.json && found.logos == bundle.logos)
            #expect(try folder.registry() == bundle.registry)
            #expect(try folder.logo(ofBrand: utopia)?.width == Int(width))
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(files) == [".lock", "b.png", "brands.json"])
    }

    @Test("A brand that is not there, or has no logo, has none to hand out")
    func nothing() throws {
        try folder.replace(with: bundle("a.png"))
        for id in ["bare", "nobody"] {
            #expect(try folder.logo(ofBrand: #require(TokenText(id))) == nil)
        }
    }

    @Test("A registry and its logos belong together: one that is missing, unfit or not named is refused")
    func together() throws {
        let (json, a, b) = (
            Array("{\"brands\": [\(Self.utopia)]}".utf8), try name("a.png"), try name("b.png")
        )
        let bundle = try BrandBundle(json: json, logos: [a: logo()])
        #expect(bundle.json == json && bundle.logos[a]?.png == logo())
        #expect(throws: BrandRegistryError.logoMissing(a)) { try BrandBundle(json: json, logos: [:]) }
        #expect(throws: BrandRegistryError.logoUnnamed(b)) {
            try BrandBundle(json: json, logos: [a: logo(), b: logo()])
        }
        #expect(throws: BrandRegistryError.logoUnnamed(b)) { try BrandBundle(json: json, logos: [b: logo()]) }
        #expect(throws: BrandRegistryError.logoUnfit(a, .notPNG)) {
            try BrandBundle(json: json, logos: [a: Array(logo().dropLast())])
        }
        #expect(throws: BrandRegistryError.logoUnfit(a, .tooLarge(limit: 2048))) {
            try BrandBundle(json: json, logos: [a: logo(2049)])
        }
        let twice = Array("{\"brands\": [\(Self.utopia), \(Self.utopia)]}".utf8)
        #expect(throws: BrandRegistryError.faulty(line: 1, .brandTwice)) {
            try BrandBundle(json: twice, logos: [a: logo()])
        }
    }

    @Test("A folder without a registry, without a logo, or that others may change is not taken")
    func unfit() throws {
        #expect(throws: BrandRegistryError.file(.fileRefused(path: folder.registryPath, errno: ENOENT))) {
            try folder.bundle()
        }
        // A name that is misspelt makes no folder.
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        try folder.replace(with: bundle("a.png"))
        let path = "\(folder.path)/a.png"
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        #expect(throws: BrandRegistryError.file(.exposed(path: path, mode: 0o666))) { try folder.bundle() }
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: BrandRegistryError.logoMissing(try name("a.png"))) { try folder.bundle() }
        let utopia = try #require(TokenText("utopia"))
        #expect(throws: BrandRegistryError.logoMissing(try name("a.png"))) {
            try folder.logo(ofBrand: utopia)
        }
    }

    @Test("Who reads while brands are replaced finds the logo that the registry names, each time")
    func readMeanwhile() async throws {
        let folder = folder
        let (one, other) = (try bundle("a.png"), try bundle("b.png"))
        let utopia = try #require(TokenText("utopia"))
        try folder.replace(with: one)
        let reading = Task {
            repeat {
                let logo = try folder.logo(ofBrand: utopia)
                #expect(logo?.width == 3)
            } while !Task.isCancelled
        }
        for _ in 0..<30 {
            try folder.replace(with: other)
            try folder.replace(with: one)
            await Task.yield()
        }
        reading.cancel()
        try await reading.value
    }
}
