import ArgumentParser
import Fleet
import Foundation
import OpenSSLCrypto
import OtherPrograms
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

    @Test("An unsuitable folder is refused with the reason, and no document is written")
    func unfit() throws {
        try stage.refuse("brands.json: No such file or directory")
        try stage.write("brands.json", "{\"brands\": [],\n\"more\": 1}")
        try stage.refuse("brands.json, line 2")
        try stage.write("brands.json", registry)
        try stage.refuse("brands.json names the logo utopia.png, but the file is missing")
        try stage.write("utopia.png", stage.png.dropLast())
        try stage.refuse("the logo utopia.png: the file is not a complete PNG")
        let end = stage.png.suffix(12)
        try stage.write("utopia.png", stage.png.dropLast(12) + Data(count: 256 << 10) + end)
        try stage.refuse("the logo utopia.png: the file is longer than 256 KiB")
        try stage.write("utopia.png", Data(count: (1 << 20) + 1))
        try stage.refuse("utopia.png is longer than a file of this kind can be")
        try stage.write("utopia.png", stage.png, mode: 0o666)
        try stage.refuse("other users have access")
        try stage.write("utopia.png", stage.png)
        _ = try stage.sign()
    }

    @Test("A text that is no id is named, and what is not there to be signed is too")
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

@Suite("countersign-hub sign, with a TPM")
struct SignTPMTests {
    @Test(
        "A document that a key in a TPM signs verifies with its public half; without that TPM nothing is signed",
        .enabled(if: SoftwareTPM.isThere, "\(SoftwareTPM.missing)"))
    func wholeWay() async throws {
        let (tpm, other) = (try SoftwareTPM(), try SoftwareTPM())
        let stage = try SignStage()
        let key = try await stage.makeKey("own", inTPM: tpm.address)
        let foreign = try await stage.makeKey("other", inTPM: other.address)
        let signed = try await stage.sign(with: "own", tpm: tpm.address)
        #expect(signed.status == 0, "\(signed.errors)")
        // To verify takes no TPM.
        let bytes = try stage.takeDocument()
        #expect(try VerifiedFleetDocument(bytes, by: FleetKeyring([foreign, key])).signer == key.id)
        #expect(throws: FleetDocumentError.keyUnknown) {
            try VerifiedFleetDocument(bytes, by: FleetKeyring([foreign]))
        }
        for (address, words) in [
            (other.address, "another TPM,"), ("swtpm:path=/nowhere", "no TPM 2.0 answers"),
        ] {
            let refused = try await stage.sign(with: "own", tpm: address)
            #expect(refused.status != 0 && refused.errors.contains(words), "\(refused.errors)")
            #expect(!stage.hasDocument)
        }
        withExtendedLifetime((tpm, other)) {}
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

    // MARK: With a TPM

    /// Makes a key in the TPM at this address, as one of a brand, and returns its public half.
    func makeKey(_ name: String, inTPM address: String) async throws -> FleetKey {
        let place = ["--store", "\(folder)/\(name)"]
        let brand = ["brand", "add", "utopia", "--name", "Utopia Rentals"]
        let key = [
            "brand", "key", "add", "utopia", "--kid", "k1", "--generate", "\(folder)/\(name).pem", "--tpm",
        ]
        for arguments in [brand, key] {
            let made = try await execute("countersign", arguments + place, tpm: address)
            try #require(made.status == 0, "\(made.errors)")
        }
        let registry = try BrandFolder(store: "\(folder)/\(name)").registry()
        let kid = try #require(TokenText("k1"))
        let (_, known) = try #require(registry.key(kid))
        return try FleetKey(PublicKey(curve: .p256, x: known.x[...], y: known.y[...]))
    }

    /// Runs the command with a key of `makeKey`, where the TPM is at this address.
    func sign(with name: String, tpm address: String) async throws -> (status: Int32, errors: String) {
        try await execute(
            "countersign-hub",
            [
                "sign", output, "--key", "\(folder)/\(name).pem", "--chain", "utopia", "--document-version",
                "1",
            ], tpm: address)
    }

    var hasDocument: Bool { FileManager.default.fileExists(atPath: output) }

    /// The document that was written, which is not there any more then.
    func takeDocument() throws -> [UInt8] {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: output)))
        try FileManager.default.removeItem(atPath: output)
        return bytes
    }

    private func execute(
        _ name: String, _ arguments: [String], tpm address: String
    ) async throws -> (status: Int32, errors: String) {
        let program = try BuiltProgram(name, arguments, environment: ["TPM2OPENSSL_TCTI": address])
        return (try await program.ended(), program.errors)
    }

    private func run(_ options: [String]) throws {
        try SignCommand.parse(
            [output, "--key", "\(folder)/key.pem", "--chain", "utopia", "--document-version", "1"] + options
        ).run()
    }
}
