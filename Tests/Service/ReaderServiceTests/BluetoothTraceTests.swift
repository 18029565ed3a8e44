import BlueZBench
import BlueZTransport
import Foundation
import MdocSession
import MdocWallet
import NDEF
import PCSCBench
import PresentationStage
import ReaderService
import Testing
import Transport

@Suite(
    "What a trace shows of a presentation over Bluetooth", .serialized,
    .enabled(if: AirBench.isHere, AirBench.absence), .takingTurnsAtTheBench)
struct BluetoothTraceTests {
    /// A good presentation while the adapter is recorded.
    private func trace(
        _ name: String, _ scene: Scene, _ mode: AirPhone.Mode, phone options: [String] = []
    ) async throws -> (trace: AirTrace, result: AirStage.Result) {
        var result: AirStage.Result?
        let trace = try await AirBench.tracing(name) {
            result = try await scene.present(mode, phone: options)
        }
        let presented = try #require(result)
        #expect(presented.presentation.verified() != nil, "\(presented.phone.lines)")
        return (trace, presented)
    }

    @Test(
        "Q90 Q91 As server: on the air before the phone has the Handover Select, then each step in its order")
    func server() async throws {
        let scene = try Scene.onAir(.negotiated, portrait: 25_000)
        // It would leave as soon as it has status 20, and not hear the rest.
        let (trace, result) = try await trace("central-client", scene, .central, phone: ["--linger"])
        try expectOrder(
            trace,
            [
                { $0 == .advertising(true) }, { $0 == .connected }, { $0 == .mtu(512) }, { $0 == .read(8) },
                { $0 == .subscribed }, { $0 == .state(1, byReader: false) },
                { if case .chunk(_, isLast: true, byReader: true) = $0 { true } else { false } },
                { if case .chunk(_, isLast: false, byReader: false) = $0 { true } else { false } },
                { if case .chunk(_, isLast: true, byReader: false) = $0 { true } else { false } },
                { if case .chunk(_, isLast: true, byReader: true) = $0 { true } else { false } },
                { $0 == .state(2, byReader: true) }, { $0 == .disconnected },
            ])
        let engaged = try #require(result.tapped?.log.engaged)
        let advertised = try #require(trace.first { $0 == .advertising(true) }).time
        #expect(advertised < engaged)
        #expect(trace.steps.contains(.advertisementInterval(.milliseconds(50))))
        expectValues(trace, atMost: 507)
    }

    @Test("Q201 A phone that ignores what is not general discoverable finds the reader, whose flags are 06")
    func discoverable() async throws {
        let (trace, result) = try await trace(
            "discoverable", Scene.onAir(.negotiated), .central, phone: ["--strict-scanner"])
        #expect(result.phone.fact("flags", of: "heard") == "06", "\(result.phone.lines)")
        expectFlags(trace)
    }

    /// A controller that has classic Bluetooth too.
    enum DualController: CaseIterable, Sendable {
        /// The settings that are shipped switch classic Bluetooth off.
        case switchedToLowEnergy
        /// Both are on, as in a system that is not set up.
        case dual
    }

    // Without a phone: the virtual air does not report what such a controller advertises.
    @Test(
        "Q201 A controller that has classic Bluetooth too advertises with flags 06, whether that is on or off",
        arguments: DualController.allCases)
    func discoverable(_ controller: DualController) async throws {
        try await with(controller) {
            let uuid = BluetoothUUID(high: 0x1234_5678_9abc_4def, low: 0x8123_4567_89ab_cdef)
            let trace = try await AirBench.tracing("discoverable-\(controller)") {
                try await BlueZRadio.onBench.serve(GATTService(.mdocCentralClient(uuid))).close()
            }
            expectFlags(trace)
        }
    }

    /// General discoverable, no classic Bluetooth.
    private func expectFlags(_ trace: AirTrace) {
        let flags = trace.steps.filter { if case .advertisementFlags = $0 { true } else { false } }
        #expect(!flags.isEmpty && flags.allSatisfy { $0 == .advertisementFlags(0x06) }, "\(flags)")
    }

    // bluetoothd 5.66 drops each value of 512 bytes, the longest that a phone writes then; 5.82 takes them.
    @Test(
        "Q100 Q101 Without the lines that older versions need, an answer arrives where the version needs none"
    )
    func withoutLines() async throws {
        let lines = ["Channels = 1\n", "ExchangeMTU = 512\n"]
        let settings = { (shipped: String) in lines.reduce(shipped) { $0.replacing($1, with: "") } }
        try await with(.adapterIn, settings) {
            let scene = try Scene.onAir(portrait: 25_000)
            let deadlines = PresentationDeadlines.onAir.with { $0.progress = .seconds(5) }
            let result = try await scene.present(.central, deadlines: deadlines)
            let version = try await AirBench.bluetoothdVersion()
            let findings = try await BluetoothDescription.current().daemon.findings.map(\.id)
            #expect(findings == [] || findings == ["bluetooth.channels", "bluetooth.exchange_mtu"])
            #expect(
                (result.summary == "verified") == findings.isEmpty, "\(result.summary) with \(version)")
            #expect(result.phone.fact("mtu", of: "mtu") == "517", "\(result.phone.lines)")
        }
    }

    /// Runs `body` at such a controller, and puts the bench back.
    private func with(_ controller: DualController, _ body: () async throws -> Void) async throws {
        let isDual = controller == .dual
        try await with(
            .adapterInDual,
            { isDual ? $0.replacing("ControllerMode = le\n", with: "ControllerMode = dual\n") : $0 }, body)
    }

    /// Runs `body` with an adapter and other settings than the shipped ones, and puts the bench back.
    private func with(
        _ adapter: AirBench.Action, _ change: (String) -> String, _ body: () async throws -> Void
    ) async throws {
        let file = URL(filePath: "/run/bluetooth-main.conf")
        let shipped = try String(contentsOf: file, encoding: .utf8)
        let result: Result<Void, any Error>
        do {
            try await restart(adapter, change(shipped), file)
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        try await restart(.adapterIn, shipped, file)
        try result.get()
    }

    private func restart(_ adapter: AirBench.Action, _ settings: String, _ file: URL) async throws {
        try Data(settings.utf8).write(to: file)
        for action in [.adapterOut, adapter, .restart] { try await AirBench.control(action) }
        try await BlueZRadio.onBench.waitUntilReady()
    }

    @Test("Q81 Q97 Q98 As client: found, connected to, subscribed to, and then each step in its order")
    func client() async throws {
        let scene = try Scene.onAir(.static, .peripheralOnly, portrait: 25_000)
        let (trace, _) = try await trace("peripheral-server", scene, .peripheral, phone: ["--linger"])
        try expectOrder(
            trace,
            [
                { $0 == .scanning(true) }, { $0 == .scanning(false) }, { $0 == .connected },
                { $0 == .mtu(512) },
                { $0 == .subscribed }, { $0 == .subscribed }, { $0 == .state(1, byReader: true) },
                { if case .chunk(_, isLast: true, byReader: true) = $0 { true } else { false } },
                { if case .chunk(_, isLast: false, byReader: false) = $0 { true } else { false } },
                { if case .chunk(_, isLast: true, byReader: false) = $0 { true } else { false } },
                { if case .chunk(_, isLast: true, byReader: true) = $0 { true } else { false } },
                { $0 == .state(2, byReader: true) }, { $0 == .disconnected },
            ])
        // Before the tap a negotiated handover had been possible; the phone has chosen.
        let afterConnection = trace.steps.drop { $0 != .connected }
        #expect(!afterConnection.contains(.advertising(true)))
        #expect(trace.steps.last { if case .advertising = $0 { true } else { false } } == .advertising(false))
        expectValues(trace, atMost: 509)
    }

    @Test(
        "Q205 Each side of a link is asked for 15 ms, which iOS accepts: the phone that came, and the controller",
        arguments: AirPhone.Mode.allCases)
    func interval(_ mode: AirPhone.Mode) async throws {
        let (trace, _) = try await trace("interval-\(mode)", Scene.onAir(.qr, mode.role), mode)
        let asked = trace.steps.compactMap { step -> ClosedRange<Int>? in
            switch step {
            case .connecting(let interval) where mode == .peripheral: interval
            case .intervalRequest(let interval, byReader: true) where mode == .central: interval
            default: nil
            }
        }
        #expect(!asked.isEmpty && asked.allSatisfy { $0 == 12...12 }, "\(asked)")
    }

    @Test("Q66 Over L2CAP: a channel, the request, the answer, and nothing in characteristics")
    func channel() async throws {
        let psm = try #require(L2CAPPSM(0x85))
        let scene = try Scene.onAir(.qr, .peripheralOnly, portrait: 25_000) {
            $0.profile = $0.profile.adding(psm)
        }
        let (trace, _) = try await trace("l2cap", scene, .peripheral, phone: ["--l2cap-psm", "0x85"])
        try expectOrder(
            trace,
            [
                { $0 == .connected }, { $0 == .channel }, { $0 == .channelData(byReader: true) },
                { $0 == .channelData(byReader: false) }, { $0 == .channelData(byReader: true) },
                { $0 == .disconnected },
            ])
        for step in trace.steps {
            if case .chunk = step { Issue.record("\(step)") }
            if case .state = step { Issue.record("\(step)") }
        }
    }

    @Test(
        "Q83 Q91 Q93 Q113 Each presentation has its own UUID and the same characteristics in the same places"
    )
    func table() async throws {
        var services: Set<String> = []
        var tables: Set<[UInt8]> = []
        for _ in 0..<2 {
            let (trace, result) = try await trace("table", Scene.onAir(.negotiated), .central)
            services.insert(try #require(result.phone.fact("uuid", of: "engaged")))
            tables.insert(trace.characteristics)
        }
        #expect(services.count == 2)
        #expect(tables.count == 1)
        #expect(tables.first?.isEmpty == false)
    }

    @Test(
        "Q94 Q96 Q105 Nobody is asked to pair: the adapter is not pairable, no device bonded, no security request made",
        arguments: AirPhone.Mode.allCases)
    func pairing(_ mode: AirPhone.Mode) async throws {
        let scene = try Scene.onAir(.qr, mode.role) { $0.consentTime = .seconds(4) }
        let trace = try await AirBench.tracing("pairing-\(mode)") {
            let stage = try await AirStage.begin(scene, mode)
            try await stage.phone.said("request")
            let objects = try await AirObjects()
            #expect(objects.devices == 1)
            #expect(objects.values("Connected").contains("true"))
            #expect(Set(objects.values("Pairable")) == ["false"])
            #expect(Set(objects.values("Paired") + objects.values("Bonded")) == ["false"])
            #expect(try await stage.end().summary == "verified")
        }
        #expect(!trace.steps.contains { if case .security = $0 { true } else { false } })
        #expect(trace.steps.contains(.connected))
    }

    /// Each step is there, after the one before it.
    private func expectOrder(
        _ trace: AirTrace, _ expected: [(AirTrace.Step) -> Bool],
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        var rest = trace.steps[...]
        for (number, isExpected) in expected.enumerated() {
            guard let found = rest.firstIndex(where: isExpected) else {
                Issue.record("step \(number) is not in its place: \(trace.steps)", sourceLocation: location)
                return
            }
            rest = rest[(found + 1)...]
        }
    }

    /// Q67 Q102: none of our values is longer.
    private func expectValues(_ trace: AirTrace, atMost limit: Int) {
        for step in trace.steps {
            if case .chunk(let length, _, byReader: true) = step { #expect(length <= limit) }
        }
    }
}
