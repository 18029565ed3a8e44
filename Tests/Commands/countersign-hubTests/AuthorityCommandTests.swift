import ArgumentParser
import Doctor
import Fleet
import FleetHub
import Foundation
import MdocModel
import ReaderIdentityStore
import Testing

@testable import countersign_hub

@Suite("countersign-hub authority")
struct AuthorityCommandTests {
    private let stage: HubStage
    private let hub: FleetName

    init() throws {
        stage = try HubStage()
        hub = try #require(FleetName("hub"))
    }

    private func certify(isReplacing: Bool, at now: Timestamp) throws {
        try HubAuthority.certifyServer(
            hub, dns: ["hub.example"], addresses: [], in: stage.folder, isReplacing: isReplacing, at: now)
    }

    private func contents(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: "\(stage.folder)/\(name)"))
    }

    @Test("A certificate that is there stays, or is renewed for its key where that is asked for")
    func renewal() throws {
        let later = HubStage.now.advanced(bySeconds: 350 * 86_400)
        let before = try (contents("hub.pem"), contents("hub-key.pem"))
        #expect(throws: IdentityStoreError.fileRefused(path: "\(stage.folder)/hub-key.pem", errno: EEXIST)) {
            try certify(isReplacing: false, at: later)
        }
        #expect(try (contents("hub.pem"), contents("hub-key.pem")) == before)
        #expect(try stage.facts(at: later).checks[1].detail.full.contains("expires in 15 days"))
        try certify(isReplacing: true, at: later)
        #expect(try contents("hub.pem") != before.0 && contents("hub-key.pem") == before.1)
        #expect(try stage.facts(at: later).checks[1].detail.full.contains("in 365 days"))
        #expect(try AuthorityServerCommand.parse(["f", "hub", "--host", "a", "b", "--replace"]).replace)
    }

    @Test("Where there is no key nothing is renewed, and no certificate comes of it")
    func absent() throws {
        try FileManager.default.removeItem(atPath: "\(stage.folder)/hub-key.pem")
        let before = try contents("hub.pem")
        #expect(throws: IdentityStoreError.fileRefused(path: "\(stage.folder)/hub-key.pem", errno: ENOENT)) {
            try certify(isReplacing: true, at: HubStage.now)
        }
        #expect(try contents("hub.pem") == before)
    }

    @Test("A file with two roots is in order: the first certifies, and doctor looks at it")
    func twoRoots() throws {
        let next = "\(stage.folder)/next"
        try HubAuthority.create(in: next, for: try #require(FleetName("utopia")), at: HubStage.now)
        let both = try Data(contentsOf: URL(filePath: "\(next)/authority.pem")) + contents("authority.pem")
        for (name, bytes) in [
            ("authority.pem", both),
            ("authority-key.pem", try Data(contentsOf: URL(filePath: "\(next)/authority-key.pem"))),
        ] {
            try stage.write(name, String(decoding: bytes, as: UTF8.self))
        }
        #expect(try stage.facts().checks.map(\.outcome) == [.ok, .ok, .ok])
        try certify(isReplacing: true, at: HubStage.now)
        #expect(try stage.facts().checks.map(\.outcome) == [.ok, .ok, .ok])
    }
}
