import Foundation
import Glibc
import OpenSSLCrypto
import OtherPrograms
import Testing

/// A daemon that is the token server of a chain: a brand with a logo and a key, and a till that may have tokens.
struct TokenChain {
    static let till = "till-token-of-the-tests"
    /// A reader that is granted, and is not this one.
    static let other = "00112233445566778899aabbccddeeff"
    /// One white pixel.
    static let logo =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

    let reader: ReaderDaemon
    let instance: String

    /// - Parameters:
    ///   - lanes: as those of `ReaderDaemon`.
    ///   - environment: leads to the TPM that has the brand's key; empty for a key in its file.
    init(lanes: [[String]?] = [nil], inTPM environment: [String: String] = [:]) async throws {
        reader = try await ReaderDaemon(lanes: lanes, environment: environment)
        let logo = reader.folder.appending(path: "logo.png")
        try #require(Data(base64Encoded: Self.logo)).write(to: logo)
        let store = ["--store", reader.folder.path + "/store"]
        _ = try await Self.run(
            ["brand", "add", "utopia", "--name", "Utopia Rentals", "--logo", logo.path] + store)
        _ = try await Self.run(["brand", "add", "bare", "--name", "No Logo"] + store)
        instance = try await Self.run(["token", "instance"] + store).trimmingCharacters(in: .newlines)
        try await makeKey("k1", inTPM: environment)
        try await reload(keys: [("utopia", "k1")])
    }

    /// Runs `countersign`; what it says on its standard output.
    static func run(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> String {
        let command = try BuiltProgram("countersign", arguments, environment: environment)
        guard try await command.ended() == 0 else {
            throw PlainHTTP.Failure(description: "\(arguments): \(command.errors)")
        }
        return command.output
    }

    func run(_ arguments: String...) async throws -> String {
        try await Self.run(arguments + ["--store", reader.folder.path + "/store"])
    }

    /// Adds a key to the brand, with its private half in `keyPath`.
    func makeKey(_ kid: String, inTPM environment: [String: String]) async throws {
        _ = try await Self.run(
            ["brand", "key", "add", "utopia", "--kid", kid, "--generate", keyPath]
                + (environment.isEmpty ? [] : ["--tpm"]) + ["--store", reader.folder.path + "/store"],
            environment: environment)
    }

    var keyPath: String { reader.folder.path + "/utopia.pem" }

    /// Writes the file anew with these keys, and has the daemon read it.
    func reload(keys: [(brand: String, kid: String)]) async throws {
        let file = reader.folder.appending(path: "countersignd.json")
        var members = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        var tokens = try #require(members["tokens"] as? [[String: Any]]).filter {
            $0["name"] as? String != "till"
        }
        let digest = Digest(.sha256, of: Array(Self.till.utf8)[...]).bytes
        tokens.append([
            "name": "till", "scopes": ["readerTokens"],
            "sha256": digest.map { String(format: "%02x", $0) }.joined(),
        ])
        members["tokens"] = tokens
        members["readerTokens"] = [
            "keys": keys.map {
                ["brand": $0.brand, "kid": $0.kid, "keyFile": reader.folder.path + "/\($0.brand).pem"]
            },
            "grants": [
                ["caller": "till", "brand": "utopia", "instances": [instance, Self.other]],
                ["caller": "till", "brand": "bare", "instances": [instance]],
            ],
        ]
        try JSONSerialization.data(withJSONObject: members).write(to: file)
        let times = reader.daemon.errors.components(separatedBy: "read its configuration file again").count
        reader.daemon.signal(SIGHUP)
        try await reader.daemon.said("read its configuration file again", times: times)
    }

    var asTill: PlainHTTP { PlainHTTP(.tcp(port: reader.port), token: Self.till) }

    func ask(_ brand: String = "utopia", _ instance: String? = nil) async throws -> PlainHTTP.Reply {
        try await asTill.call(
            "POST", "/v1/reader-tokens",
            #"{"brand": "\#(brand)", "instance": "\#(instance ?? self.instance)"}"#)
    }

    func token(_ instance: String? = nil) async throws -> String {
        try #require(try await ask("utopia", instance).json()["token"] as? String)
    }

    /// An order of data with a reader token.
    func order(_ token: String) async throws -> PlainHTTP.Reply {
        try await reader.asApp.call(
            "POST", "/v1/presentations",
            #"{"kind": "data", "intent": "identity: name", "readerToken": "\#(token)"}"#)
    }
}
