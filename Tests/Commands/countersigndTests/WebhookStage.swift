import Foundation
import MdocModel
import OpenSSLCrypto
import OtherPrograms
import Testing

/// Where a daemon sends its webhooks, and the secret that signs them.
struct WebhookStage {
    private static let secret = "0123456789abcdef0123456789abcdef"

    let port: UInt16

    init(port: UInt16) {
        self.port = port
    }

    /// At a port where nobody listens yet.
    init() throws {
        port = try ReaderDaemon.freePort()
    }

    var origin: String { "http://127.0.0.1:\(port)" }

    /// The member of an order.
    var order: String { #", "webhook": "\#(origin)/done""# }

    /// The members of the daemon's file, with a secret of its own.
    func members(_ further: [String: String] = [:]) throws -> [String: String] {
        let path = FileManager.default.temporaryDirectory.appending(path: "secret-\(UUID())").path
        _ = FileManager.default.createFile(
            atPath: path, contents: Data(Self.secret.utf8), attributes: [.posixPermissions: 0o600])
        let webhooks = #"{"origins": ["\#(origin)"], "secretFile": "\#(path)"}"#
        return further.merging(["webhooks": webhooks]) { given, _ in given }
    }

    /// What a call says, once its signature and time were checked.
    static func body(of call: HookListener.Call) throws -> [String: Any] {
        let timestamp = try #require(call.headers["countersign-timestamp"])
        let key = SecretBytes(copying: Array(secret.utf8)[...])
        let expected = try hmacSHA256(key: key, over: [Array("\(timestamp).".utf8)[...], call.body[...]])
        #expect(call.headers["countersign-signature"] == "v1=\(expected.hexadecimal)")
        let age = Date().timeIntervalSince1970 - (Double(timestamp) ?? 0)
        #expect(abs(age) < 60)
        return try #require(JSONSerialization.jsonObject(with: Data(call.body)) as? [String: Any])
    }
}
