import Deadlines
import Foundation
import HTTPSBench
import JSON
import RecordBench
import Testing

@testable import Fleet

@Suite("A kiosk that asks its hub")
struct FleetQuestionTests {
    /// Runs a kiosk whose hub did not answer, and which would ask again after a minute at the earliest.
    private func afterFailure(
        _ body: (ScriptedHub, FleetAgent) async throws -> Void
    ) async throws {
        let hub = try await ScriptedHub()
        hub.server.answer(ScriptedHub.state, with: .status(503))
        let agent = try hub.agent { $0.pauses = [.seconds(120)] }
        try await hub.run(agent) {
            // The state is asked for its documents, and for its receipts.
            try await hub.until(asked: ScriptedHub.state, times: 2)
            try await body(hub, agent)
        }
    }

    @Test("A notice brings the next question forward where the last one failed")
    func broughtForward() async throws {
        try await afterFailure { hub, agent in
            try hub.say(isStopped: true)
            await agent.askHub(withinSeconds: 0)
            try await until("the kiosk stops") { await hub.daemon.isStopped }
        }
    }

    @Test("Notices without end make a kiosk ask no more often than once a second, also after a failure")
    func storm() async throws {
        try await afterFailure { hub, agent in
            let begin = ContinuousClock.now
            try await until("three further questions") {
                await agent.askHub(withinSeconds: 0)
                return hub.count(ScriptedHub.state) >= 5
            }
            #expect(begin.duration(to: .now) > .seconds(2))
        }
    }

    @Test("A report that the hub does not take fails no question, and comes again with the next one")
    func reportRefused() async throws {
        let hub = try await ScriptedHub()
        hub.server.answer(ScriptedHub.report, with: .status(503))
        let agent = try hub.agent { $0.pauses = [.milliseconds(50)] }
        try await hub.run(agent) {
            try await hub.until(asked: ScriptedHub.report)
            // Nothing more may come meanwhile, which only time can show.
            try await Task.sleep(for: .seconds(3))
            #expect(hub.count(ScriptedHub.report) == 1)
            hub.server.answer(ScriptedHub.report, with: .status(204))
            await agent.askHub(withinSeconds: 0)
            try await until("the report is taken") { await agent.lastReport != nil }
        }
    }

    @Test("A document that does not come is asked for again soon; one that is refused is not")
    func documentMissing() async throws {
        let hub = try await ScriptedHub()
        let (chain, site) = (try hub.scene.document(), try hub.scene.document(.site, "airport"))
        try hub.say([chain, site])
        hub.server.answer(ScriptedHub.path(of: chain), with: .status(503))
        let agent = try hub.agent { $0.pauses = [.milliseconds(50)] }
        try await hub.run(agent) {
            try await hub.until(asked: ScriptedHub.path(of: chain))
            hub.server.answer(ScriptedHub.path(of: chain), with: .serving(chain))
            try await until("both are reported") {
                try hub.reported == [.chain: "applied", .site: "document.other_name"]
            }
            let asked = hub.count(ScriptedHub.path(of: site))
            // Nothing more may come meanwhile, which only time can show.
            try await Task.sleep(for: .seconds(3))
            #expect(hub.count(ScriptedHub.path(of: site)) == asked)
        }
    }

    @Test(
        "The log has the hub's own words for a refusal, and level and version of a document that is not used")
    func words() async throws {
        let (hub, log) = (try await ScriptedHub(), LogLines())
        let document = try hub.scene.document(version: 7, configuration: #"{"log": "debug"}"#)
        let path = ScriptedHub.path(of: document)
        try hub.say([document])
        let overdue = "the database did not answer in time: check its load"
        hub.server.answer(path, with: ScriptedHub.problem(503, "databaseUnavailable", overdue))
        await hub.daemon.answer(.notReady)
        let agent = try hub.agent(log: log) { $0.pauses = [.milliseconds(50)] }
        try await hub.run(agent) {
            try await until("the document does not come") {
                log.count(
                    "document chain 7 cannot be downloaded from the hub; the kiosk tries again why=the hub refused the request with status 503 databaseUnavailable: \(overdue)"
                ) > 0
            }
            hub.server.answer(path, with: .serving(document))
            try await until("the lanes were tried") {
                log.count("document chain 7 is not used: the lanes did not become ready with it.") == 1
            }
            hub.server.answer(ScriptedHub.state, with: ScriptedHub.problem(403, "kioskUnknown", "enrol it"))
            await agent.askHub(withinSeconds: 0)
            try await until("the hub refuses the kiosk") {
                log.count(
                    "the kiosk cannot ask its hub why=the hub refused the request with status 403 kioskUnknown: enrol it"
                ) > 0
            }
        }
    }

    @Test("A stop does not wait for lanes that are to follow a start; a start after it ends it")
    func stopDuringStart() async throws {
        let hub = try await ScriptedHub()
        let document = try hub.scene.document(configuration: #"{"log": "debug"}"#)
        await hub.daemon.hold()
        try hub.say([document])
        let agent = try hub.agent(isStopped: true)
        try await hub.run(agent) {
            try await until("the kiosk is started") { await !hub.daemon.applied.isEmpty }
            try hub.say(isStopped: true)
            await agent.askHub(withinSeconds: 0)
            try await until("the kiosk is stopped again") { await agent.stops == 1 }
            await hub.daemon.release()
            try await until("the start is over") { await !agent.isResuming }
            #expect(await hub.daemon.isStopped)
            try hub.say([document])
            await agent.askHub(withinSeconds: 0)
            // No lane was tried before there was one.
            try await until("the document is obeyed") { await agent.accepted.documents[.chain] != nil }
            #expect(await !hub.daemon.isStopped)
            #expect(await hub.daemon.applied.map { $0.contains("debug") } == [false, false, true])
        }
    }

    @Test("A stop that could not be written is written as soon as it can be, for the next start")
    func stopNotWritten() async throws {
        let (hub, log) = (try await ScriptedHub(), LogLines())
        try hub.say(isStopped: true)
        let agent = try hub.agent(log: log)
        let folder = try FleetFolder(store: hub.store.path)
        let draft = "\(folder.path)/state.json.new"
        try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: false)
        @Sendable func isStopped() throws -> Bool {
            try folder.load(hub.scene.membership, hub.scene.keys).isStopped
        }
        try await hub.run(agent) {
            try await until("the kiosk stops") { await hub.daemon.isStopped }
            #expect(try !isStopped())
            // It is tried again with each question, and said once.
            let asked = hub.count(ScriptedHub.state)
            await agent.askHub(withinSeconds: 0)
            try await hub.until(asked: ScriptedHub.state, times: asked + 1)
            #expect(log.count("the folder STORE/fleet cannot be written") == 1)
            try FileManager.default.removeItem(atPath: draft)
            await agent.askHub(withinSeconds: 0)
            try await until("the stop is written") { try isStopped() }
        }
    }
}

@Suite("Documents of several levels at once")
struct FleetLevelTests {
    private static let debug = #"{"log": "debug"}"#

    @Test("Trust of one level does not wait for lanes that are tried with another level's configuration")
    func trustDuringTrial() async throws {
        let hub = try await ScriptedHub()
        let chain = try hub.scene.document(
            configuration: Self.debug, trust: hub.scene.bundle(of: "chain", secondsAgo: 100))
        let site = try hub.scene.document(.site, "harbour", trust: hub.scene.bundle(of: "site"))
        try hub.say([chain])
        await hub.daemon.hold()
        let agent = try hub.agent()
        try await hub.run(agent) {
            try await until("the lanes are tried") { await !hub.daemon.applied.isEmpty }
            try hub.say([chain, site])
            await agent.askHub(withinSeconds: 0)
            try await until("the site's trust") { try hub.store.trusted == "site" }
            #expect(await agent.accepted.documents[.chain] == nil)
            await hub.daemon.release()
            try await until("the chain's document is obeyed") {
                await agent.accepted.documents[.chain]?.encoded == chain
            }
            #expect(await agent.accepted.documents[.site]?.encoded == site)
            #expect(try hub.store.trusted == "site")
            #expect(hub.count(ScriptedHub.path(of: chain)) == 1)
        }
    }

    @Test("A key is withdrawn at once also where another level's configuration waits for lanes in use")
    func withdrawalBesideInUse() async throws {
        let hub = try await ScriptedHub()
        let daily = try hub.scene.daily.fleetKey.id
        let chain = try hub.scene.document(configuration: Self.debug)
        let site = try hub.scene.document(.site, "harbour", withdrawn: [daily], by: hub.scene.safe)
        await hub.daemon.hold()
        try hub.say([chain, site])
        let agent = try hub.agent()
        try await hub.run(agent) {
            try await until("the key is withdrawn") {
                await agent.accepted.keyring.withdrawn == [daily]
            }
            // What a withdrawn key signed is not obeyed any more, though the lanes are ready with it.
            await hub.daemon.release()
            try await until("the lanes were tried") { await !agent.isTrying }
            await agent.askHub(withinSeconds: 0)
            try await until("the chain's document is refused") {
                try hub.reported == [.chain: "document.key_withdrawn", .site: "applied"]
            }
            #expect(await agent.accepted.documents[.chain] == nil)
            #expect(await hub.daemon.applied.last?.contains("debug") == false)
        }
    }

    @Test("Of two documents that come together only the one with which lanes are not ready is gone back from")
    func oneGuilty() async throws {
        for isChainGuilty in [false, true] {
            let hub = try await ScriptedHub()
            let texts = [#"{"limits": {"listeners": 3}}"#, Self.debug]
            let chain = try hub.scene.document(configuration: texts[isChainGuilty ? 0 : 1])
            let site = try hub.scene.document(
                .site, "harbour", configuration: texts[isChainGuilty ? 1 : 0])
            await hub.daemon.fail(with: "listeners")
            try hub.say([chain, site])
            let agent = try hub.agent()
            let (guilty, innocent) = isChainGuilty ? (FleetLevel.chain, FleetLevel.site) : (.site, .chain)
            try await hub.run(agent) {
                try await until("both are reported") {
                    try hub.reported == [guilty: "document.failed_before", innocent: "applied"]
                }
                #expect(await agent.accepted.documents.keys.map(\.self) == [innocent])
                #expect(await hub.daemon.applied.last?.contains("debug") == true)
            }
        }
    }

    @Test("A chain's withdrawal of an issuer holds where a site's document that came with it fails")
    func trustBesideGuilty() async throws {
        let hub = try await ScriptedHub()
        let chain = try hub.scene.document(version: 7, trust: hub.scene.bundle(of: "chain"))
        let site = try hub.scene.document(.site, "harbour", version: 3, configuration: Self.debug)
        await hub.daemon.answer(.notReady)
        try hub.say([chain, site])
        let agent = try hub.agent()
        try await hub.run(agent) {
            try await until("both are reported") {
                try hub.reported == [.chain: "applied", .site: "document.failed_before"]
            }
            #expect(try hub.store.trusted == "chain")
        }
    }
}

@Suite("What a kiosk says and renews by itself")
struct FleetUpkeepTests {
    /// A kiosk that asks its hub for the state three times asks for a certificate once.
    private func askThreeTimes(_ hub: ScriptedHub) async throws {
        let agent = try hub.agent()
        try await hub.run(agent) {
            try await hub.until(asked: ScriptedHub.report)
            await agent.askHub(withinSeconds: 0)
            try await hub.until(asked: ScriptedHub.state, times: 3)
        }
        #expect(hub.count(ScriptedHub.certificates) == 1)
    }

    @Test(
        "A certificate of which less than a third is left is renewed once, and the kiosk goes on with it, also where its clock is ahead of the new one's end",
        arguments: [(5, 20), (-2, -1)] as [(Int64, Int64)])
    func renewed(_ end: Int64, _ next: Int64) async throws {
        let hub = try await ScriptedHub()
        try hub.folder.save(certificate: hub.certificate(fromDay: -15, toDay: end))
        let further = try hub.certificate(fromDay: next - 20, toDay: next)
        hub.server.answer(ScriptedHub.certificates, with: .serving(further))
        try await askThreeTimes(hub)
        #expect(try hub.kept == further)
    }

    @Test(
        "One that holds is used on where the hub renews none, or hands out another key's; the hub is not stormed"
    )
    func notRenewed() async throws {
        let stranger = try PrivateKeyBox()
        for isStranger in [false, true] {
            let hub = try await ScriptedHub()
            let own = try hub.certificate(fromDay: -15, toDay: 5)
            try hub.folder.save(certificate: own)
            let other = try hub.certificate(fromDay: 0, toDay: 20, for: stranger)
            hub.server.answer(
                ScriptedHub.certificates, with: isStranger ? .serving(other) : .status(503))
            try await askThreeTimes(hub)
            #expect(try hub.kept == own)
        }
    }

    @Test("Without a certificate that holds nothing is asked but for another, until there is one")
    func expired() async throws {
        let hub = try await ScriptedHub()
        try hub.folder.save(certificate: hub.certificate(fromDay: -20, toDay: -1))
        hub.server.answer(ScriptedHub.certificates, with: .status(503))
        let further = try hub.certificate(fromDay: 0, toDay: 20)
        let agent = try hub.agent { $0.pauses = [.milliseconds(100)] }
        try await hub.run(agent) {
            try await hub.until(asked: ScriptedHub.certificates, times: 3)
            #expect(hub.count(ScriptedHub.state) == 0)
            hub.server.answer(ScriptedHub.certificates, with: .serving(further))
            try await hub.until(asked: ScriptedHub.report)
        }
        #expect(try hub.kept == further)
    }

    @Test(
        "A lane that is not ready any more is reported without a question of the hub; the same lane is not again"
    )
    func laneDown() async throws {
        let hub = try await ScriptedHub()
        let agent = try hub.agent { $0.healthInterval = .milliseconds(50) }
        try await hub.run(agent) {
            try await hub.until(asked: ScriptedHub.report)
            let lanes = [KioskHealth.Lane(name: "till", state: "readerMissing")]
            await hub.daemon.say(KioskHealth(lanes: lanes))
            try await until("the lane is reported") {
                try hub.newestReport?.health?.lanes == lanes
            }
            // Nothing more may come meanwhile, which only time can show.
            try await Task.sleep(for: .seconds(2))
            #expect(hub.count(ScriptedHub.report) == 2)
        }
    }

    @Test("A kiosk says where its broker does not answer, and says it once; a broker is asked for by name")
    func brokerSilent() async throws {
        let (hub, log) = (try await ScriptedHub(), LogLines())
        let path = "/fleet/v1/broker-password"
        hub.server.answer(
            path, with: ScriptedHub.problem(503, "brokerUnavailable", "the broker does not answer"))
        let agent = try hub.agent(log: log) { $0.pauses = [.milliseconds(50)] }
        try await hub.run(agent) {
            try await hub.until(asked: path, times: 3)
            #expect(
                log.count(
                    "the kiosk has no password for the broker: the hub refused the request with status 503 brokerUnavailable: the broker does not answer"
                ) == 1)
            #expect(log.count("no connection to the broker") == 0)
            let access = BrokerAccess(host: "127.0.0.1", port: 1, user: "x", password: "y")
            hub.server.answer(path, with: .serving(access.json.utf8))
            try await until("it is said") { log.count("no connection to the broker 127.0.0.1:1: ") > 0 }
            // Nothing more may come meanwhile, which only time can show.
            try await Task.sleep(for: .seconds(1))
            #expect(log.count("no connection to the broker") == 1)
        }
    }

    @Test("A reader token that is refused to a revoked kiosk has the hub asked; another refusal has not")
    func tokenRefused() async throws {
        for (id, isTold) in [("readerTokenNotGranted", false), ("kioskRevoked", true)] {
            let hub = try await ScriptedHub()
            hub.server.answer("/fleet/v1/reader-tokens", with: ScriptedHub.problem(403, id))
            let (told, tell) = AsyncStream.makeStream(of: Void.self)
            let tokens = KioskTokens(try hub.settings, try hub.folder) { tell.yield() }
            await #expect(throws: HubError.refused(status: 403, id: id)) {
                try await tokens.token(brand: "utopia", instance: "i")
            }
            tell.finish()
            #expect(await told.reduce(into: 0) { count, _ in count += 1 } == (isTold ? 1 : 0))
            await hub.server.stop()
        }
    }
}
