import Foundation
import Logging
import MdocModel
import OpenSSLCrypto
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
        created: Timestamp = now, configuration: String? = nil, brands: FleetBrands? = nil,
        withdrawn: [FleetKey.ID] = [], by key: PrivateKeyBox? = nil
    ) throws -> [UInt8] {
        var document = FleetDocument(
            chain: try .named(chain), level: level, name: try .named(name ?? chain), version: version,
            created: created)
        document.configuration = configuration.map { Array($0.utf8) }
        document.brands = brands
        document.withdrawn = withdrawn
        return try document.sign(with: (key ?? daily).key)
    }

    /// An agent whose daemon says of each configuration what the test says.
    func agent(
        _ daemon: FakeDaemon, in store: FleetStore, isStopped: Bool = false,
        setWaiting: @escaping @Sendable (Int64) -> Void = { _ in }
    ) throws -> FleetAgent {
        let settings = KioskSettings(
            membership, hubs: ["https://localhost"], authority: "/dev/null", keys: try keys,
            codeFile: nil, store: store.path, software: "test", now: { Self.now })
        let folder = try FleetFolder(store: store.path)
        let actions = FleetActions(
            file: { Array(#"{"log": "info"}"#.utf8) }, check: { _ in nil },
            apply: { await daemon.apply($0) }, setStopped: { await daemon.setStopped($0) },
            health: { KioskHealth(findings: ["trustMissing"]) }, setWaiting: setWaiting)
        return FleetAgent(
            settings, folder, (try folder.load(membership, keys).accepted, isStopped), actions,
            Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Has the agent obey a document, as far as it is to.
    func roll(_ bytes: [UInt8], out agent: FleetAgent) async throws {
        let candidate = try #require(try await agent.accept(bytes, after: agent.accepted))
        await agent.take(candidate)
        await agent.applying?.value
    }
}

/// A daemon that does as the test says.
actor FakeDaemon {
    private(set) var applied: [String] = []
    private(set) var isStopped = false
    private var outcome = FleetOutcome.ready
    private var isHeld = false

    func answer(_ outcome: FleetOutcome) { self.outcome = outcome }
    func hold() { isHeld = true }
    func release() { isHeld = false }
    func setStopped(_ isStopped: Bool) { self.isStopped = isStopped }

    func apply(_ bytes: [UInt8]) async -> FleetOutcome {
        applied.append(String(decoding: bytes, as: UTF8.self))
        while isHeld { try? await Task.sleep(for: .milliseconds(10)) }
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
}
