import Deadlines
import Foundation
import GRDB
import HTTPSBench
import JSON
import ReaderStore
import RecordBench
import Synchronization
import Testing

@testable import Fleet

/// A hub of a version, with the receipts that it has taken.
private final class VersionedHub: Sendable {
    private struct State {
        var announced: Int64?
        var known: Int64
        var head = HubState.Head(sequence: 0, digest: SignedReceipt.origin)
        var taken: [[UInt8]] = []
        var refusals = 0
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - announced: the version in the header; `nil` for a hub from before there was a header.
    ///   - known: the version of the hub that a push arrives at.
    init(announcing announced: Int64?, knowing known: Int64) {
        state = Mutex(State(announced: announced, known: known))
    }

    var taken: [[UInt8]] { state.withLock { $0.taken } }
    var refusals: Int { state.withLock { $0.refusals } }

    /// The hub is updated, and keeps its receipts.
    func update() {
        state.withLock { state in (state.announced, state.known) = (2, 2) }
    }

    func serve(at hub: ScriptedHub) {
        hub.server.answer(ScriptedHub.state, by: { _ in self.desired })
        hub.server.answer(ScriptedHub.receipts, by: { self.take($0.body) })
    }

    private var desired: ServedAnswer {
        state.withLock { state in
            let body = HubState(isStopped: false, documents: [], receipts: state.head).json.utf8
            let headers = state.announced.map { ["\(HubState.receiptVersionHeader): \($0)"] } ?? []
            return .head(200, length: body.count, headers, then: [.send(body)])
        }
    }

    private func take(_ body: [UInt8]) -> ServedAnswer {
        state.withLock { state in
            guard let chain = try? ReceiptChain(parsing: body) else { return .status(400) }
            let receipts = chain.links.compactMap { try? SignedReceipt(parsing: $0) }
            let isKnown = receipts.allSatisfy { receipt in
                state.known == 1
                    ? EarlierHub.knows(receipt.content) : (try? receipt.contents()) != nil
            }
            guard isKnown, let last = receipts.last else {
                state.refusals += 1
                return ScriptedHub.problem(400, "receiptBroken", "the link's bytes are not a receipt")
            }
            guard receipts.first?.previous == state.head.digest else {
                return ScriptedHub.problem(409, "receiptGap")
            }
            state.taken += chain.links
            state.head = HubState.Head(sequence: last.sequence, digest: last.digest)
            return .serving(state.head.json.utf8)
        }
    }
}

@Suite("Receipts of two versions between kiosks and hubs of two versions")
struct ReceiptVersionTests {
    private static let versionUnknown = "receiptVersionUnknown"

    /// A kiosk at a hub, with a chain of receipts.
    ///
    /// - Parameter isNew: whether the chain has receipts of version 2 and a statement about outputs, after a
    ///   receipt of version 1 and before another.
    private func run(
        _ versioned: VersionedHub, chainIsNew isNew: Bool,
        _ body: (ScriptedHub, FleetAgent, _ links: [[UInt8]]) async throws -> Void
    ) async throws {
        let hub = try await ScriptedHub()
        try hub.append(receipts: 1)
        if isNew {
            let store = try ReaderStore(at: hub.store.path, for: .changing)
            let lock = NewOutput(accessory: try #require(ReceiptLabel("lock")))
            let output = try store.end(
                .sample("a"), first: .sample(engagement: .nfc, proof: .plain), further: nil, outputs: [lock]
            ).outputs
            try #require(try store.finishOutput(#require(output.first).number, as: .notGiven))
        }
        try hub.append(receipts: 1)
        let links = try ReaderStore(at: hub.store.path, for: .reading).receiptChain().links
        #expect(links.count == (isNew ? 4 : 2))
        versioned.serve(at: hub)
        let agent = try hub.agent {
            $0.pauses = [.milliseconds(50)]
            $0.receiptInterval = .milliseconds(50)
        }
        try await hub.run(agent) { try await body(hub, agent, links) }
    }

    @Test(
        "An old chain arrives at an old and at a new hub, a new chain at a new hub, each whole and once",
        arguments: [(false, nil, 1), (false, 2, 2), (true, 2, 2)] as [(Bool, Int64?, Int64)])
    func arrives(_ isNew: Bool, _ announced: Int64?, _ known: Int64) async throws {
        let versioned = VersionedHub(announcing: announced, knowing: known)
        try await run(versioned, chainIsNew: isNew) { _, agent, links in
            try await until("all receipts arrive") { versioned.taken.count == links.count }
            #expect(versioned.taken == links)
            #expect(versioned.refusals == 0)
            #expect(await agent.receiptFault == "")
        }
    }

    @Test("A kiosk keeps a new chain from an old hub, says so by name, and sends it once the hub is newer")
    func keeps() async throws {
        let versioned = VersionedHub(announcing: nil, knowing: 1)
        try await run(versioned, chainIsNew: true) { hub, agent, links in
            try await until("the kiosk says what is wrong") {
                try hub.newestReport?.receipts == Self.versionUnknown
            }
            // The receipt of version 1 has arrived; the others wait, and no false alarm was raised.
            #expect(versioned.taken == Array(links.prefix(1)))
            #expect(versioned.refusals == 0)
            let health = try #require(try hub.newestReport?.health)
            #expect(health.findings.contains(Self.versionUnknown) && health.receiptsWaiting == 3)
            #expect(await agent.receiptsWaiting == 3)
            versioned.update()
            try await until("all receipts arrive") { versioned.taken.count == links.count }
            #expect(versioned.taken == links)
            try await until("the kiosk says that it is over") {
                let report = try hub.newestReport
                return report?.receipts == ""
                    && report?.health?.findings.contains(Self.versionUnknown) == false
            }
        }
    }

    @Test("If one of several hubs is older than the one that was asked, its refusal is named for what it is")
    func mixedHubs() async throws {
        let versioned = VersionedHub(announcing: 2, knowing: 1)
        try await run(versioned, chainIsNew: true) { _, agent, links in
            try await until("the refusal is named") { await agent.receiptFault == Self.versionUnknown }
            #expect(versioned.refusals > 0 && versioned.taken.isEmpty)
            versioned.update()
            try await until("all receipts arrive") { versioned.taken == links }
            try await until("the fault is over") { await agent.receiptFault == "" }
        }
    }

    @Test("The twin: a receipt of version 2 that is broken is called broken")
    func broken() async throws {
        let versioned = VersionedHub(announcing: 2, knowing: 1)
        let hub = try await ScriptedHub()
        let store = try ReaderStore(at: hub.store.path, for: .changing)
        let receipt = try store.append(.sample(engagement: .qr))
        // Its signature is another's.
        var encoded = receipt.encoded
        encoded[encoded.count - 1] ^= 1
        try await DatabaseQueue(path: "\(hub.store.path)/countersign.sqlite").write { [encoded] in
            try $0.execute(sql: "UPDATE receipt SET encoded = ?", arguments: [Data(encoded)])
        }
        versioned.serve(at: hub)
        let agent = try hub.agent { $0.pauses = [.milliseconds(50)] }
        try await hub.run(agent) {
            try await until("the fault is reported") { try hub.newestReport?.receipts == "receiptBroken" }
        }
        #expect(versioned.taken.isEmpty)
    }

    @Test(
        "A hub's version is a number from 1, and a hub without one has version 1",
        arguments: [
            (nil, 1), ("1", 1), ("2", 2), ("17", 17), ("0", 1), ("-2", 1), ("", 1), ("two", 1), ("2.0", 1),
        ] as [(String?, Int64)])
    func header(_ text: String?, _ version: Int64) {
        let state = HubState(
            isStopped: false, documents: [],
            receipts: HubState.Head(sequence: 0, digest: SignedReceipt.origin))
        #expect(state.announcing(text).receiptVersion == version)
    }

    @Test("What a hub answers has no further member, which kiosks of version 1 would refuse")
    func members() throws {
        let state = HubState(
            isStopped: true, documents: [], receipts: HubState.Head(sequence: 7, digest: SignedReceipt.origin)
        )
        let announced = state.announcing("2")
        let members = try JSONText(announced.json.utf8[...]).members(["stopped", "documents", "receipts"])
        #expect(try members.required("stopped").boolean())
        #expect(try HubState(announced.json.utf8) == state)
    }

    @Test("An unknown version is a finding while it lasts")
    func finding() {
        var backlog = ReceiptBacklog()
        let own = KioskHealth(findings: ["trustMissing"])
        for (fault, findings) in [
            ("", ["trustMissing"]), (Self.versionUnknown, [Self.versionUnknown, "trustMissing"]),
            ("receiptGap", ["trustMissing"]), ("", ["trustMissing"]),
        ] {
            _ = backlog.record(fault: fault)
            #expect(backlog.health(beside: own).findings == findings, "\(fault)")
        }
    }
}
