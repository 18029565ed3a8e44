import MdocWallet
import OtherPrograms
import PCSCBench
import PresentationStage
import Testing

@Suite(
    "A lane at a reader, with the daemon as a program of its own and the real pcscd", .serialized,
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct ContactlessLaneTests {
    private static let device = #""reader": "\#(VirtualBench.first)", "transport": "nfc""#
    /// What a phone that stays does, from the order on.
    private static let course = ["armed", "engaged", "awaitingConsent", "receiving", "verified"]

    private static func daemon(_ customers: Customers, _ members: String = "") async throws -> ReaderDaemon {
        try await ReaderDaemon(lanes: [], readers: [device + members], roots: [customers.root])
    }

    @Test("A tap answers an order: its states come in order, and the person is told to stay on the reader")
    func tapped() async throws {
        let customers = try Customers()
        let daemon = try await Self.daemon(customers)
        let reader = try VirtualReader()
        defer { reader.lift() }
        let id = try await daemon.order(intent: "age over 21 with portrait for a human to compare")
        let hints = try await daemon.asClerk.events("/v1/presentations/\(id)/events")
        let states = try await daemon.end(of: id) { state in
            if state == "armed" { try await reader.hold(customers.phone()) }
        }
        #expect(states == Self.course.dropLast() + ["awaitingDecision"])
        let result = try await daemon.result(of: id)
        #expect(result["verdict"] as? String == "mock")
        let answers = try #require(result["answers"] as? [[String: String]])
        #expect(answers.map { $0["answer"] } == ["yes", "yes"])
        let portrait = try await daemon.asClerk.call("GET", "/v1/presentations/\(id)/portrait")
        #expect(portrait.status == 200 && portrait.body.starts(with: [0xff, 0xd8, 0xff]))
        var told: [String] = []
        while told.last != "awaitingDecision", let event = try await hints.next() {
            told.append(event.data["hint"] ?? event.data["state"] ?? "")
        }
        #expect(told == ["openYourID", "engaged", "hold", "hold", "hold", "awaitingDecision"])
    }

    @Test(
        "Q2 A phone that is pulled away arms the lane again, and the next tap is verified",
        arguments: [CardFault.pulledInEngagement, .pulledInConsent, .pulledInResponse])
    func pulled(_ fault: CardFault) async throws {
        let customers = try Customers { $0.licence.portraitSize = 25_000 }
        let daemon = try await Self.daemon(customers)
        let reader = try VirtualReader()
        defer { reader.lift() }
        let id = try await daemon.order(intent: "age over 21 with portrait for a human to compare")
        let events = try await daemon.asClerk.events("/v1/presentations/\(id)/events")
        var hints: Set<String> = []
        var isFirst = true
        while let event = try await events.next() {
            let (state, hint) = (event.data["state"], event.data["hint"])
            if let hint { hints.insert(hint) }
            if state == "armed", isFirst || hint == "tapAgain" {
                try await reader.hold(customers.phone { $0.cardFault = isFirst ? fault : nil })
                isFirst = false
            }
            guard state == "awaitingDecision" else { continue }
            break
        }
        #expect(hints.isSuperset(of: ["tapAgain", "hold"]))
        #expect(try await daemon.result(of: id)["verdict"] as? String == "mock")
    }

    @Test("Q134 pcscd killed under an order: lane and result name it, and the next customer is served")
    func killedWhileArmed() async throws {
        let customers = try Customers()
        let daemon = try await Self.daemon(customers, #", "waitSeconds": 5"#)
        let reader = try VirtualReader()
        defer { reader.lift() }
        let id = try await daemon.order()
        let states = try await daemon.end(of: id) { state in
            if state == "armed" { try await VirtualBench.pcscd("kill") }
        }
        #expect(states == ["armed", "failed"])
        let reasons = try await daemon.result(of: id)["reasons"] as? [[String: String]]
        #expect(reasons?.first?["id"] == "reader.unavailable")
        let lane = try await daemon.asApp.call("GET", "/v1/lanes/reader-1").json()
        #expect(lane["state"] as? String == "stopped")
        #expect((lane["advice"] as? String)?.contains("pcscd") == true)
        try await VirtualBench.pcscd("start")
        let next = try await daemon.order()
        let course = try await daemon.end(of: next) { state in
            if state == "armed" { try await reader.hold(customers.phone()) }
        }
        #expect(course == Self.course)
        #expect(
            try await daemon.asApp.call("GET", "/v1/lanes/reader-1").json()["state"] as? String == "ready")
    }

    @Test("Q134 pcscd killed while the holder decides: the lane is armed again, and the next tap is verified")
    func killedInConsent() async throws {
        let customers = try Customers()
        let daemon = try await Self.daemon(customers)
        let reader = try VirtualReader()
        defer { reader.lift() }
        let id = try await daemon.order()
        var taps = 0
        let states = try await daemon.end(of: id) { state in
            switch (state, taps) {
            case ("armed", 0): try await reader.hold(customers.phone { $0.consentTime = .seconds(30) })
            case ("awaitingConsent", 1): try await VirtualBench.pcscd("kill")
            case ("armed", 1):
                try await VirtualBench.pcscd("start")
                reader.lift()
                try await reader.hold(customers.phone())
            default: return
            }
            if state == "armed" { taps += 1 }
        }
        #expect(states == Self.course.prefix(3) + Self.course)
    }

    @Test("Two readers and six bench links at once have their own answers")
    func sideBySide() async throws {
        let ages = ["20", "40", "19", "50", "18", "60"]
        let (young, old) = (try Customers { $0.licence.age = 20 }, try Customers { $0.licence.age = 40 })
        let daemon = try await ReaderDaemon(
            lanes: ages.map { ["--age", $0] },
            readers: [VirtualBench.first, VirtualBench.second].map {
                #""reader": "\#($0)", "transport": "nfc""#
            },
            roots: [young.root, old.root])
        let readers = [try VirtualReader(), try VirtualReader(VirtualBench.second)]
        defer { readers.forEach { $0.lift() } }
        let taps = zip(readers, [young, old]).enumerated().map { ("reader-\($0 + 1)", $1) }
        let answers = try await withThrowingTaskGroup(of: (String, String?).self) { group in
            for lane in ages.indices.map({ "lane-\($0 + 1)" }) {
                group.addTask { (lane, try await daemon.answer(at: lane)) }
            }
            for (lane, (reader, customers)) in taps {
                group.addTask {
                    (lane, try await daemon.answer(at: lane) { try await reader.hold(customers.phone()) })
                }
            }
            return try await group.reduce(into: [String: String]()) { $0[$1.0] = $1.1 }
        }
        var due = ["reader-1": "no", "reader-2": "yes"]
        for (lane, age) in ages.enumerated() {
            due["lane-\(lane + 1)"] = (Int(age) ?? 0) >= 21 ? "yes" : "no"
        }
        #expect(answers == due)
    }
}

extension ReaderDaemon {
    /// What one presentation at a lane says; `tap` is called once it is armed.
    fileprivate func answer(at lane: String, tap: () async throws -> Void = {}) async throws -> String? {
        let id = try await order(#", "lane": "\#(lane)""#)
        _ = try await end(of: id) { if $0 == "armed" { try await tap() } }
        return (try await result(of: id)["answers"] as? [[String: String]])?.first?["answer"]
    }
}
