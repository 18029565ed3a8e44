internal import NDEF
internal import MdocSession
internal import Synchronization
package import Transport

extension BluetoothLERadio {
    /// Registers and advertises a service that no phone looks for, and withdraws it at once. The adapter is switched on
    /// and not pairable afterwards, as after every presentation.
    ///
    /// bluetoothd may refuse this though its adapter reports room (Q239), which nothing but a try shows.
    package func tryServing() async throws(BluetoothLEError) {
        try await serve(GATTService(.mdocCentralClient(.random()))).close()
    }
}

/// The radio of a lane, which remembers whether its service could be registered and advertised.
final class CheckedRadio: BluetoothLERadio {
    private let radio: any BluetoothLERadio
    /// Whether the last attempt to serve succeeded. False before the first.
    private let lastServed = Mutex(false)

    init(_ radio: any BluetoothLERadio) {
        self.radio = radio
    }

    /// The reason why phones cannot be asked over Bluetooth. Tries to serve, unless the last presentation could.
    func fault() async -> RadioFault? {
        do throws(BluetoothLEError) {
            try await radio.look()
            // Nothing is advertised with settings that would harm a phone.
            if let fault = await radio.settingsFault() { return fault }
            if !lastServed.withLock({ $0 }) { try await tryServing() }
            return nil
        } catch .radioUnavailable(let fault) {
            return fault
        } catch {
            // It has not answered in the time that a look may take.
            return .daemonHung
        }
    }

    func serve(_ service: GATTService) async throws(BluetoothLEError) -> any BluetoothLEServer {
        do throws(BluetoothLEError) {
            let server = try await radio.serve(service)
            lastServed.withLock { $0 = true }
            return server
        } catch {
            if error != .cancelled { lastServed.withLock { $0 = false } }
            throw error
        }
    }

    func look() async throws(BluetoothLEError) { try await radio.look() }

    func settingsFault() async -> RadioFault? { await radio.settingsFault() }

    func prepare() async throws(BluetoothLEError) { try await radio.prepare() }

    func untilReady() async throws(BluetoothLEError) { try await radio.untilReady() }

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
