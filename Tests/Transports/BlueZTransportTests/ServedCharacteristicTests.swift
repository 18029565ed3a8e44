import NDEF
import Testing
import Transport

@testable import BlueZTransport

@Suite("The service that phones find")
struct ServedCharacteristicTests {
    /// A service that has all characteristics there are, each with a number of its own.
    private static let service: GATTService = {
        func of(_ number: UInt64) -> BluetoothUUID { BluetoothUUID(high: number, low: 0) }
        return GATTService(
            uuid: of(1), state: of(2), clientToServer: of(3), serverToClient: of(4), ident: of(5), psm: of(6))
    }()

    /// The UUIDs of the characteristics that bluetoothd is shown.
    private func shown(hasChannel: Bool) -> [BusValue] {
        let objects = GATTServerObjects(Self.service, number: 1, usesSockets: true, hasChannel: hasChannel)
        return GATTServerObjects.Characteristic.allCases.compactMap {
            objects.properties(at: objects.path($0), GATTServerObjects.characteristicInterface)?["UUID"]
        }
    }

    @Test(
        "Q61 Where the phone connects to us we name no channel: nothing opens one unless a configuration says so"
    )
    func noChannel() {
        #expect(!BlueZConfiguration().offersL2CAP && !BlueZConfiguration(adapter: "hci0").offersL2CAP)
        let all = (2...6).map { BusValue.string(BluetoothUUID(high: $0, low: 0).description) }
        #expect(shown(hasChannel: false) == all.dropLast())
        // The twin: with a channel its characteristic is there.
        #expect(shown(hasChannel: true) == all)
    }
}
