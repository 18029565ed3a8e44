import Fleet
import FleetHub
import Foundation
import MdocModel
import OpenSSLCrypto
import PKIX
import ReaderIdentityStore
import Testing

@testable import countersign_hub

/// A hub's files in a folder of their own, as `countersign-hub authority` makes them. Database and broker are not there.
final class HubStage {
    static let now = Timestamp(secondsSince1970: 1_790_000_000)

    let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-hub-\(UUID())").path
    var path: String { "\(folder)/countersign-hub.json" }

    init() throws {
        let chain = try #require(FleetName("utopia"))
        try HubAuthority.create(in: folder, for: chain, at: Self.now)
        for name in ["hub", "broker"] {
            try HubAuthority.certifyServer(
                try #require(FleetName(name)), dns: ["\(name).example"], addresses: [], in: folder,
                at: Self.now)
        }
        for name in ["safe", "daily"] { try writeFleetKey(name) }
        try write("database", "host=/nonexistent")
        try write("password", "0123")
        try Data(json.utf8).write(to: URL(filePath: path))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func write(_ name: String, _ text: String, mode: Int = 0o600) throws {
        #expect(
            FileManager.default.createFile(
                atPath: "\(folder)/\(name)", contents: Data(text.utf8),
                attributes: [.posixPermissions: mode]))
    }

    func setMode(_ mode: Int, of name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(folder)/\(name)")
    }

    /// The public half of a new key.
    private func writeFleetKey(_ name: String) throws {
        let info = try PrivateKey.generate(.p256).publicKey().subjectPublicKeyInfo
        try write(
            "\(name).pem.pub", String(decoding: PEM.encode(info[...], label: "PUBLIC KEY"), as: UTF8.self))
    }

    var json: String {
        """
        {
          "chain": "utopia",
          "http": { "port": 8443, "certificate": "\(folder)/hub.pem", "key": "\(folder)/hub-key.pem" },
          "authority": { "certificate": "\(folder)/authority.pem", "key": "\(folder)/authority-key.pem" },
          "database": "\(folder)/database",
          "broker": {
            "host": "127.0.0.1", "port": 1, "certificate": "\(folder)/hub.pem", "key": "\(folder)/hub-key.pem",
            "user": "hub", "passwordFile": "\(folder)/password"
          },
          "keys": ["\(folder)/safe.pem.pub", "\(folder)/daily.pem.pub"]
        }
        """
    }

    var configuration: HubConfiguration { get throws { try HubConfiguration(Array(json.utf8)) } }

    /// Why the hub does not start; empty where it does.
    func fault() throws -> String {
        let configuration = try configuration
        do throws(HubFault) {
            _ = try configuration.assemble()
            return ""
        } catch {
            return error.description
        }
    }

    /// What the files say.
    func facts(at now: Timestamp = HubStage.now) throws -> HubFileFacts {
        .current(of: try configuration, at: now)
    }
}
