import Foundation
import JSON
import MdocModel
import OpenSSLCrypto
import ReaderIdentityStore
import ReaderTokens
import TestCredentials
import Testing

@Suite("The registry of brands")
struct BrandRegistryTests {
    static let x = "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY"
    static let y = "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"

    /// Line by line: the base point of P-256 as the only key.
    static let lines = [
        "{\"brands\": [", "  {\"id\": \"utopia\",", "   \"name\": \"Utopia Rentals\",",
        "   \"logo\": \"utopia.png\",",
        "   \"identity\": \"counter\",", "   \"keys\": [",
        "    {\"kid\": \"k1\", \"kty\": \"EC\", \"crv\": \"P-256\",",
        "     \"x\": \"\(x)\",", "     \"y\": \"\(y)\",", "     \"notAfter\": \"2027-11-01T00:00:00Z\",",
        "     \"revoked\": false}", "   ]", "  }", "]}",
    ]

    private static func registry(_ lines: [String] = lines) throws(BrandRegistryError) -> BrandRegistry {
        try BrandRegistry(json: Array(lines.joined(separator: "\n").utf8))
    }

    @Test("A file says of each brand its names, logo, identity and keys")
    func read() throws {
        let registry = try Self.registry()
        let brand = try #require(registry.brands.first)
        #expect(registry.brands.count == 1 && brand.identifier.text == "utopia")
        #expect(brand.name.text == "Utopia Rentals" && brand.logo?.text == "utopia.png")
        #expect(brand.identity?.text == "counter")
        let (owner, key) = try #require(registry.key(named("k1")))
        #expect(owner == brand && !key.isRevoked && key.notAfter?.description == "2027-11-01T00:00:00Z")
        #expect(registry.key(try named("k2")) == nil)
        #expect(try BrandRegistry(json: Array("{\"brands\": []}".utf8)).brands.isEmpty)
    }

    /// A line in place of another, the fault, and the line that is named.
    static let faults: [(at: Int, line: String, error: BrandRegistryError)] = [
        (0, "{\"brand\": [", .malformed(line: 1, .unknownMember(at: 1))),
        (0, "[", .malformed(line: 14, .trailingBytes(at: 300))),
        (1, "  {\"id\": \"uto pia\",", .faulty(line: 2, .identifierMalformed)),
        (1, "  {\"id\": 1,", .malformed(line: 2, .unexpectedType(expected: .string, at: 21))),
        (1, "  {\"ID\": \"utopia\",", .malformed(line: 2, .unknownMember(at: 15))),
        (1, "  {", .malformed(line: 2, .missingMember("id", at: 14))),
        (2, "   \"name\": \"\",", .faulty(line: 3, .nameMalformed)),
        (2, "   \"name\": \"a\\u202eb\",", .faulty(line: 3, .nameMalformed)),
        (2, "   \"name\": \"\(String(repeating: "x", count: 65))\",", .faulty(line: 3, .nameMalformed)),
        (3, "   \"logo\": \"../x.png\",", .faulty(line: 4, .logoNameMalformed)),
        (3, "   \"logo\": \"logo.svg\",", .faulty(line: 4, .logoNameMalformed)),
        (4, "   \"identity\": \"..\",", .faulty(line: 5, .identityNameMalformed)),
        (6, "    {\"kid\": \"k1\", \"kty\": \"RSA\", \"crv\": \"P-256\",", .faulty(line: 7, .keyNotP256)),
        (6, "    {\"kid\": \"k1\", \"kty\": \"EC\", \"crv\": \"P-384\",", .faulty(line: 7, .keyNotP256)),
        (
            6, "    {\"kid\": \"\", \"kty\": \"EC\", \"crv\": \"P-256\",",
            .faulty(line: 7, .identifierMalformed)
        ),
        (7, "     \"x\": \"\(y)\",", .faulty(line: 7, .keyNotP256)),
        (7, "     \"x\": \"\(x)=\",", .faulty(line: 8, .keyNotP256)),
        (7, "     \"x\": \"\",", .faulty(line: 7, .keyNotP256)),
        (9, "     \"notAfter\": \"2027-11-01\",", .faulty(line: 10, .instantMalformed)),
    ]

    @Test("Each fault is named with its line", arguments: faults)
    func faultIsNamed(_ index: Int, _ line: String, _ error: BrandRegistryError) {
        var lines = Self.lines
        lines[index] = line
        let found = #expect(throws: BrandRegistryError.self) { try Self.registry(lines) }
        // Of offsets, that of the line they stand in is enough.
        if case .malformed(let line, _) = error, case .malformed(let foundLine, let fault) = found {
            #expect(line == foundLine, "\(fault)")
        } else {
            #expect(found == error)
        }
    }

    @Test("A member twice, a brand twice and a kid twice are refused, whosever it is")
    func twice() throws {
        var lines = Self.lines
        lines[10] = "     \"revoked\": false, \"kid\": \"k2\"}"
        let error = #expect(throws: BrandRegistryError.self) { try Self.registry(lines) }
        guard case .malformed(line: 11, .duplicateMember) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        func second(_ id: String, _ kid: String) -> [String] {
            var brand = Array(Self.lines[1...12])
            brand[0] = "  {\"id\": \"\(id)\","
            brand[5] = "    {\"kid\": \"\(kid)\", \"kty\": \"EC\", \"crv\": \"P-256\","
            return Array(Self.lines[..<12]) + ["  },"] + brand + ["]}"]
        }
        #expect(throws: BrandRegistryError.faulty(line: 14, .brandTwice)) {
            try Self.registry(second("utopia", "k2"))
        }
        #expect(throws: BrandRegistryError.faulty(line: 19, .keyTwice)) {
            try Self.registry(second("arcadia", "k1"))
        }
        #expect(try Self.registry(second("arcadia", "k2")).brands.count == 2)
    }

    @Test("There are as many brands and keys as there may be, and no more")
    func limits() throws {
        var registry = BrandRegistry()
        let key = try TestKey(.p256).privateKey.publicKey()
        let brand = try named("b")
        try registry.add(Brand(identifier: brand, name: brandName("b")))
        for number in 0..<BrandRegistry.mostKeys {
            try registry.add(BrandKey(named("k\(number)"), key), to: brand)
        }
        #expect(throws: BrandFault.tooManyKeys(limit: 32)) {
            try registry.add(BrandKey(named("more"), key), to: brand)
        }
        for number in 1..<BrandRegistry.mostBrands {
            try registry.add(
                Brand(identifier: named("b\(number)"), name: brandName("b")))
        }
        #expect(throws: BrandFault.tooManyBrands(limit: 1000)) {
            try registry.add(Brand(identifier: named("more"), name: brandName("b")))
        }
        #expect(throws: BrandFault.keyNotP256) {
            try BrandKey(brand, TestKey(.p384).privateKey.publicKey())
        }
    }

    @Test("A brand whose key is another's is not added at all")
    func whole() throws {
        var registry = try Self.registry()
        let before = registry
        let key = try BrandKey(named("k1"), TestKey(.p256).privateKey.publicKey())
        let brand = Brand(
            identifier: try named("arcadia"), name: try brandName("A"), keys: [key])
        #expect(throws: BrandFault.keyTwice) { try registry.add(brand) }
        #expect(registry == before && registry.brand(brand.identifier) == nil)
        #expect(throws: BrandFault.keyUnknown) { try registry.revoke(named("k9")) }
        #expect(throws: BrandFault.brandUnknown) { try registry.add(key, to: named("nobody")) }
    }

    // The folder

    @Test("What is changed is there for the next who reads, as it was written")
    func folder() throws {
        let folder = try BrandFolderFixture()
        #expect(try folder.brands.registry().brands.isEmpty)
        let brand = try #require(Self.registry().brands.first)
        let changed = try folder.brands.change { registry throws(BrandFault) in try registry.add(brand) }
        #expect(try folder.brands.registry() == changed && changed.brands == [brand])
        let kid = try named("k1")
        let revoked = try folder.brands.change { registry throws(BrandFault) in try registry.revoke(kid) }
        #expect(try folder.brands.registry() == revoked)
        #expect(try folder.brands.registry().key(kid)?.1.isRevoked == true)
        #expect(throws: BrandRegistryError.refused(.brandTwice)) {
            try folder.brands.change { registry throws(BrandFault) in try registry.add(brand) }
        }
        #expect(try folder.brands.registry() == revoked)
    }

    @Test("A registry that others may change is not believed", arguments: [0o620, 0o602])
    func exposed(_ mode: Int) throws {
        let folder = try BrandFolderFixture()
        let brand = try #require(Self.registry().brands.first)
        _ = try folder.brands.change { registry throws(BrandFault) in try registry.add(brand) }
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: folder.brands.registryPath)
        #expect(
            throws: BrandRegistryError.file(.exposed(path: folder.brands.registryPath, mode: UInt32(mode)))
        ) { try folder.brands.registry() }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: folder.brands.registryPath)
        _ = try folder.brands.registry()
    }

    @Test("A logo is kept and comes back byte by byte; what is no PNG does not")
    func logo() throws {
        let folder = try BrandFolderFixture()
        let logo = try BrandLogo(png: TestLogo.png(width: 3, height: 2))
        #expect(logo.width == 3 && logo.height == 2)
        let brand = try #require(Self.registry().brands.first)
        let name = try #require(brand.logo)
        _ = try folder.brands.change(keeping: (logo, name)) { registry throws(BrandFault) in
            try registry.add(brand)
        }
        #expect(try folder.brands.logo(ofBrand: brand.identifier) == logo)
        try Data("<svg/>".utf8).write(to: URL(filePath: "\(folder.brands.path)/utopia.png"))
        #expect(throws: BrandRegistryError.logo(.notPNG)) {
            try folder.brands.logo(ofBrand: brand.identifier)
        }
    }

    @Test("Of several who add a brand at once the logo is kept that came with the one who did")
    func logoOfOne() async throws {
        let folder = try BrandFolderFixture()
        let brand = try #require(Self.registry().brands.first)
        let name = LogoName(of: brand.identifier)
        let brands = folder.brands
        let widths = await withTaskGroup(of: Int?.self) { group in
            for width in UInt32(1)...8 {
                group.addTask {
                    do {
                        let logo = try BrandLogo(png: TestLogo.png(width: width, height: 1))
                        _ = try brands.change(keeping: (logo, name)) { registry throws(BrandFault) in
                            try registry.add(brand)
                        }
                        return Int(width)
                    } catch {
                        return nil
                    }
                }
            }
            return await group.reduce(into: [Int]()) { widths, width in widths += width.map { [$0] } ?? [] }
        }
        #expect(widths.count == 1)
        #expect(try folder.brands.logo(ofBrand: brand.identifier)?.width == widths.first)
    }

    @Test(
        "A logo is named as a brand is, however long, and leads nowhere else",
        arguments: [
            ("a.png", true), (String(repeating: "a", count: 128) + ".png", true),
            (String(repeating: "a", count: 129) + ".png", false), (".png", false), ("../a.png", false),
            ("a.PNG", false), ("a", false),
        ])
    func logoNames(_ text: String, isName: Bool) {
        #expect(LogoName(text)?.text == (isName ? text : nil))
    }

    static let logos: [(name: String, png: [UInt8], fault: LogoFault?)] = [
        ("the largest", TestLogo.png(width: 2048, height: 2048), nil),
        ("too wide", TestLogo.png(width: 2049, height: 1), .tooLarge(limit: 2048)),
        ("too high", TestLogo.png(width: 1, height: 2049), .tooLarge(limit: 2048)),
        ("of huge numbers", TestLogo.png(width: 0xffff_ffff, height: 1), .tooLarge(limit: 2048)),
        ("of no width", TestLogo.png(width: 0, height: 1), .notPNG),
        ("too long", TestLogo.png(width: 1, height: 1, bytes: 256 << 10), .tooLong(limit: 256 << 10)),
        ("cut off", TestLogo.png(width: 1, height: 1).dropLast(), .notPNG),
        ("with more behind", TestLogo.png(width: 1, height: 1) + [0], .notPNG),
        (
            "a JPEG", [0xff, 0xd8, 0xff, 0xe0] + Array(TestLogo.png(width: 1, height: 1).dropFirst(4)),
            .notPNG
        ),
        ("empty", [], .notPNG),
        (
            "nothing but signature and end",
            Array(TestLogo.png(width: 1, height: 1).prefix(33) + TestLogo.end), .notPNG
        ),
    ]

    @Test("A logo is a PNG of bounded size", arguments: logos)
    func isLogo(_ name: String, _ png: [UInt8], _ fault: LogoFault?) throws {
        guard let fault else {
            _ = try BrandLogo(png: png)
            return
        }
        #expect(throws: fault) { try BrandLogo(png: png) }
    }
}

/// A store with brands, which goes with its owner.
final class BrandFolderFixture {
    let brands: BrandFolder
    private let store: String

    init() throws {
        store = FileManager.default.temporaryDirectory.appending(path: "countersign-brands-\(UUID())").path
        brands = BrandFolder(store: store)
    }

    deinit { try? FileManager.default.removeItem(atPath: store) }
}

/// A PNG as far as its frame goes.
enum TestLogo {
    static let end: [UInt8] = [0, 0, 0, 0] + Array("IEND".utf8) + [0xae, 0x42, 0x60, 0x82]

    static func png(width: UInt32, height: UInt32, bytes: Int = 10) -> [UInt8] {
        func number(_ value: UInt32) -> [UInt8] { (0..<4).reversed().map { UInt8(value >> (8 * $0) & 0xff) } }
        func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
            number(UInt32(content.count)) + Array(type.utf8) + content + [0, 0, 0, 0]
        }
        return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
            + chunk("IHDR", number(width) + number(height) + [8, 2, 0, 0, 0])
            + chunk("IDAT", [UInt8](repeating: 0, count: bytes)) + end
    }
}
