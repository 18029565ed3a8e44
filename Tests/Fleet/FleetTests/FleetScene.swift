import Deadlines
import Foundation
import GRDB
import JSON
import MdocModel
import MdocTrust
import OpenSSLCrypto
import ReaderStore
import RecordBench
import Testing

@testable import Fleet

/// A kiosk at the site harbour, with the key in the safe and the one of every day.
struct FleetScene {
    static let now = Timestamp(secondsSince1970: 1_790_000_000)

    let safe: PrivateKeyBox
    let daily: PrivateKeyBox
    let membership: FleetMembership

    init() throws {
        safe = try PrivateKeyBox()
        daily = try PrivateKeyBox()
        membership = FleetMembership(
            chain: try .named("utopia"), site: try .named("harbour"), group: nil, kiosk: try .named("till-1"))
    }

    var keys: [FleetKey] { get throws { [try safe.fleetKey, try daily.fleetKey] } }

    func documents() throws -> AcceptedDocuments {
        AcceptedDocuments(membership, FleetKeyring(try keys))
    }

    /// A signed document.
    func document(
        _ level: FleetLevel = .chain, _ name: String? = nil, version: Int64 = 1, chain: String = "utopia",
        created: Timestamp = now, configuration: String? = nil, trust: [UInt8]? = nil,
        brands: FleetBrands? = nil, withdrawn: [FleetKey.ID] = [], by key: PrivateKeyBox? = nil
    ) throws -> [UInt8] {
        var document = FleetDocument(
            chain: try .named(chain), level: level, name: try .named(name ?? chain), version: version,
            created: created)
        document.configuration = configuration.map { Array($0.utf8) }
        document.trust = trust
        document.brands = brands
        document.withdrawn = withdrawn
        return try document.sign(with: (key ?? daily).key)
    }

    /// A bundle that trusts one source of this name, made so many seconds ago.
    func bundle(of source: String, secondsAgo: Int64 = 0) throws -> [UInt8] {
        let snapshot = TrustSnapshot([
            TrustSource(
                .anchor, name: source, provenance: .file(path: "/\(source)"), obtained: Self.now,
                bytes: Array(source.utf8)[...])
        ])
        return try TrustBundle.export(
            snapshot, created: Self.now.advanced(bySeconds: -secondsAgo), signedWith: daily.key)
    }

    func settings(in store: FleetStore, of hub: (origin: String, authority: String)) throws -> KioskSettings {
        KioskSettings(
            membership, hubs: [hub.origin], authority: hub.authority, keys: try keys,
            codeFile: nil, store: store.path, software: "test", now: { Self.now })
    }

    /// An agent whose daemon says of each configuration what the test says.
    func agent(
        _ daemon: FakeDaemon, in store: FleetStore, isStopped: Bool = false,
        of hub: (origin: String, authority: String) = ("https://localhost", "/dev/null"),
        log: LogLines = LogLines(), clockSkew: Int64 = 60,
        setWaiting: @escaping @Sendable (Int64) -> Void = { _ in },
        _ change: (inout KioskSettings) -> Void = { _ in }
    ) throws -> FleetAgent {
        var settings = try settings(in: store, of: hub)
        change(&settings)
        let folder = try FleetFolder(store: store.path)
        let actions = FleetActions(
            file: { Array(#"{"log": "info"}"#.utf8) }, check: { _ in nil },
            apply: { await daemon.apply($0) }, setStopped: { await daemon.setStopped($0) },
            clockSkew: { clockSkew },
            health: { await daemon.health }, setWaiting: setWaiting)
        return FleetAgent(
            settings, in: folder, from: (try folder.load(membership, keys).accepted, isStopped), by: actions,
            log: log.logger)
    }

    /// Has the agent obey a document, as far as it is to.
    func roll(_ bytes: [UInt8], out agent: FleetAgent) async throws {
        try await agent.receiveDocument(bytes)
        await agent.finishTrial()
    }
}

extension AcceptedDocuments {
    /// Verifies a document, and obeys it from now on.
    @discardableResult
    mutating func accept(_ bytes: [UInt8], at now: Timestamp) throws(FleetDocumentError) -> Bool {
        try accept(VerifiedFleetDocument(bytes, by: keyring), at: now)
    }
}

/// A daemon that does as the test says.
actor FakeDaemon {
    private(set) var applied: [String] = []
    private(set) var isStopped = false
    private var outcome = FleetOutcome.ready
    private var bad: String?
    private var isHeld = false
    private(set) var health = KioskHealth(findings: ["trustMissing"])

    func answer(_ outcome: FleetOutcome) { self.outcome = outcome }
    /// Lanes do not become ready with a configuration that has this text.
    func fail(with text: String) { bad = text }
    func say(_ health: KioskHealth) { self.health = health }
    func hold() { isHeld = true }
    func release() { isHeld = false }
    func setStopped(_ isStopped: Bool) { self.isStopped = isStopped }

    func apply(_ configuration: AcceptedDocuments.Configuration) async -> FleetOutcome {
        let text =
            switch configuration {
            case .file(let bytes): String(decoding: bytes, as: UTF8.self)
            case .changed(let item): JSONValue(item).text
            }
        applied.append(text)
        try? await until("its release") { await !self.isHeld }
        if let bad, text.contains(bad) { return .notReady }
        return outcome
    }
}

/// A key that several tests of one scene may use.
final class PrivateKeyBox: Sendable {
    let key: PrivateKey

    init() throws { key = try PrivateKey.generate(.p256) }

    var fleetKey: FleetKey { get throws { try FleetKey(key.publicKey()) } }
}

extension FleetName {
    static func named(_ text: String) throws -> FleetName { try #require(FleetName(text)) }
}

/// A folder that goes with its test.
final class FleetStore: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "countersign-fleet-\(UUID())").path

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The name of the source that is trusted.
    var trusted: String? {
        get throws {
            try ReaderStore(at: path, for: .reading).currentTrustIfAny()?.snapshot.sources.first?.name
        }
    }

    /// Has no snapshot put in place while `body` runs, as if the disk were full; all of the store can be read.
    func withoutRoomForTrust(_ body: () async throws -> Void) async throws {
        let file = try DatabaseQueue(path: "\(path)/countersign.sqlite")
        try await file.write { database in
            try database.execute(
                sql: """
                    CREATE TRIGGER no_room BEFORE INSERT ON trust_snapshot
                    BEGIN SELECT RAISE(ABORT, 'no room'); END
                    """)
        }
        try await body()
        try await file.write { try $0.execute(sql: "DROP TRIGGER no_room") }
    }
}
