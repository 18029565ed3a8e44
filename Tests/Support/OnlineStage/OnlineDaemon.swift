package import Foundation
internal import MdocModel
internal import OpenSSLCrypto
package import OtherPrograms
internal import TestCredentials
package import WalletPresentation

/// `countersignd` as the server of a shop with an app, and a customer of it.
package final class OnlineDaemon: Sendable {
    package static let origin = "https://shop.example"
    package static let token = "online-token-of-the-tests"

    package let shop: OnlineShop
    package let reader: ReaderDaemon
    package let http: PlainHTTP

    /// - Parameter nonces: the section of the configuration, as JSON; `connection` is where PostgreSQL is, if it is.
    package init(
        _ shop: OnlineShop, nonces: String, connection: String? = nil, environment: [String: String] = [:]
    ) async throws {
        self.shop = shop
        let secrets = FileManager.default.temporaryDirectory.appending(path: "countersign-online-\(UUID())")
        try FileManager.default.createDirectory(at: secrets, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: secrets) }
        try Self.write(shop.keyFile, to: secrets.appending(path: "key.pem").path)
        try Self.write(Array((connection ?? "").utf8), to: secrets.appending(path: "connection").path)
        let online = """
            {"merchants": [{"name": "shop", "merchantIdentifier": "\(shop.merchant.merchantIdentifier)",
            "teamIdentifier": "\(shop.merchant.teamIdentifier)", "keys": ["\(secrets.path)/key.pem"]}],
            "web": {"origins": ["\(Self.origin)"], "keys": ["\(secrets.path)/key.pem"]},
            "nonces": \(nonces.replacingOccurrences(of: "CONNECTION", with: secrets.path + "/connection"))}
            """
        let digest = Digest(.sha256, of: Array(Self.token.utf8)[...]).bytes
            .map { String(format: "%02x", $0) }.joined()
        reader = try await ReaderDaemon(
            lanes: [],
            members: [
                "online": online,
                "tokens": #"[{"name": "online", "sha256": "\#(digest)", "scopes": ["online"]}]"#,
            ], environment: environment)
        http = PlainHTTP(.tcp(port: reader.port), token: Self.token)
        try await trust(shop.customer.issuer.authority.der)
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
        else { throw PlainHTTP.Failure(description: "\(path) cannot be written") }
    }

    private func trust(_ root: [UInt8]) async throws {
        let file = reader.folder.appending(path: "root.der")
        try Data(root).write(to: file)
        let importing = try BuiltProgram(
            "countersign", ["trust", "import", file.path, "--store", reader.folder.path + "/store"])
        guard try await importing.ended() == 0 else {
            throw PlainHTTP.Failure(description: importing.errors)
        }
    }

    /// The body that asks.
    package static let order = """
        {"session":"session 1","document":"driversLicense","elements":["age(atLeast:21)"],\
        "intentToStore":"willNotStore"}
        """

    package static func nonce(from text: String) throws -> PresentationNonce {
        try PresentationNonce(Base64URL.decode(text.utf8) ?? [])
    }

    package func ask() async throws -> PresentationNonce {
        let reply = try await http.call("POST", "/v1/wallet/requests", Self.order)
        guard reply.status == 201, let text = try reply.json()["nonce"] as? String else {
            throw PlainHTTP.Failure(description: "\(reply.status): \(reply.text)")
        }
        return try Self.nonce(from: text)
    }

    /// The body that presents what the customer answers to a nonce.
    package func presentation(of nonce: PresentationNonce) throws -> String {
        let envelope = try shop.customer.envelope(to: nonce, of: shop.merchant, sealedFor: shop.recipient)
        return """
            {"session":"session 1","nonce":"\(Base64URL.encode(nonce.bytes))",\
            "envelope":"\(Base64URL.encode(envelope))"}
            """
    }

    /// An answer and what judges it, as files of a folder; the words that name them to `countersign`.
    package func answer(in folder: URL) throws -> [String] {
        let nonce = try PresentationNonce(randomBytes(PresentationNonce.issuedSize))
        let envelope = try shop.customer.envelope(to: nonce, of: shop.merchant, sealedFor: shop.recipient)
        let files = [
            "--envelope": envelope, "--key": shop.keyFile, "--trust": shop.customer.issuer.authority.der,
        ]
        var words = [
            "--merchant-id", shop.merchant.merchantIdentifier, "--team-id", shop.merchant.teamIdentifier,
            "--nonce", Base64URL.encode(nonce.bytes), "--element", "age(atLeast:21)",
        ]
        for (option, bytes) in files {
            let path = folder.appending(path: "answer\(option)").path
            try Self.write(bytes, to: path)
            words += [option, path]
        }
        return words
    }

    /// The verdict, or the id of the refusal.
    package func present(_ body: String) async throws -> String {
        let reply = try await http.call("POST", "/v1/wallet/presentations", body)
        return try reply.problem ?? reply.json()["verdict"] as? String ?? reply.text
    }
}
