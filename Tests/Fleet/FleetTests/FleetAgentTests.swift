import Deadlines
import Foundation
import Logging
import MdocModel
import MdocTrust
import OpenSSLCrypto
import ReaderStore
import TestCredentials
import Testing
import VectorFiles

@testable import Fleet

@Suite("A kiosk that follows its fleet")
struct FleetAgentTests {
    let scene: FleetScene
    let store = FleetStore()

    init() throws { scene = try FleetScene() }

    @Test(
        "A document that lanes are ready with is obeyed, and one that they are not ready with is gone back from"
    )
    func proven() async throws {
        let daemon = FakeDaemon()
        let agent = try scene.agent(daemon, in: store)
        try await scene.roll(try scene.document(version: 1, configuration: #"{"log": "debug"}"#), out: agent)
        #expect(await agent.accepted.documents[.chain]?.document.version == 1)
        await daemon.answer(.notReady)
        let bad = try scene.document(version: 2, configuration: #"{"log": "error"}"#)
        try await scene.roll(bad, out: agent)
        #expect(await agent.accepted.documents[.chain]?.document.version == 1)
        #expect(await daemon.applied.last?.contains("debug") == true)
        await #expect(throws: FleetDocumentError.failedBefore) {
            try await agent.receiveDocument(bad)
        }
        // What is on the disk is what is obeyed.
        let stored = try FleetFolder(store: store.path).load(scene.membership, scene.keys).accepted
        #expect(stored.documents[.chain]?.document.version == 1)
    }

    @Test(
        "A document is verified once on its way through the kiosk, and a changed configuration is built once")
    func verifiedOnce() async throws {
        let agent = try scene.agent(FakeDaemon(), in: store)
        let provider = try TestAuthority.ofACountry()
        let list = try TestVICAL([.init(TestAuthority().der)], provider: provider)
        let bundle = try TrustBundle.export(
            TrustSnapshot([
                .test(.provider, "p", provider.der), .test(.vical, "list", try list.encoded()),
            ]), created: FleetScene.now, signedWith: scene.daily.key)
        // The first document builds the configuration without it too, which is known from then on.
        try await scene.roll(try scene.document(configuration: #"{"log": "error"}"#), out: agent)
        for (level, changes) in [(FleetLevel.chain, #"{"log": "debug"}"#), (.kiosk, nil)] {
            let document = try scene.document(
                level, level == .kiosk ? "till-1" : nil, version: 2, configuration: changes,
                trust: level == .chain ? bundle : nil)
            let count = WorkCount()
            try await WorkCount.$current.withValue(count) { try await scene.roll(document, out: agent) }
            #expect(await agent.accepted.documents[level]?.encoded == document)
            #expect(count[.fleetDocumentVerified] == 1, "\(level)")
            #expect(count[.fleetConfigurationBuilt] == (level == .chain ? 1 : 0), "\(level)")
            #expect(count[.listParsed] == (level == .chain ? 1 : 0))
            #expect(count[.listVerified] == (level == .chain ? 1 : 0))
        }
        #expect(try store.trusted == "p")
    }

    @Test("A lane that is in use for too long leaves what was there, and the document is taken another time")
    func inUse() async throws {
        let daemon = FakeDaemon()
        let agent = try scene.agent(daemon, in: store)
        await daemon.answer(.inUse)
        let bytes = try scene.document(configuration: #"{"log": "debug"}"#)
        for _ in 0..<3 { try await scene.roll(bytes, out: agent) }
        #expect(await agent.accepted.documents.isEmpty)
        await daemon.answer(.ready)
        try await scene.roll(bytes, out: agent)
        #expect(await agent.accepted.documents[.chain]?.encoded == bytes)
    }

    @Test("A roll-out after a stop brings no lane back: it waits until the kiosk is started")
    func stopped() async throws {
        let daemon = FakeDaemon()
        let agent = try scene.agent(daemon, in: store)
        await agent.stop("the hub stops this kiosk")
        #expect(await daemon.isStopped)
        let bytes = try scene.document(configuration: #"{"log": "debug"}"#)
        try await scene.roll(bytes, out: agent)
        #expect(await daemon.applied.isEmpty)
        #expect(await daemon.isStopped)
        #expect(try FleetFolder(store: store.path).load(scene.membership, scene.keys).isStopped)
        await agent.resume()
        #expect(await !daemon.isStopped)
        try await scene.roll(bytes, out: agent)
        #expect(await daemon.applied.last?.contains("debug") == true)
    }

    @Test("A stop does not wait for lanes that are tried, and what was not proven is not obeyed")
    func overtaken() async throws {
        let daemon = FakeDaemon()
        let agent = try scene.agent(daemon, in: store)
        await daemon.hold()
        let bytes = try scene.document(configuration: #"{"log": "debug"}"#)
        try await agent.receiveDocument(bytes)
        await agent.stop("the hub stops this kiosk")
        #expect(await daemon.isStopped)
        await daemon.release()
        await agent.finishTrial()
        #expect(await agent.accepted.documents.isEmpty)
        #expect(await daemon.isStopped)
    }

    @Test(
        "A stop and a start while lanes are tried leave what was there, and the document comes another time")
    func stoppedAndStarted() async throws {
        let daemon = FakeDaemon()
        let agent = try scene.agent(daemon, in: store)
        await daemon.hold()
        let bytes = try scene.document(configuration: #"{"log": "debug"}"#)
        try await agent.receiveDocument(bytes)
        try await until("the lanes are tried") { await !daemon.applied.isEmpty }
        await agent.stop("the hub stops this kiosk")
        let start = Task { await agent.resume() }
        try await until("the kiosk is started") { await daemon.applied.count == 2 }
        await daemon.release()
        await start.value
        await agent.finishTrial()
        #expect(await agent.accepted.documents.isEmpty)
        #expect(await daemon.applied.last?.contains("debug") == false)
        try await scene.roll(bytes, out: agent)
        #expect(await agent.accepted.documents[.chain]?.encoded == bytes)
    }

    @Test("A stop that comes while the kiosk is started again holds, and a start after it ends it")
    func stopDuringResume() async throws {
        let daemon = FakeDaemon()
        let agent = try scene.agent(daemon, in: store, isStopped: true)
        await daemon.setStopped(true)
        await daemon.hold()
        let start = Task { await agent.resume() }
        try await until("the change") { await !daemon.applied.isEmpty }
        await agent.stop("this kiosk is revoked")
        await daemon.release()
        await start.value
        #expect(await daemon.isStopped)
        #expect(await agent.isStopped)
        await agent.resume()
        #expect(await !daemon.isStopped)
    }

    @Test("Trust changes once the lanes are ready, and not where they do not become ready")
    func trustLast() async throws {
        let daemon = FakeDaemon()
        let agent = try scene.agent(daemon, in: store)
        try await scene.roll(
            try scene.document(trust: scene.bundle(of: "a", secondsAgo: 100)), out: agent)
        #expect(try store.trusted == "a")
        await daemon.answer(.notReady)
        let bad = try scene.document(
            version: 2, configuration: #"{"log": "debug"}"#, trust: scene.bundle(of: "b"))
        try await scene.roll(bad, out: agent)
        #expect(try store.trusted == "a")
        #expect(await agent.accepted.documents[.chain]?.document.version == 1)
    }

    @Test(
        "When a site's bundle is removed, the chain's earlier bundle counts again; any other older one is refused"
    )
    func reinstated() async throws {
        let agent = try scene.agent(FakeDaemon(), in: store)
        try await scene.roll(
            try scene.document(trust: scene.bundle(of: "a", secondsAgo: 100)), out: agent)
        try await scene.roll(
            try scene.document(.site, "harbour", trust: scene.bundle(of: "b")), out: agent)
        #expect(try store.trusted == "b")
        try await scene.roll(try scene.document(.site, "harbour", version: 2), out: agent)
        #expect(try store.trusted == "a")
        let old = try scene.document(version: 2, trust: scene.bundle(of: "c", secondsAgo: 200))
        let refused = FleetDocumentError.trustRefused(.bundle(.older))
        await #expect(throws: refused) { try await agent.receiveDocument(old) }
        #expect(refused.explanation == "the trust bundle is refused: a later bundle was accepted before")
        #expect(try store.trusted == "a")
    }

    @Test("A bundle that is dated ahead is taken within the clock skew of the daemon, and refused beyond it")
    func bundleAhead() async throws {
        let bytes = try scene.document(trust: scene.bundle(of: "a", secondsAgo: -200))
        let agent = try scene.agent(FakeDaemon(), in: store)
        let refused = FleetDocumentError.trustRefused(.bundle(.notYetValid))
        await #expect(throws: refused) { try await agent.receiveDocument(bytes) }
        #expect(try store.trusted == nil)
        try await scene.roll(bytes, out: scene.agent(FakeDaemon(), in: store, clockSkew: 300))
        #expect(try store.trusted == "a")
    }

    @Test("Where brands cannot be kept the trust stays as well, and the document is taken once they can")
    func brandsNotKept() async throws {
        let agent = try scene.agent(FakeDaemon(), in: store)
        let folder = "\(store.path)/brands"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
        let bytes = try scene.document(
            trust: scene.bundle(of: "a"),
            brands: FleetBrands(registry: Array(#"{"brands": []}"#.utf8), logos: [:]))
        try await scene.roll(bytes, out: agent)
        #expect(await agent.accepted.documents.isEmpty)
        #expect(try store.trusted == nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
        try await scene.roll(bytes, out: agent)
        #expect(await agent.accepted.documents[.chain]?.encoded == bytes)
        #expect(try store.trusted == "a")
    }

    @Test("A computer without a code makes no key: those that are copied from it share none")
    func keyless() async throws {
        let folder = try FleetFolder(store: store.path)
        for code in [nil, "\(store.path)/absent"] {
            let settings = KioskSettings(
                scene.membership, hubs: ["https://localhost:1"], authority: "/dev/null", keys: [],
                codeFile: code, store: store.path, software: "test", now: { FleetScene.now })
            let enrolment = KioskEnrolment(settings, in: folder, log: Logger(label: "test"))
            let error = await #expect(throws: HubError.self) { _ = try await enrolment.renew() }
            guard case .file = error else {
                Issue.record("it asks without a code")
                return
            }
            #expect(!FileManager.default.fileExists(atPath: folder.keyPath))
        }
    }

    @Test("More receipts that wait than the limit are a finding and a figure, until they have arrived")
    func waiting() async throws {
        let (figures, figure) = AsyncStream.makeStream(of: Int64.self)
        let agent = try scene.agent(FakeDaemon(), in: store, setWaiting: { figure.yield($0) })
        let limit = ReceiptBacklog.mostWaiting
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

    @Test(
        "Kiosks that lose the broker come back over the seconds of the last notice to all, and at once without"
    )
    func spread() {
        var generator = SplitMix64(seed: 21)
        func pauses(_ outcome: BrokerFollower.Outcome) -> [Duration] {
            (0..<1000).map { _ in outcome.pause(drawnBy: &generator) }
        }
        var outcome = BrokerFollower.Outcome.served(spreadSeconds: 0)
        outcome.record(ChangeNotice(change: 1, spreadSeconds: 5), isToAll: false)
        #expect(pauses(outcome).allSatisfy { $0 == .zero })
        outcome.record(ChangeNotice(change: 2, spreadSeconds: 8), isToAll: true)
        outcome.record(ChangeNotice(change: 3, spreadSeconds: 0), isToAll: false)
        let bySecond = Dictionary(grouping: pauses(outcome)) { $0.components.seconds }.mapValues(\.count)
        #expect((0..<8).allSatisfy { (80...170).contains(bySecond[$0] ?? 0) }, "\(bySecond)")
        #expect(pauses(.refused).allSatisfy { $0 == .zero })
    }

    @Test("A document that changes no configuration is kept by a stopped kiosk: a key is withdrawn")
    func withdrawnWhileStopped() async throws {
        let daemon = FakeDaemon()
        let agent = try scene.agent(daemon, in: store, isStopped: true)
        let daily = try scene.daily.fleetKey.id
        try await scene.roll(try scene.document(withdrawn: [daily], by: scene.safe), out: agent)
        #expect(await agent.accepted.keyring.withdrawn == [daily])
        #expect(await daemon.applied.isEmpty)
    }
}
