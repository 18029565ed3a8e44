import Logging
import MdocModel
import MdocTrust
import OpenSSLCrypto
import ReaderStore
import Testing

@testable import Fleet

@Suite("A kiosk that follows its fleet")
struct FleetAgentTests {
    let scene: FleetScene
    let store = FleetStore()

    init() throws { scene = try FleetScene() }

    /// An agent whose daemon says of each configuration what the test says.
    private func agent(
        _ daemon: FakeDaemon, isStopped: Bool = false,
        setWaiting: @escaping @Sendable (Int64) -> Void = { _ in }
    ) throws -> FleetAgent {
        let settings = KioskSettings(
            scene.membership, hubs: ["https://localhost"], authority: "/dev/null", keys: try scene.keys,
            codeFile: nil, store: store.path, software: "test", now: { FleetScene.now })
        let folder = try FleetFolder(store: store.path)
        let actions = FleetActions(
            file: { Array(#"{"log": "info"}"#.utf8) }, check: { _ in nil },
            apply: { await daemon.apply($0) }, setStopped: { await daemon.setStopped($0) },
            health: { KioskHealth(findings: ["trustMissing"]) }, setWaiting: setWaiting)
        return FleetAgent(
            settings, folder, (try folder.load(scene.membership, scene.keys).accepted, isStopped), actions,
            Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func roll(_ bytes: [UInt8], out agent: FleetAgent) async throws {
        let candidate = try #require(try await agent.accept(bytes, after: agent.accepted))
        await agent.take(candidate)
        await agent.applying?.value
    }

    @Test(
        "A document that lanes are ready with is obeyed, and one that they are not ready with is gone back from"
    )
    func proven() async throws {
        let daemon = FakeDaemon()
        let agent = try agent(daemon)
        try await roll(try scene.document(version: 1, configuration: #"{"log": "debug"}"#), out: agent)
        #expect(await agent.accepted.documents[.chain]?.document.version == 1)
        await daemon.answer(.notReady)
        let bad = try scene.document(version: 2, configuration: #"{"log": "error"}"#)
        try await roll(bad, out: agent)
        #expect(await agent.accepted.documents[.chain]?.document.version == 1)
        #expect(await daemon.applied.last?.contains("debug") == true)
        await #expect(throws: FleetDocumentError.failedBefore) {
            try await agent.accept(bad, after: agent.accepted)
        }
        // What is on the disk is what is obeyed.
        let stored = try FleetFolder(store: store.path).load(scene.membership, scene.keys).accepted
        #expect(stored.documents[.chain]?.document.version == 1)
    }

    @Test("A lane that is in use for too long leaves what was there, and the document is taken another time")
    func inUse() async throws {
        let daemon = FakeDaemon()
        let agent = try agent(daemon)
        await daemon.answer(.inUse)
        let bytes = try scene.document(configuration: #"{"log": "debug"}"#)
        for _ in 0..<3 { try await roll(bytes, out: agent) }
        #expect(await agent.accepted.documents.isEmpty)
        await daemon.answer(.ready)
        try await roll(bytes, out: agent)
        #expect(await agent.accepted.documents[.chain]?.encoded == bytes)
    }

    @Test("A roll-out after a stop brings no lane back: it waits until the kiosk is started")
    func stopped() async throws {
        let daemon = FakeDaemon()
        let agent = try agent(daemon)
        await agent.stop("the hub stops this kiosk")
        #expect(await daemon.isStopped)
        let bytes = try scene.document(configuration: #"{"log": "debug"}"#)
        try await roll(bytes, out: agent)
        #expect(await daemon.applied.isEmpty)
        #expect(await daemon.isStopped)
        #expect(try FleetFolder(store: store.path).load(scene.membership, scene.keys).isStopped)
        await agent.resume()
        #expect(await !daemon.isStopped)
        try await roll(bytes, out: agent)
        #expect(await daemon.applied.last?.contains("debug") == true)
    }

    @Test("A stop does not wait for lanes that are tried, and what was not proven is not obeyed")
    func overtaken() async throws {
        let daemon = FakeDaemon()
        let agent = try agent(daemon)
        await daemon.hold()
        let bytes = try scene.document(configuration: #"{"log": "debug"}"#)
        let candidate = try #require(try await agent.accept(bytes, after: agent.accepted))
        await agent.take(candidate)
        await agent.stop("the hub stops this kiosk")
        #expect(await daemon.isStopped)
        await daemon.release()
        await agent.applying?.value
        #expect(await agent.accepted.documents.isEmpty)
        #expect(await daemon.isStopped)
    }

    /// A document whose bundle trusts one source of this name, made so many seconds ago.
    private func document(
        _ level: FleetLevel, _ name: String, version: Int64, trusting source: String?, secondsAgo: Int64 = 0,
        configuration: String? = nil
    ) throws -> [UInt8] {
        var document = FleetDocument(
            chain: try .named("utopia"), level: level, name: try .named(name), version: version,
            created: FleetScene.now)
        document.configuration = configuration.map { Array($0.utf8) }
        document.trust = try source.map {
            try TrustBundle.export(
                snapshot($0), created: FleetScene.now.advanced(bySeconds: -secondsAgo),
                signedWith: scene.daily.key)
        }
        return try document.sign(with: scene.daily.key)
    }

    private func snapshot(_ source: String) -> TrustSnapshot {
        TrustSnapshot([
            TrustSource(
                .anchor, name: source, provenance: .file(path: "/\(source)"), obtained: FleetScene.now,
                bytes: Array(source.utf8)[...])
        ])
    }

    private func trusted() throws -> String? {
        try ReaderStore(at: store.path, for: .reading).currentTrustIfAny()?.snapshot.sources.first?.name
    }

    @Test("Trust changes once the lanes are ready, and not where they do not become ready")
    func trustLast() async throws {
        let daemon = FakeDaemon()
        let agent = try agent(daemon)
        try await roll(
            try document(.chain, "utopia", version: 1, trusting: "a", secondsAgo: 100), out: agent)
        #expect(try trusted() == "a")
        await daemon.answer(.notReady)
        let bad = try document(
            .chain, "utopia", version: 2, trusting: "b", configuration: #"{"log": "debug"}"#)
        try await roll(bad, out: agent)
        #expect(try trusted() == "a")
        #expect(await agent.accepted.documents[.chain]?.document.version == 1)
    }

    @Test(
        "A site's bundle that goes makes the chain's earlier one count again; another earlier one is refused")
    func reinstated() async throws {
        let agent = try agent(FakeDaemon())
        try await roll(
            try document(.chain, "utopia", version: 1, trusting: "a", secondsAgo: 100), out: agent)
        try await roll(try document(.site, "harbour", version: 1, trusting: "b"), out: agent)
        #expect(try trusted() == "b")
        try await roll(try document(.site, "harbour", version: 2, trusting: nil), out: agent)
        #expect(try trusted() == "a")
        let old = try document(.chain, "utopia", version: 2, trusting: "c", secondsAgo: 200)
        await #expect(throws: FleetDocumentError.trustRefused("a later bundle was let in before")) {
            try await agent.accept(old, after: agent.accepted)
        }
        #expect(try trusted() == "a")
    }

    @Test("More receipts that wait than the limit are a finding and a figure, until they have arrived")
    func waiting() async throws {
        let (figures, figure) = AsyncStream.makeStream(of: Int64.self)
        let agent = try agent(FakeDaemon(), setWaiting: { figure.yield($0) })
        let limit = FleetAgent.mostWaitingReceipts
        for (waiting, expected) in [
            (limit, ["trustMissing"]), (limit + 1, ["receiptsWaiting", "trustMissing"]),
            (0, ["trustMissing"]),
        ] {
            await agent.receipts(waiting: waiting)
            #expect(await agent.health().findings == expected, "\(waiting)")
        }
        figure.finish()
        #expect(await figures.reduce(into: []) { $0.append($1) } == [limit, limit + 1, 0])
    }

    @Test("A document that changes no configuration is kept by a stopped kiosk: a key is withdrawn")
    func withdrawnWhileStopped() async throws {
        let daemon = FakeDaemon()
        let agent = try agent(daemon, isStopped: true)
        let daily = try scene.daily.fleetKey.id
        try await roll(try scene.document(withdrawn: [daily], by: scene.safe), out: agent)
        #expect(await agent.accepted.keyring.withdrawn == [daily])
        #expect(await daemon.applied.isEmpty)
    }
}

/// A daemon that does as it is told.
private actor FakeDaemon {
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
