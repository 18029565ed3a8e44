import Deadlines
import HTTPSBench
import ReaderStore
import Testing

@testable import Fleet

@Suite("A kiosk that pushes its receipts")
struct FleetReceiptTests {
    @Test("A kiosk that hears with its receipts that it is revoked stops; another refusal does not stop it")
    func revoked() async throws {
        for (answer, isRevoked) in [
            (ScriptedHub.problem(409, "receiptGap"), false), (ScriptedHub.revocation, true),
        ] {
            let hub = try await ScriptedHub()
            try hub.append(receipts: 1)
            hub.server.answer(ScriptedHub.receipts, with: answer)
            let agent = try hub.agent { $0.pauses = [.milliseconds(100)] }
            try await hub.run(agent) {
                try await hub.until(asked: ScriptedHub.receipts)
                if isRevoked {
                    try await until("the kiosk stops") { await hub.daemon.isStopped }
                } else {
                    try await until("the fault is known") { await agent.receiptFault == "receiptGap" }
                    #expect(await !hub.daemon.isStopped)
                }
            }
        }
    }

    @Test("A stopped kiosk pushes its receipts; a revoked one asks as seldom as for its state")
    func stopped() async throws {
        let hub = try await ScriptedHub()
        try hub.append(receipts: 1)
        try hub.say(isStopped: true)
        let agent = try hub.agent(isStopped: true) { $0.pauses = [.milliseconds(50)] }
        try await hub.run(agent) { try await hub.until(asked: ScriptedHub.receipts) }

        let revoking = try await ScriptedHub()
        try revoking.append(receipts: 1)
        revoking.server.answer(ScriptedHub.state, with: ScriptedHub.revocation)
        let revoked = try revoking.agent { $0.pauses = [.milliseconds(50)] }
        try await revoking.run(revoked) {
            try await revoking.until(asked: ScriptedHub.state, times: 2)
            // Nothing more may come meanwhile, which only time can show.
            try await Task.sleep(for: .seconds(3))
            #expect(revoking.count(ScriptedHub.state) == 2)
            #expect(revoking.count(ScriptedHub.receipts) == 0)
        }
    }

    @Test(
        "A kiosk that was weeks offline pushes its backlog in order, and no more at a time than one push takes"
    )
    func backlog() async throws {
        let hub = try await ScriptedHub()
        let receipts = try hub.append(receipts: 300)
        hub.takeReceipts()
        let (figures, figure) = AsyncStream.makeStream(of: Int64.self)
        let agent = try hub.agent(setWaiting: { figure.yield($0) })
        try await hub.run(agent) {
            try await until("nothing waits") { await agent.receiptsWaiting == 0 }
        }
        figure.finish()
        #expect(try hub.pushes.map(\.count) == [256, 44])
        #expect(try Array(hub.pushes.joined()) == receipts.map(\.encoded))
        #expect(await figures.reduce(into: []) { $0.append($1) } == [300, 44, 0])
    }

    @Test("A kiosk that caught up goes on from what the hub has")
    func continued() async throws {
        let hub = try await ScriptedHub()
        let receipts = try hub.append(receipts: 3)
        try hub.say(head: HubState.Head(sequence: 2, digest: receipts[1].digest))
        hub.takeReceipts()
        try await hub.run(hub.agent()) { try await hub.until(asked: ScriptedHub.receipts) }
        #expect(try hub.pushes == [[receipts[2].encoded]])
    }

    @Test("A chain that was cut off or replaced at the kiosk is reported, and nothing of it is pushed")
    func truncated() async throws {
        for (sequence, isOther) in [(Int64(5), false), (3, true)] {
            let hub = try await ScriptedHub()
            let receipts = try hub.append(receipts: 3)
            let digest = isOther ? receipts[1].digest : receipts[2].digest
            try hub.say(head: HubState.Head(sequence: sequence, digest: digest))
            hub.takeReceipts()
            let agent = try hub.agent { $0.pauses = [.milliseconds(100)] }
            try await hub.run(agent) {
                try await until("the fault is reported") {
                    try hub.newestReport?.receipts == "receiptsDiffer"
                }
            }
            #expect(try hub.pushes.isEmpty)
        }
    }
}
