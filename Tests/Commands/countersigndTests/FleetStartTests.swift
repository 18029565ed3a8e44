import ConfigurationForms
import Fleet
import Foundation
import JSON
import Logging
import MdocModel
import OpenSSLCrypto
import PKIX
import PresentationService
import ReaderAPI
import ReaderIdentityStore
import Testing
import VectorFiles

@testable import countersignd

@Suite("The start of a kiosk of a fleet")
struct FleetStartTests {
    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-start-\(UUID())")
    private let membership: FleetMembership

    init() throws {
        membership = FleetMembership(
            chain: try #require(FleetName("utopia")), site: nil, group: nil,
            kiosk: try #require(FleetName("till-1")))
    }

    /// What the daemon begins with, where it has obeyed a document before that changes the file like this.
    private func begins(with changes: String?, isStopped: Bool = false) throws -> DaemonConfiguration {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (store, file) = ("\(folder.path)/store", try file())
        let own = try DaemonConfiguration(file, environment: [:])
        let kiosk = try KioskOfFleet(try #require(own.fleet), store: store, path: "/nonexistent")
        let kept = try FleetFolder(store: store)
        var (accepted, _) = try kept.load(membership, kiosk.settings.keys)
        if let changes {
            let now = Timestamp(secondsSince1970: 1_790_000_000)
            var document = FleetDocument(
                chain: membership.chain, level: .chain, name: membership.chain, version: 1, created: now)
            document.configuration = Array(changes.utf8)
            let signed = try VerifiedFleetDocument(document.sign(with: key()), by: accepted.keyring)
            try #require(try accepted.accept(signed, at: now))
        }
        try kept.save(accepted, isStopped: isStopped)
        return try kiosk.configuration(over: file, orOwn: own, Self.log)
    }

    /// The kiosk's own file, with one lane, and all that it names.
    private func file() throws -> [UInt8] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let pem = PEM.encode(try key().publicKey().subjectPublicKeyInfo[...], label: "PUBLIC KEY")
        for name in ["daily.pub", "authority.pem"] {
            try #require(
                FileManager.default.createFile(
                    atPath: "\(folder.path)/\(name)", contents: Data(pem),
                    attributes: [.posixPermissions: 0o600]))
        }
        return Array(text().utf8)
    }

    private func text(lane: String = #"{"name": "counter-1"}"#, further: String = "") -> String {
        """
        {"store": "\(folder.path)/store", "log": "info", "lanes": [\(lane)]\(further),
         "fleet": {"chain": "utopia", "kiosk": "till-1", "hubs": ["https://localhost"],
                   "authority": "\(folder.path)/authority.pem", "keys": ["\(folder.path)/daily.pub"]}}
        """
    }

    /// The fleet's key, the same each time.
    private func key() throws -> PrivateKey {
        let path = "\(folder.path)/daily.pem"
        if !FileManager.default.fileExists(atPath: path) {
            try PrivateFile.create(path, PrivateKey.generate(.p256))
        }
        return try PrivateFile.key(path)
    }

    @Test("The document that the kiosk obeyed before counts from the start")
    func obeyed() throws {
        let configuration = try begins(with: #"{"log": "debug"}"#)
        #expect(configuration.logLevel == "debug")
        #expect(configuration.lanes.map(\.name) == ["counter-1"])
        #expect(configuration.access != .stopped)
    }

    @Test("The examples of fleet.md change policies and the texts of a lane's page as the file itself would")
    func examples() throws {
        let policies = #"{ "policies": { "rental": { "rental": 3 }, "identity": { "rental": 3 } } }"#
        let lane =
            #"{ "name": "counter-1", "page": { "texts": { "en": { "customer.idle.text": "Please wait at the till." } } } }"#
        let page = try String(
            contentsOf: VectorFiles.repository.appending(path: "Documentation/fleet.md"), encoding: .utf8)
        for (changes, file) in [
            (policies, text(further: #", "policies": {"rental": {"rental": 3}, "identity": {"rental": 3}}"#)),
            (#"{ "lanes": [\#(lane)] }"#, text(lane: lane)),
        ] {
            #expect(page.contains("\n    \(changes)\n"), "\(changes)")
            let expected = try DaemonConfiguration(Array(file.utf8), environment: [:])
            #expect(try begins(with: changes) == expected)
            #expect(try begins(with: nil) != expected)
        }
    }

    @Test(
        "If fleet documents lead to a fault or to a missing file, the kiosk starts with its own file",
        arguments: [
            #"{"log": "debug", "lanes": 7}"#, #"{"log": "debug", "page": "/nonexistent"}"#,
            #"{"log": "debug", "webhooks": {"secretFile": "/nonexistent"}}"#,
            #"{"log": "debug", "unknown": 1}"#,
        ])
    func own(_ changes: String) throws {
        let configuration = try begins(with: changes)
        #expect(configuration.logLevel == "info")
        #expect(configuration.lanes.map(\.name) == ["counter-1"])
    }

    @Test("Each fault of what documents made of the file is named once, by its member and without a line")
    func faults() {
        let changed = JSONItem(["lanes": .integer(7), "unknown": .integer(1)])
        var faults: [JSONFault] = []
        do throws(ConfigurationFaults) {
            _ = try DaemonConfiguration(changed, environment: [:])
        } catch {
            faults = error.faults
        }
        #expect(faults.map(\.pointer).sorted() == ["/lanes", "/unknown"])
        #expect(faults.allSatisfy { $0.line == 0 })
    }

    @Test("A kiosk that was stopped starts stopped, with its own file as with documents")
    func stopped() throws {
        for changes in [nil, #"{"log": "debug"}"#, #"{"lanes": 7}"#] {
            let configuration = try begins(with: changes, isStopped: true)
            #expect(configuration.lanes.isEmpty, "\(changes ?? "none")")
            #expect(configuration.access == .stopped, "\(changes ?? "none")")
        }
    }
}
