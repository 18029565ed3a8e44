import BlueZBench
import MdocWallet
import PCSCBench
import ReaderService
import Testing

@Suite(
    "Presentations over Bluetooth in a row", .serialized,
    .enabled(if: AirBench.isHere, AirBench.absence), .takingTurnsAtTheBench)
struct BluetoothLeakTests {
    @Test("Q79 Q83 Q85 Q112 Q114 Many in a row leave no advertisement, device, match rule or descriptor")
    func leaks() async throws {
        // The first connects to the bus, and has bluetoothd load what it needs.
        for mode in AirPhone.Mode.allCases { try await presentVerified(mode) }
        let before = try await AirStock.now()
        for number in 0..<AirBench.repetitions {
            try await presentVerified(number % 2 == 0 ? .central : .peripheral)
        }
        #expect(try await AirStock.settled(to: before) == before)
    }

    private func presentVerified(_ mode: AirPhone.Mode) async throws {
        let result = try await Scene.onAir(.qr, mode.role).present(mode)
        #expect(result.presentation.verified() != nil, "\(mode) \(result.phone.lines)")
    }
}
