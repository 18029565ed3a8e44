internal import NDEF
internal import MdocSession
internal import Synchronization
package import Transport

extension BluetoothLERadio {
    /// Registers and advertises a service that no phone looks for, and withdraws the service immediately.
    /// Afterwards the adapter is on and not pairable, as after every presentation.
    ///
    /// bluetoothd can refuse an advertisement although its adapter reports that it can advertise another
    /// service. Only an attempt shows whether bluetoothd refuses (Q239).
    package func tryServing() async throws(BluetoothLEError) {
        try await serve(GATTService(.mdocCentralClient(.random()))).close()
    }
}

/// The Bluetooth radio of a lane. The radio remembers whether the last service could be registered and
/// advertised.
final class CheckedRadio: BluetoothLERadio {
    private let radio: any BluetoothLERadio
    /// Whether the last attempt to register and advertise a service succeeded; false before the first
    /// attempt.
    private let lastServed = Mutex(false)

    init(_ radio: any BluetoothLERadio) {
        self.radio = radio
    }

    /// The reason why phones cannot be read over Bluetooth; `nil` if they can be read. Tries to advertise
    /// unless the last attempt succeeded (Q239).
    func fault() async -> RadioFault? {
        do throws(BluetoothLEError) {
            try await radio.checkReadiness()
            // With faulty settings, bluetoothd makes phones ask their owner to pair, or loses parts of their
            // answers. Advertising is therefore not tried.
            if let fault = await radio.settingsFault() { return fault }
            if !lastServed.withLock({ $0 }) { try await tryServing() }
            return nil
        } catch .radioUnavailable(let fault) {
            return fault
        } catch {
            // The lane cancelled this call, because bluetoothd did not answer within the time that the lane
            // allows.
            return .daemonHung
        }
    }

    func serve(_ service: GATTService) async throws(BluetoothLEError) -> any BluetoothLEServer {
        do throws(BluetoothLEError) {
            let server = try await radio.serve(service)
            lastServed.withLock { $0 = true }
            return server
        } catch {
            // A cancelled attempt says nothing about the adapter.
            if error != .cancelled { lastServed.withLock { $0 = false } }
            throw error
        }
    }

    // The other functions pass each call on to the radio.

    func checkReadiness() async throws(BluetoothLEError) { try await radio.checkReadiness() }

    func settingsFault() async -> RadioFault? { await radio.settingsFault() }

    func prepare() async throws(BluetoothLEError) { try await radio.prepare() }

    func waitUntilReady() async throws(BluetoothLEError) { try await radio.waitUntilReady() }

    func connect(
        to service: GATTService, choosing choice: ChannelChoice?
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        try await radio.connect(to: service, choosing: choice)
    }

    func connect(
        to uuid: BluetoothUUID, psm: UInt16
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        try await radio.connect(to: uuid, psm: psm)
    }
}
