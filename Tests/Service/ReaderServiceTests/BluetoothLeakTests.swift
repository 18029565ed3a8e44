import BlueZBench
import BlueZTransport
import MdocWallet
import PCSCBench
import ReaderService
import Testing

@Suite(
    "Presentations over Bluetooth in a row", .serialized,
    .enabled(if: AirBench.isHere, AirBench.absence), .takingTurnsAtTheBench)
struct BluetoothLeakTests {
    @Test(
        """
        Q79 Q85 Q114 After many presentations no advertisement, application, device object, match rule or descriptor \
        is left over
        """)
    func leaks() async throws {
        let radio = BlueZRadio()
        // The first connects to the bus, and has bluetoothd load what it needs.
        for mode in AirPhone.Mode.allCases { try await presentVerified(mode, radio) }
        let before = try await AirStock.now()
        for number in 0..<AirBench.repetitions {
            try await presentVerified(.central, radio)
        }
        #expect(try await AirStock.settled(to: before) == before)
    }

    private func presentVerified(_ mode: AirPhone.Mode, _ radio: BlueZRadio) async throws {
        let result = try await Scene.onAir(.qr, mode.role).present(mode, radio: radio)
        #expect(result.presentation.verified() != nil, "\(mode) \(result.phone.lines)")
    }
}
