import BlueZBench
import PCSCBench
import PresentationStage
import Testing

@Suite(
    "Presentations over Bluetooth in a row", .serialized,
    .enabled(if: AirBench.isHere, AirBench.absence), .takingTurnsAtTheBench)
struct BluetoothLeakTests {
    @Test("Q79 Q83 Q85 Q112 Q114 Many in a row leave no advertisement, device, match rule or descriptor")
    func leaks() async throws {
        let before = try await AirStock.atRest()
        for number in 0..<AirBench.repetitions {
            let mode = AirPhone.Mode.allCases[number % 2]
            try await Scene.expectNextCustomerServed(mode, after: "\(number) others")
        }
        try await before.expectNothingMore()
    }
}
