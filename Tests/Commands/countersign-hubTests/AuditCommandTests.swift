import ArgumentParser
import Fleet
import FleetHub
import Foundation
import JSON
import OpenSSLCrypto
import PKIX
import ReaderIdentityStore
import Testing

@testable import countersign_hub

@Suite("countersign-hub audit")
struct AuditCommandTests {
    @Test("It takes the number of an act and a kiosk's name, and nothing else")
    func options() throws {
        let command = try AuditListCommand.parse(["--after", "7", "--kiosk", "till-7"])
        #expect(command.after == 7 && command.kiosk?.text == "till-7")
        #expect(try AuditListCommand.parse([]).after == 0)
        for wrong in [["--after=-1"], ["--after", "x"], ["--kiosk", "Till 7"], ["till-7"]] {
            #expect(throws: (any Error).self, "\(wrong)") { try AuditListCommand.parse(wrong) }
        }
    }

    @Test("Without a database it says so")
    func noDatabase() async throws {
        let stage = try HubStage()
        let fault = await #expect(throws: HubFault.self) {
            try await AuditListCommand.parse(["--config", stage.path]).run()
        }
        #expect(fault?.description.hasPrefix("database: the database cannot be reached") == true)
    }

    @Test("No command of the log changes it")
    func listAlone() {
        #expect(AuditCommand.configuration.subcommands.map { $0.configuration.commandName } == ["list"])
    }
}

@Suite("countersign-hub audit, in a real PostgreSQL")
struct AuditCommandPostgreSQLTests {
    private let stage: HubStage
    private let kiosk = "till-\(UInt32.random(in: 0...UInt32.max))"
    private let database: HubDatabase

    init() throws {
        guard let settings = ProcessInfo.processInfo.environment["COUNTERSIGN_POSTGRESQL"] else {
            try Test.cancel("no database: run Hardware/VirtualBench/with-postgresql swift test …")
        }
        stage = try HubStage()
        try stage.write("database", settings)
        database = HubDatabase(settings, chain: try #require(FleetName("utopia")))
    }

    /// What the log has of the kiosk: the act, and who did it.
    private func acts() async throws -> [[String]] {
        try await database.audit.acts(of: FleetName(kiosk), atMost: 100).map { act in
            let members = try JSONText(act.json.utf8[...]).members()
            return try ["act", "databaseUser", "account", "host"].map { try members.required($0).string() }
        }
    }

    private func refuse(_ command: some AsyncParsableCommand) async {
        await #expect(throws: HubFault.self) {
            var command = command
            try await command.run()
        }
    }

    @Test(
        "Each command that changes something is in the log once, by the account that ran it, and one that is refused is not"
    )
    func commands() async throws {
        let own = [kiosk, "--config", stage.path]
        try await KioskInviteCommand.parse(own).run()
        try await KioskStopCommand.parse(own).run()
        try await refuse(KioskStopCommand.parse(own))
        try await KioskStartCommand.parse(own).run()
        try await refuse(AlertClearCommand.parse(own))
        let document = try signed()
        try await DocumentPutCommand.parse([document, "--percent", "10", "--config", stage.path]).run()
        try await refuse(DocumentPutCommand.parse([document, "--config", stage.path]))
        let level = ["--level", "kiosk", "--percent", "100"]
        try await DocumentWidenCommand.parse(own + level).run()
        try await KioskRevokeCommand.parse(own).run()
        try await refuse(KioskRevokeCommand.parse(own))
        let account = HubOperator.current
        let expected = [
            "kioskInvited", "kioskStopped", "kioskStarted", "documentPut", "documentWidened", "kioskRevoked",
        ].map { [$0, "countersign", account.account, account.host] }
        #expect(try await acts() == expected)
        try await AuditListCommand.parse(["--kiosk", kiosk, "--config", stage.path]).run()
    }

    /// A document for the kiosk, by a key that the stage's file names.
    private func signed() throws -> String {
        let key = try PrivateKey.generate(.p256)
        let info = try key.publicKey().subjectPublicKeyInfo
        try stage.write(
            "daily.pem.pub", String(decoding: PEM.encode(info[...], label: "PUBLIC KEY"), as: UTF8.self))
        let document = FleetDocument(
            chain: try #require(FleetName("utopia")), level: .kiosk, name: try #require(FleetName(kiosk)),
            version: 1, created: HubStage.now)
        let path = "\(stage.folder)/1.cose"
        try PrivateFile.replace(path, with: document.sign(with: key)[...])
        return path
    }
}
