import BlueZBench
import MdocModel
import OtherPrograms
import PCSCBench
import PresentationStage
import Testing

@Suite(
    "A lane with Bluetooth, with the daemon as a program of its own, the real pcscd and the real bluetoothd",
    .serialized, .enabled(if: AirBench.isHere, AirBench.absence),
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct BluetoothLaneTests {
    @Test("Q34 The phone is tapped and lifted, its answer comes through the air, and the states in order")
    func tapped() async throws {
        try await AirBench.control(.start)
        let customers = try Customers.withBluetooth()
        let daemon = try await ReaderDaemon(
            lanes: [], readers: [#""reader": "\#(VirtualBench.first)", "transport": "ble""#],
            roots: [customers.root])
        let lane = try await daemon.asApp.call("GET", "/v1/lanes/reader-1").json()
        #expect(lane["state"] as? String == "ready" && lane["bluetooth"] as? String == "ready")
        let reader = try VirtualReader()
        defer { reader.lift() }
        let tapped = try TappedAirPhone(of: customers)
        let id = try await daemon.order()
        let states = try await daemon.end(of: id) { state in
            switch state {
            case "armed": try await reader.hold(tapped.phone)
            case "engaged": reader.lift()
            default: break
            }
        }
        #expect(
            states == ["armed", "engaged", "awaitingConsent", "receiving", "verified"], "\(tapped.air.lines)")
        let answers = try await daemon.result(of: id)["answers"] as? [[String: String]]
        #expect(answers?.first?["answer"] == "yes")
        #expect(try await tapped.end().readerStatus == .termination)
    }
}
