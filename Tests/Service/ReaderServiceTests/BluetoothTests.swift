import BlueZBench
import MdocModel
import MdocSession
import MdocVerification
import MdocWallet
import NDEF
import PCSCBench
import PresentationStage
import ReaderService
import Testing
import Transport

@Suite(
    "A presentation over Bluetooth, through the real bluetoothd", .serialized,
    .enabled(if: AirBench.isHere, AirBench.absence), .takingTurnsAtTheBench)
struct BluetoothTests {
    @Test(
        "Every handover, in both modes, is verified with a portrait of 25 KB",
        arguments: HandoverKind.allCases, AirPhone.Mode.allCases)
    func handovers(_ handover: HandoverKind, _ mode: AirPhone.Mode) async throws {
        let scene = try Scene.onAir(handover, mode.role, portrait: 25_000)
        let result = try await scene.present(mode)
        #expect(result.presentation.verified()?.portrait()?.count == 25_000, "\(result.phone.lines)")
        #expect(result.holder.readerStatus == .termination)
        let begin: [PresentationEvent] = handover == .qr ? [.engaged] : [.armed, .engaged, .mayLift]
        #expect(scene.events.all == begin + [.awaitingConsent, .receiving, .verifying])
        #expect(
            result.presentation.phases.map(\.name)
                == [.engagement, .connection, .request, .consent, .transfer, .verification])
    }

    struct Link: Sendable, CustomTestStringConvertible {
        let mtu: Int
        let address: String
        let proof: Holder.DeviceAuthentication

        var testDescription: String { "MTU \(mtu), \(address) address, \(proof.rawValue)" }

        static let all = [23, 185, 512].flatMap { mtu in
            ["public", "random"].flatMap { address in
                Holder.DeviceAuthentication.allCases.map { Link(mtu: mtu, address: address, proof: $0) }
            }
        }
    }

    @Test(
        "Q67 Q75 Q99 Q102 Every MTU, kind of address and proof is verified; our request comes whole, in full values",
        arguments: Link.all)
    func links(_ link: Link) async throws {
        let scene = try Scene.onAir(.qr, .centralOnly, link.proof, portrait: 25_000)
        let address = link.address == "public" ? "public" : "random:F2:C1:22:33:44:55"
        let result = try await scene.present(.central, phone: ["--mtu", "\(link.mtu)", "--address", address])
        let response = result.presentation.verified()
        #expect(response?.portrait()?.count == 25_000, "\(result.phone.lines)")
        #expect(response?.documents[0].deviceBinding == (link.proof == .mac ? .mac : .signature))
        #expect(result.phone.fact("mtu", of: "mtu") == "\(link.mtu)")
        #expect(result.phone.fact("type", of: "ready") == link.address)
        let largest = try #require(result.phone.fact("largest", of: "request").flatMap { Int($0) })
        let length = try #require(result.phone.fact("bytes", of: "request").flatMap { Int($0) })
        let limit = link.mtu - 5
        #expect(largest == min(limit, length + 1))
        #expect(result.phone.fact("chunks", of: "request") == "\((length + limit - 2) / (limit - 1))")
    }

    @Test("An answer of 90 KB is verified in each mode", arguments: AirPhone.Mode.allCases)
    func large(_ mode: AirPhone.Mode) async throws {
        let result = try await Scene.onAir(.qr, mode.role, portrait: 90_000).present(mode)
        #expect(result.presentation.verified()?.portrait()?.count == 90_000, "\(result.phone.lines)")
    }

    @Test("Q68 Q69 Fragments of any size are accepted", arguments: AirPhone.Mode.allCases, [33, 100])
    func chunks(_ mode: AirPhone.Mode, _ size: Int) async throws {
        let result = try await Scene.onAir(.qr, mode.role).present(mode, phone: ["--chunk", "\(size)"])
        #expect(result.summary == "verified", "\(result.phone.lines)")
    }

    @Test("Q73 A phone that starts before it subscribes is served")
    func startFirst() async throws {
        let result = try await Scene.onAir().present(.central, phone: ["--start-before-cccd"])
        #expect(result.summary == "verified", "\(result.phone.lines)")
    }

    @Test(
        "Q54 Q88 The person may take longer than any deadline but that of consent",
        arguments: AirPhone.Mode.allCases)
    func longConsent(_ mode: AirPhone.Mode) async throws {
        let scene = try Scene.onAir(.qr, mode.role) { $0.consentTime = .seconds(5) }
        let deadlines = PresentationDeadlines.onAir.with { $0.progress = .seconds(4) }
        let result = try await scene.present(mode, deadlines: deadlines)
        #expect(result.summary == "verified", "\(result.phone.lines)")
        let consent = try #require(result.presentation.duration(of: .consent))
        #expect(consent >= .seconds(5))
    }

    // MARK: - L2CAP

    private static let psm: UInt16 = 0x85

    private func sceneWithPSM(_ handover: HandoverKind, portrait: Int = 25_000) throws -> Scene {
        let psm = try #require(L2CAPPSM(Self.psm))
        return try Scene.onAir(handover, .peripheralOnly, portrait: portrait) {
            $0.profile = $0.profile.adding(psm)
        }
    }

    @Test(
        "An answer through the L2CAP channel that the engagement names is verified",
        arguments: HandoverKind.allCases)
    func channel(_ handover: HandoverKind) async throws {
        let scene = try sceneWithPSM(handover)
        let result = try await scene.present(.peripheral, phone: ["--l2cap-psm", "\(Self.psm)"])
        #expect(result.presentation.verified()?.portrait()?.count == 25_000, "\(result.phone.lines)")
        #expect(result.phone.fact("psm", of: "channel") == "\(Self.psm)")
        #expect(result.holder.readerStatus == .termination)
    }

    @Test("An answer of 90 KB through an L2CAP channel is verified")
    func largeThroughChannel() async throws {
        let scene = try sceneWithPSM(.qr, portrait: 90_000)
        let result = try await scene.present(.peripheral, phone: ["--l2cap-psm", "\(Self.psm)"])
        #expect(result.presentation.verified()?.portrait()?.count == 90_000, "\(result.phone.lines)")
        #expect(result.phone.fact("psm", of: "channel") == "\(Self.psm)")
    }

    @Test(
        "Q61 Where the channel that was named is not there, the characteristics serve, inside the same time")
    func noChannel() async throws {
        let scene = try sceneWithPSM(.qr)
        let deadlines = PresentationDeadlines.onAir.with { $0.connection = .seconds(30) }
        let result = try await scene.present(.peripheral, deadlines: deadlines)
        #expect(result.presentation.verified()?.portrait()?.count == 25_000, "\(result.phone.lines)")
        #expect(result.phone.fact("ms", of: "channel") == nil)
        // Once for the channel, once for the characteristics.
        #expect(result.phone.lines.count { $0.hasPrefix("connected") } == 2, "\(result.phone.lines)")
    }

    struct Named: Sendable, CustomTestStringConvertible {
        let isEngaged: Bool
        let l2cap: RetrievalPlan.L2CAP

        var testDescription: String {
            "named by the \(isEngaged ? "engagement" : "characteristic"), where the plan has \(l2cap)"
        }

        static let leftOut = [
            Named(isEngaged: true, l2cap: .never), Named(isEngaged: false, l2cap: .never),
            Named(isEngaged: false, l2cap: .engagement),
        ]
    }

    @Test("Q61 Q62 Q95 A channel is not used where the plan leaves it out", arguments: Named.leftOut)
    func channelLeftOut(_ named: Named) async throws {
        let scene =
            try named.isEngaged ? sceneWithPSM(.qr) : Scene.onAir(.qr, .peripheralOnly, portrait: 25_000)
        let result = try await scene.present(
            .peripheral, phone: ["--l2cap-psm", "\(Self.psm)", "--psm-characteristic", "4"],
            by: .over(.peripheralServer, named.l2cap))
        #expect(result.presentation.verified()?.portrait()?.count == 25_000, "\(result.phone.lines)")
        #expect(result.phone.fact("psm", of: "channel") == nil)
    }

    @Test(
        "Q61 Q65 The channel that only a characteristic names is used where the plan has that, in both encodings",
        arguments: [2, 4])
    func channelOfCharacteristic(bytes: Int) async throws {
        let before = try await AirStock.atRest()
        let result = try await Scene.onAir(.qr, .peripheralOnly, portrait: 25_000).present(
            .peripheral, phone: ["--l2cap-psm", "\(Self.psm)", "--psm-characteristic", "\(bytes)"],
            by: .over(.peripheralServer, .characteristic))
        #expect(result.presentation.verified()?.portrait()?.count == 25_000, "\(result.phone.lines)")
        #expect(result.phone.fact("psm", of: "channel") == "\(Self.psm)")
        #expect(result.holder.readerStatus == .termination)
        #expect(result.phone.lines.count { $0.hasPrefix("connected") } == 1, "\(result.phone.lines)")
        for never in ["subscribed", "unsubscribed", "started"] {
            #expect(!result.phone.lines.contains { $0.hasPrefix(never) }, "\(result.phone.lines)")
        }
        try await before.expectNothingMore()
    }

    @Test(
        "Q61 Q65 Where nobody serves the channel that a characteristic names, or it names none, the characteristics do",
        arguments: [0x87, 0x1234])
    func noChannelOfCharacteristic(shown: Int) async throws {
        let before = try await AirStock.atRest()
        let deadlines = PresentationDeadlines.onAir.with { $0.connection = .seconds(30) }
        let result = try await Scene.onAir(.qr, .peripheralOnly, portrait: 25_000).present(
            .peripheral, phone: ["--psm-characteristic", "4", "--psm-shown", "\(shown)"],
            by: .over(.peripheralServer, .characteristic), deadlines: deadlines)
        #expect(result.presentation.verified()?.portrait()?.count == 25_000, "\(result.phone.lines)")
        #expect(result.phone.fact("psm", of: "channel") == nil)
        #expect(result.phone.lines.count { $0.hasPrefix("connected") } == 1, "\(result.phone.lines)")
        try await before.expectNothingMore()
    }

    // MARK: - Both modes

    struct Choice: Sendable, CustomTestStringConvertible {
        let plan: RetrievalPlan.Mode
        let phone: AirPhone.Mode

        var testDescription: String { "\(plan) with a phone as \(phone)" }

        static let all = [
            Choice(plan: .centralClient, phone: .central),
            Choice(plan: .peripheralServer, phone: .peripheral),
            Choice(plan: .race, phone: .central), Choice(plan: .race, phone: .peripheral),
        ]
    }

    @Test("Of both modes the plan's is used; in a race the phone's", arguments: Choice.all)
    func choice(_ row: Choice) async throws {
        let scene = try Scene.onAir(.qr, .bothCentralPreferred, portrait: 25_000)
        let before = try await AirStock.atRest()
        let result = try await scene.present(row.phone, by: .over(row.plan))
        #expect(result.presentation.verified()?.portrait()?.count == 25_000, "\(result.phone.lines)")
        try await before.expectNothingMore()
    }

    @Test("Q60 Q77 A phone that comes by both ways in a race is asked once, and hears the end of the other")
    func bothWays() async throws {
        let scene = try Scene.onAir(.qr, .bothCentralPreferred)
        let stage = try await AirStage.begin(scene, .central, by: .over(.race))
        let other = try stage.again(
            .peripheral, ["--address", "random:F2:C1:22:33:44:66", "--connected-elsewhere"])
        let result = try await stage.end()
        #expect(result.summary == "verified", "\(result.phone.lines) \(other.lines)")
        await other.leave()
        let requests = [result.phone, other].count { $0.fact("bytes", of: "request") != nil }
        #expect(requests == 1, "\(result.phone.lines) \(other.lines)")
    }
}
