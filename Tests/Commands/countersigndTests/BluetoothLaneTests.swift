import BlueZBench
import MdocModel
import MdocWallet
import NDEF
import OtherPrograms
import PCSCBench
import PresentationStage
import Testing
import Transport

@Suite(
    "A lane with Bluetooth, with the daemon as a program of its own, the real pcscd and the real bluetoothd",
    .serialized, .enabled(if: AirBench.isHere, AirBench.absence),
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct BluetoothLaneTests {
    @Test("Q34 The phone is tapped and lifted, its answer comes through the air, and the states in order")
    func tapped() async throws {
        try await AirBench.control(.start)
        let customers = try Customers {
            $0.profile = .generic
            $0.profile.bluetoothRole = .centralOnly
        }
        let daemon = try await ReaderDaemon(
            lanes: [], readers: [#""reader": "\#(VirtualBench.first)", "transport": "ble""#],
            roots: [customers.root])
        let lane = try await daemon.asApp.call("GET", "/v1/lanes/reader-1").json()
        #expect(lane["state"] as? String == "ready" && lane["bluetooth"] as? String == "ready")
        let reader = try VirtualReader()
        defer { reader.lift() }
        let phone = try customers.phone()
        let listener = try FramedTCPListener(on: SocketAddress(host: "127.0.0.1", port: 0))
        let air = try AirPhone(.central, wallet: listener.address.port)
        let holder = AirStage.serving(customers.presented.wallet, at: listener) {
            while phone.engagement == nil { try await Task.sleep(for: .milliseconds(1)) }
            return try #require(phone.engagement)
        }
        let id = try await daemon.order()
        let states = try await daemon.end(of: id) { state in
            switch state {
            case "armed": try await reader.hold(phone)
            case "engaged": reader.lift()
            default: break
            }
        }
        #expect(states == ["armed", "engaged", "awaitingConsent", "receiving", "verified"], "\(air.lines)")
        let answers = try await daemon.result(of: id)["answers"] as? [[String: String]]
        #expect(answers?.first?["answer"] == "yes")
        _ = try? await air.end()
        await air.leave()
        await listener.close()
        holder.cancel()
        #expect(await holder.value.readerStatus == .termination)
    }
}
