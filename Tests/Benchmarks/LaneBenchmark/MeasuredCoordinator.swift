import MdocWallet
import OtherPrograms
import PCSCBench
import PresentationStage
import Transport

/// The daemon with two lanes at virtual readers and six on bench links, and a phone for each.
struct MeasuredCoordinator {
    enum Kind: String, CaseIterable {
        case reader, benchLink
    }

    struct Lane: Sendable {
        let name: String
        let kind: Kind
        let number: Int
        /// The reader that the phone is held to.
        let reader: VirtualReader?
    }

    let lanes: [Lane]
    private let daemon: ReaderDaemon
    private let customers: Customers
    private let holders: [Task<Void, any Error>]

    init() async throws {
        let customers = try Customers { $0.licence.portraitSize = 25_000 }
        let slots = [VirtualBench.first, VirtualBench.second]
        let listeners = try (0..<6).map { _ in
            try FramedTCPListener(on: SocketAddress(host: "127.0.0.1", port: 0))
        }
        daemon = try await ReaderDaemon(
            lanes: [],
            readers: slots.map { #""reader": "\#($0)", "transport": "nfc""# }
                + listeners.map { #""benchLink": "tcp://127.0.0.1:\#($0.address.port)""# },
            roots: [customers.root])
        lanes = try (0..<8).map { number in
            let reader = number < slots.count ? try VirtualReader(slots[number]) : nil
            return Lane(
                name: "reader-\(number + 1)", kind: reader == nil ? .benchLink : .reader, number: number,
                reader: reader)
        }
        holders = listeners.enumerated().map { index, listener in
            Task { try await Self.serve(customers, at: listener, lane: index + slots.count) }
        }
        self.customers = customers
    }

    /// One phone after the other on a bench link: each comes after a while, and its holder reads.
    private static func serve(_ customers: Customers, at listener: FramedTCPListener, lane: Int) async throws
    {
        var round = 0
        while true {
            let channel = try await listener.accept()
            var wallet = customers.presented.wallet
            wallet.consentTime = delay(lane, round, of: 1)
            try await Task.sleep(for: delay(lane, round, of: 0))
            _ = await HolderEnd.serve(
                try WalletBenchLink(wallet, handover: .qr, now: .now), over: channel)
            round += 1
        }
    }

    /// How long until a phone comes (0), and how long its holder reads (1): scripted, and different for each.
    private static func delay(_ lane: Int, _ round: Int, of step: Int) -> Duration {
        var mixed = UInt64(lane * 1009 + round * 31 + step * 7 + 1) &* 0x9e37_79b9_7f4a_7c15
        mixed ^= mixed >> 29
        return .milliseconds(200) + .milliseconds(Int(mixed % 800))
    }

    /// One presentation at each of these lanes, at the same time; by lane what the daemon took for its own part: setting
    /// up the session with its request, and decrypting and checking the answer.
    @discardableResult
    func present(at lanes: [Lane], round: Int) async throws -> [(Kind, Double)] {
        let before = try await ownTimes()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in lanes { group.addTask { try await present(at: lane, round) } }
            try await group.waitForAll()
        }
        let after = try await ownTimes()
        return lanes.map { ($0.kind, (after[$0.name, default: 0] - before[$0.name, default: 0]) * 1000) }
    }

    private func present(at lane: Lane, _ round: Int) async throws {
        let id = try await daemon.order(
            #", "lane": "\#(lane.name)""#, intent: "age over 21 with portrait for a human to compare")
        let states = try await daemon.end(of: id) { state in
            guard let reader = lane.reader, state == "armed" else { return }
            try await Task.sleep(for: Self.delay(lane.number, round, of: 0))
            try await reader.hold(
                customers.phone { $0.consentTime = Self.delay(lane.number, round, of: 1) })
        }
        guard states.last == "awaitingDecision" else {
            throw PlainHTTP.Failure(description: "\(lane.name): \(states)")
        }
        // The next round needs the lane.
        _ = try await daemon.asApp.call("DELETE", "/v1/presentations/\(id)")
        try await lane.reader?.takeAway()
    }

    /// The seconds so far, by lane.
    private func ownTimes() async throws -> [String: Double] {
        let text = try await daemon.asAdmin.call("GET", "/metrics").text
        var times: [String: Double] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("countersign_phase_seconds_sum{") {
            guard let lane = line.firstMatch(of: /lane="([^"]*)"/)?.1,
                let phase = line.firstMatch(of: /phase="([^"]*)"/)?.1, Self.own.contains(phase),
                let seconds = line.split(separator: " ").last.flatMap({ Double($0) })
            else { continue }
            times[String(lane), default: 0] += seconds
        }
        return times
    }

    private static let own: Set<Substring> = ["request", "verification"]
}
