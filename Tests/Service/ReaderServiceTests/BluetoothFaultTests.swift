import BlueZBench
import BlueZTransport
import MdocModel
import MdocSession
import MdocWallet
import NDEF
import PCSCBench
import PresentationStage
import ReaderService
import Testing
import Transport

@Suite(
    "Each fault of a phone over Bluetooth has its name, and the next customer is served", .serialized,
    .enabled(if: AirBench.isHere, AirBench.absence), .takingTurnsAtTheBench)
struct BluetoothFaultTests {
    /// What a fault may make this process hold beyond what it held: an answer's limit, twice, and what the rest needs.
    static let memory = 24 << 20

    struct Fault: Sendable, CustomTestStringConvertible {
        let mode: AirPhone.Mode
        let name: String
        /// What the presentation comes to.
        let summary: String
        var deadlines = PresentationDeadlines.onAir

        init(
            _ mode: AirPhone.Mode, _ name: String, _ summary: String,
            change: (inout PresentationDeadlines) -> Void = { _ in }
        ) {
            (self.mode, self.name, self.summary) = (mode, name, summary)
            change(&deadlines)
        }

        var testDescription: String { "\(mode), \(name)" }

        /// Whether bluetoothd may crash of it: a peripheral that leaves.
        var mayCrashBluetoothd: Bool { mode == .peripheral && name.hasPrefix("disconnect-at=") }

        static let all = AirPhone.Mode.allCases.flatMap(inBothModes) + inOneMode

        private static func inBothModes(_ mode: AirPhone.Mode) -> [Fault] {
            [
                Fault(mode, "garbage-chunk", "awaitResponse ble.prefix_unknown"),
                Fault(mode, "empty-chunk", "awaitResponse ble.value_empty"),
                // What is longer than the link allows counts as a part like any other, and nothing else comes.
                Fault(mode, "oversized", "receiveMessage ble.overdue") { $0.progress = .seconds(2) },
                Fault(mode, "never-ending", "messageTooLong"),
                Fault(mode, "silent", "consentOverdue") { $0.consent = .seconds(2) },
                Fault(mode, "silent-after-first-chunk", "receiveMessage ble.overdue") {
                    $0.progress = .seconds(2)
                },
                Fault(mode, "second-start", "verified"),
                Fault(mode, "disconnect-at=started", "linkLost"),
                Fault(mode, "disconnect-at=request", "linkLost"),
                Fault(mode, "disconnect-at=half-response", "linkLost"),
                Fault(mode, "disconnect-at=response", "verified"),
            ]
        }

        private static let inOneMode = [
            Fault(.central, "no-cccd", "connection.not_subscribed"),
            // These are not on the air any more when they are looked for again.
            Fault(.peripheral, "no-cccd", "connection.not_subscribed") { $0.connection = .seconds(8) },
            Fault(.peripheral, "wrong-service", "connection.service_incomplete") {
                $0.connection = .seconds(8)
            },
        ]
    }

    @Test("Q69 Q73 Q78 Q84 Q88 Q89 Q92 Q104 Q194 A phone that does wrong", arguments: Fault.all)
    func faults(_ fault: Fault) async throws {
        let scene = try Scene.onAir(.qr, fault.mode.role, portrait: 25_000)
        let crash = try await BluetoothdCrash()
        let growth = try await PeakMemory.growth {
            let result = try await scene.present(
                fault.mode, phone: ["--fault", fault.name], deadlines: fault.deadlines)
            if fault.mayCrashBluetoothd, try await crash.explains(result.summary) { return }
            #expect(result.summary == fault.summary, "\(result.phone.lines)")
        }
        #expect(growth < Self.memory, "\(growth)")
        try await Scene.expectNextCustomerServed(fault.mode, after: fault.name)
    }

    /// What a phone can do before it starts: nobody's session has begun, and the person tries again.
    @Test(
        "Q64 Q70 Q82 A phone that leaves before it starts may come again in the same presentation",
        arguments: [
            Fault(.central, "disconnect-at=connected", "verified"),
            Fault(.central, "disconnect-at=mtu", "verified"),
            Fault(.central, "disconnect-at=discovered", "verified"),
            Fault(.central, "disconnect-at=subscribed", "verified"),
            Fault(.central, "no-ident-match", "verified"),
            Fault(.peripheral, "disconnect-at=connected", "verified"),
            Fault(.peripheral, "disconnect-at=mtu", "verified"),
            Fault(.peripheral, "disconnect-at=subscribed", "verified"),
        ])
    func comesAgain(_ fault: Fault) async throws {
        let scene = try Scene.onAir(.qr, fault.mode.role)
        let crash = try await BluetoothdCrash()
        let stage = try await AirStage.begin(scene, fault.mode, phone: ["--fault", fault.name])
        if try await stage.phoneSaid("fault") { try await stage.phone.end() }
        let second = try stage.again(fault.mode)
        let result = try await stage.end()
        await second.leave()
        if fault.mayCrashBluetoothd, try await crash.explains(result.summary) {
            return try await Scene.expectNextCustomerServed(fault.mode, after: fault.name)
        }
        #expect(result.summary == fault.summary, "\(result.phone.lines) \(second.lines)")
    }

    @Test(
        "Q89 Q90 If no phone connects, the presentation ends at the deadline for the connection",
        arguments: AirPhone.Mode.allCases)
    func nobody(_ mode: AirPhone.Mode) async throws {
        let before = try await AirStock.atRest()
        let scene = try Scene.onAir(.qr, mode.role)
        let deadlines = PresentationDeadlines.onAir.with { $0.connection = .seconds(2) }
        let transaction = try scene.transaction(deadlines: deadlines, retrieval: .over(mode))
        let engagement = try DeviceEngagement(scene.wallet.engagement(.qr, now: .now).deviceEngagement[...])
        let (presentation, time) = await timed {
            await transaction.run(scanned: engagement, radio: BlueZRadio.onBench)
        }
        #expect(presentation.failure == .connectionOverdue)
        #expect((.seconds(2)...(.seconds(2) + DeadlineTests.margin)).contains(time))
        try await before.expectNothingMore()
    }

    @Test(
        "Q72 Q85 64 connections in a row without a session leave nothing, and then the customer is served")
    func storm() async throws {
        let before = try await AirStock.atRest()
        let growth = try await PeakMemory.growth {
            let stage = try await AirStage.begin(
                Scene.onAir(), .central, phone: ["--fault", "connect-storm=64"])
            try await stage.phone.said("fault")
            #expect(stage.phone.fact("connections", of: "storm") == "64", "\(stage.phone.lines)")
            let customer = try stage.again(.central)
            let result = try await stage.end()
            #expect(result.summary == "verified", "\(customer.lines)")
            await customer.leave()
        }
        #expect(growth < Self.memory, "\(growth)")
        try await before.expectNothingMore(within: .seconds(40))
    }

    @Test(
        "Q63 Q82 Q108 A phone that drops the connection three times is connected to when it stays")
    func dropsThrice() async throws {
        let crash = try await BluetoothdCrash()
        let stage = try await AirStage.begin(
            Scene.onAir(.qr, .peripheralOnly), .peripheral, phone: ["--fault", "connect-storm=3"])
        // bluetoothd may end of it before the phone has dropped all three.
        try await stage.phoneSaid("fault")
        let customer = try stage.again(.peripheral)
        let result = try await stage.end()
        await customer.leave()
        if try await crash.explains(result.summary) {
            return try await Scene.expectNextCustomerServed(.peripheral, after: "one that drops three times")
        }
        #expect(result.summary == "verified", "\(customer.lines)")
    }

    @Test(
        "Q63 Q82 A phone that drops every connection is given up, by name")
    func dropsEver() async throws {
        var configuration = BlueZConfiguration()
        configuration.attempts = 3
        let crash = try await BluetoothdCrash()
        let result = try await Scene.onAir(.qr, .peripheralOnly).present(
            .peripheral, phone: ["--fault", "connect-storm=64"],
            radio: BlueZRadio(configuration: configuration))
        if try await !crash.explains(result.summary) {
            let names = AirPhone.droppedConnection.map(\.rawValue)
            #expect(names.contains(result.summary), "\(result.phone.lines)")
        }
        try await Scene.expectNextCustomerServed(.peripheral, after: "one that drops every connection")
    }

    @Test("Q72 Q93 Q111 A second phone that listens receives nothing of the first phone's session")
    func secondPhone() async throws {
        let result = try await Scene.onAir(portrait: 25_000)
            .present(.central, phone: ["--fault", "second-phone"])
        #expect(result.summary == "verified", "\(result.phone.lines)")
        let heard = result.phone.lines.compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix("notifications=") }
        }
        #expect(heard == ["notifications=0"], "\(result.phone.lines)")
        #expect(
            result.phone.lines.contains { $0.hasPrefix("second subscribed=yes") }, "\(result.phone.lines)")
    }

    @Test(
        "Q62 A phone that is silent in its L2CAP channel, or leaves it, has a name",
        arguments: ["silent", "disconnect-at=request"])
    func channel(_ name: String) async throws {
        let psm = try #require(L2CAPPSM(0x85))
        let scene = try Scene.onAir(.qr, .peripheralOnly) { $0.profile = $0.profile.adding(psm) }
        let deadlines = PresentationDeadlines.onAir.with { $0.consent = .seconds(2) }
        let result = try await scene.present(
            .peripheral, phone: ["--l2cap-psm", "0x85", "--fault", name], deadlines: deadlines)
        #expect(result.summary == (name == "silent" ? "consentOverdue" : "linkLost"), "\(result.phone.lines)")
        #expect(result.phone.fact("psm", of: "channel") != nil, "\(result.phone.lines)")
        try await Scene.expectNextCustomerServed(.peripheral, after: name)
    }
}
