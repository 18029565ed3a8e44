import Doctor
import Foundation
import JSON
import MdocModel
import OpenSSLCrypto
import OtherPrograms
import ReaderIdentityStore
import ReaderTokens
import Testing
import VectorFiles

@testable import countersign_hub

@Suite("The section readerTokens of a hub's file")
struct HubTokenConfigurationTests {
    let stage: HubStage
    static let reader = "0123456789abcdef0123456789abcdef"
    static let grant = #"{ "kiosk": "till-7", "brand": "utopia", "instances": ["\#(reader)"] }"#

    init() throws { stage = try HubStage() }

    private var key: String {
        #"{ "brand": "utopia", "kid": "k1", "keyFile": "\#(stage.folder)/utopia.pem" }"#
    }

    /// The file with this section on the line before the last.
    private func configuration(_ tokens: String) throws(JSONFault) -> HubConfiguration {
        let text = stage.json.replacing("\n}", with: ",\n  \"readerTokens\": \(tokens)\n}")
        return try HubConfiguration(Array(text.utf8))
    }

    private func section(keys: String? = nil, grants: String? = nil) -> String {
        let (keys, grants) = (keys ?? key, grants ?? Self.grant)
        return #"{ "brands": "\#(stage.folder)/brands", "keys": [\#(keys)], "grants": [\#(grants)] }"#
    }

    /// Brand and key as `countersign brand` makes them.
    ///
    /// - Parameters:
    ///   - other: a key that the file has instead of the brand's.
    ///   - notAfter: until when the brand's key counts.
    private func writeBrand(
        keyFile other: consuming PrivateKey? = nil, notAfter: Timestamp? = nil, isRevoked: Bool = false
    ) throws {
        let identifier = try #require(TokenText("utopia"))
        let brand = Brand(identifier: identifier, name: try #require(BrandName("Utopia")))
        let key = try PrivateKey.generate(.p256)
        let known = try BrandKey(
            try #require(TokenText("k1")), key.publicKey(), notAfter: notAfter, isRevoked: isRevoked)
        _ = try BrandFolder(path: "\(stage.folder)/brands").change { registry throws(BrandFault) in
            try registry.add(brand)
            try registry.add(known, to: identifier)
        }
        let path = "\(stage.folder)/utopia.pem"
        if let other { try PrivateFile.create(path, other) } else { try PrivateFile.create(path, key) }
    }

    @Test(
        "Brands, keys and grants of kiosks, sites and groups are read; without the section there is no token")
    func read() throws {
        let grants = ["kiosk", "site", "group"].map { Self.grant.replacing("kiosk", with: $0) }
        let tokens = try #require(
            try configuration(section(grants: grants.joined(separator: ","))).readerTokens)
        #expect(tokens.brands == "\(stage.folder)/brands")
        #expect(tokens.keys.map(\.identifier.text) == ["k1"])
        #expect(tokens.grants.map(\.caller) == ["till-7", "site:till-7", "group:till-7"])
        #expect(tokens.grants.allSatisfy { $0.instances.map(\.text.text) == [Self.reader] })
        #expect(try stage.configuration.readerTokens == nil)
    }

    @Test(
        "A grant has one of kiosk, site and group, and names readers: each fault is named with line and member",
        arguments: [
            (
                #""kiosk": "till-7""#, #""kiosk": "till-7", "site": "harbour""#, "/grants/0",
                "must have one of"
            ),
            (#""kiosk": "till-7", "#, "", "/grants/0", "must have one of kiosk, site and group"),
            (#""till-7""#, #""Till 7""#, "/grants/0/kiosk", "small letters"),
            (#", "instances": ["\#(reader)"]"#, "", "/grants/0/instances", "is missing"),
            (#"["\#(reader)"]"#, "[]", "/grants/0/instances", "must contain at least one reader"),
            (reader, "0123", "/grants/0/instances/0", "32 hexadecimal digits"),
            (#""brand": "utopia""#, #""brand": "uto pia""#, "/grants/0/brand", "letters, digits"),
            (#""kiosk""#, #""caller": "till", "kiosk""#, "/grants/0/caller", "is not known"),
        ])
    func grants(_ part: String, _ other: String, _ member: String, _ words: String) throws {
        try expect(section(grants: Self.grant.replacing(part, with: other)), member, words)
    }

    @Test("Keys are one a brand with an absolute path, and no member is left out or unknown")
    func keys() throws {
        try expect(section(keys: "\(key), \(key)"), "/keys/1", "this brand is in the list already")
        try expect(
            section(keys: key.replacing("\(stage.folder)/", with: "")), "/keys/0/keyFile", "begins with /")
        try expect(section(keys: key.replacing("k1", with: "k 1")), "/keys/0/kid", "letters, digits")
        for name in ["brands", "keys", "grants"] {
            try expect(section().replacing("\"\(name)\"", with: "\"x\""), "/x", "is not known")
        }
        try expect(#"{ "brands": "/b", "keys": [] }"#, "/grants", "is missing")
    }

    private func expect(_ tokens: String, _ member: String, _ words: String) throws {
        let found = #expect(throws: JSONFault.self, "\(tokens)") { try configuration(tokens) }
        let fault = try #require(found)
        #expect(fault.pointer == "/readerTokens\(member)", "\(fault)")
        #expect(fault.line == stage.json.split(separator: "\n").count, "\(fault)")
        #expect(fault.explanation.contains(words), "\(fault.explanation)")
    }

    @Test("The check reads the brands and the keys, and names what cannot be used")
    func files() throws {
        let configuration = try configuration(section())
        func fault() throws -> String {
            let fault = #expect(throws: HubFault.self) { try configuration.assemble() }
            return try #require(fault).description
        }
        let absent = try fault()
        #expect(absent.hasPrefix("readerTokens.brands: ") && absent.contains("has no key k1"), "\(absent)")
        try writeBrand()
        #expect(try configuration.assemble().tokens != nil)
        try stage.setMode(0o644, of: "utopia.pem")
        #expect(try fault().hasPrefix("readerTokens.keys: other users have access"))
        try FileManager.default.removeItem(atPath: "\(stage.folder)/utopia.pem")
        let missing = try fault()
        #expect(missing.hasPrefix("readerTokens.keys: ") && missing.contains("utopia.pem"), "\(missing)")
        try stage.write("utopia.pem", "no key")
        let malformed = try fault()
        #expect(malformed.hasPrefix("readerTokens.keys: ") && malformed.contains("utopia.pem"))
        try stage.write("brands/brands.json", "{")
        #expect(try fault().hasPrefix("readerTokens.brands: brands.json"))
        #expect(try stage.configuration.assemble().tokens == nil)
    }

    @Test(
        "A key on another curve, or one that is not the brand's, signs no reader token",
        arguments: [(Curve.p384, "not on P-256"), (.p256, "is not the private half of k1 in ")])
    func otherKey(_ curve: Curve, _ words: String) throws {
        try writeBrand(keyFile: PrivateKey.generate(curve))
        let fault = #expect(throws: HubFault.self) { try configuration(section()).assemble() }
        let text = try #require(fault).description
        #expect(
            text.hasPrefix("readerTokens.keys: \(stage.folder)/utopia.pem: ") && text.contains(words),
            "\(text)")
    }

    /// What `countersign-hub --check` says of the file with the section.
    private func check() async throws -> (status: Int32, errors: String) {
        try stage.write(
            "countersign-hub.json",
            stage.json.replacing("\n}", with: ",\n  \"readerTokens\": \(section())\n}"))
        let program = try BuiltProgram("countersign-hub", ["--check", "--config", stage.path])
        return (try await program.ended(), program.errors)
    }

    @Test(
        "A key that is revoked or has expired is named by the check and by doctor, and a hub starts all the same",
        arguments: [
            (nil, true, "was revoked, so the hub makes no token"),
            (1_577_836_800, false, "expired at 2020-01-01T00:00:00Z, so the hub makes no token"),
            (4_000_000_000, false, ""),
            (nil, false, ""),
        ] as [(Int64?, Bool, String)])
    func unusable(_ notAfter: Int64?, _ isRevoked: Bool, _ words: String) async throws {
        try writeBrand(
            notAfter: notAfter.map { Timestamp(secondsSince1970: $0) }, isRevoked: isRevoked)
        let facts = HubFileFacts.current(of: try configuration(section()), at: HubStage.now)
        let keys = try #require(facts.checks.first { $0.id == .hubKeys })
        #expect(keys.outcome == (words.isEmpty ? .ok : .failed), "\(keys.detail.full)")
        let (status, errors) = try await check()
        #expect(status == 0, "\(errors)")
        guard !words.isEmpty else {
            #expect(errors.isEmpty)
            return
        }
        for text in [keys.detail.full, errors] {
            #expect(text.contains("readerTokens.keys: the key k1 of the brand utopia \(words)"), "\(text)")
        }
    }

    @Test("The section in the documentation is one that a hub takes")
    func documented() throws {
        let page = try String(
            contentsOf: VectorFiles.repository.appending(path: "Documentation/fleet.md"), encoding: .utf8)
        let start = try #require(page.range(of: "\n    \"readerTokens\": {"))
        let end = try #require(page.range(of: "\n    }\n", range: start.upperBound..<page.endIndex))
        let tokens = try #require(
            try configuration("{" + page[start.upperBound..<end.upperBound]).readerTokens)
        #expect(tokens.grants.map(\.caller) == ["till-7", "site:harbour"])
    }

    @Test("Doctor looks at the brands and at the keys, which nobody else may read")
    func doctor() throws {
        let configuration = try configuration(section())
        func members() -> [String] {
            HubFileFacts.current(of: configuration, at: HubStage.now).files.map(\.member)
        }
        #expect(members() == ["readerTokens.brands", "readerTokens.keys"])
        try writeBrand()
        #expect(members().isEmpty)
        try stage.setMode(0o640, of: "utopia.pem")
        #expect(members() == ["readerTokens.keys"])
    }
}
