import ArgumentParser
import Fleet
import Foundation
import OpenSSLCrypto
import ReaderIdentityStore
import ReaderTokens
import Testing
import VectorFiles

@testable import countersign_hub

@Suite("countersign-hub sign")
struct SignCommandTests {
    private let stage: SignStage
    private let registry = """
        {"brands": [{"id": "utopia", "name": "Utopia Rentals", "logo": "utopia.png", "keys": []}]}
        """

    init() throws { stage = try SignStage() }

    @Test("A folder of brands is packed with its logos, and nothing else of it")
    func packed() throws {
        try stage.write("brands.json", registry)
        try stage.write("utopia.png", stage.png)
        try stage.write("notes.txt", "of nobody")
        let document = try stage.sign()
        let bundle = try #require(try document.brands?.bundle())
        #expect(bundle.json == Array(registry.utf8))
        #expect(bundle.logos.map(\.key.text) == ["utopia.png"])
        #expect(bundle.logos.first?.value.png == Array(stage.png))
    }

    @Test("A document without the option says nothing of brands")
    func absent() throws {
        #expect(try stage.sign(withBrands: false).brands == nil)
    }

    @Test("A folder that is not fit is refused with the reason, and no document is written")
    func unfit() throws {
        try stage.refuse("brands.json: No such file or directory")
        try stage.write("brands.json", "{\"brands\": [],\n\"more\": 1}")
        try stage.refuse("brands.json, line 2")
        try stage.write("brands.json", registry)
        try stage.refuse("brands.json names the logo utopia.png, which is not there")
        try stage.write("utopia.png", stage.png.dropLast())
        try stage.refuse("the logo utopia.png: it is not a complete PNG")
        let end = stage.png.suffix(12)
        try stage.write("utopia.png", stage.png.dropLast(12) + Data(count: 256 << 10) + end)
        try stage.refuse("the logo utopia.png: it is longer than 256 KiB")
        try stage.write("utopia.png", Data(count: (1 << 20) + 1))
        try stage.refuse("utopia.png is longer than any file of its kind")
        try stage.write("utopia.png", stage.png, mode: 0o666)
        try stage.refuse("other users have access")
        try stage.write("utopia.png", stage.png)
        _ = try stage.sign()
    }

    @Test("An id that is none is named, and what is not there to be signed is too")
    func options() throws {
        let id = String(repeating: "0", count: 32)
        _ = try stage.sign(with: ["--withdraw", id])
        for (options, words) in [
            (["--withdraw", "abc\u{1b}"], "--withdraw: abc\u{fffd} is not the id of a key"),
            (["--configuration", "/nonexistent"], "/nonexistent: there is no such file"),
        ] {
            let fault = #expect(throws: HubFault.self) { _ = try stage.sign(with: options) }
            #expect(fault?.description.contains(words) == true, "\(fault?.description ?? "")")
        }
    }

    @Test("Brands that make the document too long are refused")
    func tooLong() throws {
        let ids = ["a", "b", "c", "d", "e"]
        let brands = ids.map { id in
            "{\"id\": \"\(id)\", \"name\": \"Brand\", \"logo\": \"\(id).png\", \"keys\": []}"
        }
        let logo = stage.png.dropLast(12) + Data(count: 250 << 10) + stage.png.suffix(12)
        for id in ids { try stage.write("\(id).png", logo) }
        try stage.write("brands.json", "{\"brands\": [\(brands.joined(separator: ","))]}")
        try stage.refuse("the document has more than 1048576 bytes")
        try stage.write("brands.json", "{\"brands\": [\(brands.dropLast().joined(separator: ","))]}")
        _ = try stage.sign()
    }
}

/// A fleet key, and a folder of brands beside it.
private final class SignStage: Sendable {
    let png: Data
    private let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-sign-\(UUID())")
        .path
    private var brands: String { "\(folder)/brands" }
    private var output: String { "\(folder)/1.cose" }
    private let keyring: FleetKeyring

    init() throws {
        png = try Data(contentsOf: VectorFiles.own.appending(path: "portraits/still.png"))
        try FileManager.default.createDirectory(
            atPath: "\(folder)/brands", withIntermediateDirectories: true)
        let key = try PrivateKey.generate(.p256)
        keyring = FleetKeyring([try FleetKey(key.publicKey())])
        try PrivateFile.create("\(folder)/key.pem", key)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func write(_ name: String, _ text: String) throws { try write(name, Data(text.utf8)) }

    func write(_ name: String, _ bytes: Data, mode: Int = 0o600) throws {
        let path = "\(brands)/\(name)"
        try bytes.write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// The document that the command writes, which its key signed.
    func sign(withBrands: Bool = true) throws -> FleetDocument {
        try sign(with: withBrands ? ["--brands", brands] : [])
    }

    func sign(with options: [String]) throws -> FleetDocument {
        try run(options)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: output)))
        return try VerifiedFleetDocument(bytes, by: keyring).document
    }

    /// The command says this, and writes nothing.
    func refuse(_ words: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let fault = #expect(throws: HubFault.self, sourceLocation: sourceLocation) {
            try run(["--brands", brands])
        }
        let text = fault?.description ?? "no fault"
        #expect(text.contains(words), "\(text)", sourceLocation: sourceLocation)
        #expect(!FileManager.default.fileExists(atPath: output), sourceLocation: sourceLocation)
    }

    private func run(_ options: [String]) throws {
        try SignCommand.parse(
            [output, "--key", "\(folder)/key.pem", "--chain", "utopia", "--document-version", "1"] + options
        ).run()
    }
}
