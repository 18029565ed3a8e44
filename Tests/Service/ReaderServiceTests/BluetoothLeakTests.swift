import BlueZBench
import PCSCBench
import Testing

@Suite(
    "Presentations over Bluetooth in a row", .serialized,
    .enabled(if: AirBench.isHere, AirBench.absence), .takingTurnsAtTheBench)
struct BluetoothLeakTests {
    @Test("Q79 Q83 Q85 Q112 Q114 Many in a row leave no advertisement, device, match rule or descriptor")
    func leaks() async throws {
        // The first connects to the bus, and has bluetoothd load what it needs.
        for mode in AirPhone.Mode.allCases {
            try await Scene.expectNextCustomerServed(mode, after: "nobody")
        }
        let before = try await AirStock.now()
        for number in 0..<AirBench.repetitions {
            let mode = AirPhone.Mode.allCases[number % 2]
            try await Scene.expectNextCustomerServed(mode, after: "\(number) others")
        }
        #expect(try await AirStock.settled(to: before) == before)
    }
}
