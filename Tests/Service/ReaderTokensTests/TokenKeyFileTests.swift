import Foundation
import JSON
import OpenSSLCrypto
import ReaderIdentityStore
import Testing

@testable import ReaderTokens

@Suite("The file with the key of a brand")
struct TokenKeyFileTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID()).pem").path

    private func file() throws -> TokenKeyFile {
        TokenKeyFile(brand: try named("utopia"), identifier: try named("k1"), path: path)
    }

    /// The text of the error for this file.
    private func explanation(of error: TokenKeyFileError) throws -> String {
        #expect(throws: error) { _ = try file().signer() }
        return error.explanation
    }

    @Test("A key on P-256 signs for its brand, and one on another curve is refused with the name of its file")
    func curves() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try PrivateFile.create(path, PrivateKey.generate(.p256))
        let signer = try file().signer()
        #expect(signer.brand.text == "utopia" && signer.keyIdentifier.text == "k1")
        try FileManager.default.removeItem(atPath: path)
        try PrivateFile.create(path, PrivateKey.generate(.p384))
        #expect(
            try explanation(of: .key(path: path, .signingKeyNotP256))
                == "\(path): the key is not on P-256, which ES256 requires")
    }

    @Test("A file that is absent, that others may read, or without a key is refused, and named once")
    func files() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(
            try explanation(of: .file(path: path, .fileRefused(path: path, errno: PrivateFile.absent)))
                == "\(path): No such file or directory")
        try Data("no key".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(
            try explanation(of: .file(path: path, .exposed(path: path, mode: 0o644)))
                .hasPrefix("other users have access to \(path) (mode 644)"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let found = #expect(throws: TokenKeyFileError.self) { _ = try file().signer() }
        #expect(try #require(found).explanation.hasPrefix("\(path): the key cannot be used: "))
    }

    private func list(_ text: String) throws(JSONFault) -> [TokenKeyFile] {
        try TokenKeyFile.list(JSONText(Array(text.utf8)[...]))
    }

    @Test("A list has one key a brand, each with a path from the root, and no other members")
    func lists() throws {
        let (one, other) = (
            #"{"brand": "utopia", "kid": "k1", "keyFile": "/k"}"#,
            #"{"brand": "bare", "kid": "k1", "keyFile": "/k"}"#
        )
        #expect(try list("[\(one), \(other)]").map(\.brand.text) == ["utopia", "bare"])
        for (text, pointer) in [
            ("[\(one), \(one)]", "/1"), ("[\(one.replacing("/k", with: "k"))]", "/0/keyFile"),
            ("[\(one.replacing("k1", with: "k 1"))]", "/0/kid"),
            ("[\(one.replacing("brand", with: "brands"))]", "/0/brands"),
        ] {
            let fault = #expect(throws: JSONFault.self, "\(text)") { _ = try list(text) }
            #expect(try #require(fault).pointer == pointer, "\(text)")
        }
    }
}
