package import Transport

/// A Bluetooth radio on one adapter of bluetoothd.
///
/// `ReaderService` calls the radio for one presentation at a time. The radio creates the objects of a
/// presentation and keeps no reference to them:
///
/// - ``serve(_:)`` registers a `GATTServer` (mdoc central client mode), with an `L2CAPListener` beside it if
///   the configuration offers L2CAP.
/// - `connect` searches for the phone with `PeerConnecting` and returns a `GATTClient` or an `L2CAPLink`
///   (mdoc peripheral server mode). One search runs at a time, since bluetoothd has one discovery session for
///   each of its clients.
///
/// The radio connects to the message bus at the first call, and again after the bus was lost (Q117). Before
/// each use it switches the adapter on and makes it not pairable, so that no phone asks its owner to pair
/// (Q94), and removes phones that an earlier presentation could not remove (Q114).
///
/// The objects that the radio creates are isolated to the serial queue of the bus (`BusQueue`). The radio
/// never changes bluetoothd's configuration file.
package actor BlueZRadio: BluetoothLERadio {
    let configuration: BlueZConfiguration
    private(set) var daemon: Daemon?
    private var lastServer = 0
    private var isConnecting = false
    private let leftBehind = PeersLeftBehind()

    package init(configuration: BlueZConfiguration = BlueZConfiguration()) {
        self.configuration = configuration
    }

    package func serve(_ service: GATTService) async throws(BluetoothLEError) -> any BluetoothLEServer {
        do throws(BlueZTransportError) {
            let (daemon, adapter) = try await readyAdapter()
            // The number distinguishes the D-Bus objects of this server from those of other servers.
            lastServer += 1
            guard configuration.offersL2CAP, service.psm != nil else {
                return try await registered(
                    service, number: lastServer, with: daemon, at: adapter, psm: nil)
            }
            let listener = try await L2CAPListener.open(
                daemon: daemon, adapter: adapter, lossReportDelay: configuration.lossReportDelay)
            do throws(BlueZTransportError) {
                let server = try await registered(
                    service, number: lastServer, with: daemon, at: adapter, psm: listener.psm)
                return ChannelServer(server: server, listener: listener)
            } catch {
                await listener.close()
                throw error
            }
        } catch {
            throw BluetoothLEError(error)
        }
    }

    /// Creates a server and registers its service and advertisement.
    private func registered(
        _ service: GATTService, number: Int, with daemon: Daemon, at adapter: String, psm: UInt16?
    ) async throws(BlueZTransportError) -> GATTServer {
        let server = GATTServer(
            service, daemon: daemon, adapter: adapter, number: number, psm: psm, configuration: configuration)
        try await server.register()
        return server
    }

    /// Reserves the radio for a search for a peer. The caller must call ``endConnecting()`` at the end.
    ///
    /// - Throws: `alreadyWaiting` if another search runs, because bluetoothd has one discovery session for
    ///   each of its clients.
    func beginConnecting() async throws(BluetoothLEError) -> PeerConnecting {
        guard !isConnecting else { throw .alreadyWaiting }
        // Set before the first suspension, so that no other search begins meanwhile.
        isConnecting = true
        do throws(BlueZTransportError) {
            let (daemon, adapter) = try await readyAdapter()
            return PeerConnecting(daemon: daemon, adapter: adapter, configuration: configuration)
        } catch {
            isConnecting = false
            throw BluetoothLEError(error)
        }
    }

    func endConnecting() { isConnecting = false }

    /// Returns bluetoothd and the path of the adapter, which is switched on and not pairable. A pairable
    /// adapter would let the phone ask its owner to pair (Q94).
    func readyAdapter() async throws(BlueZTransportError) -> (Daemon, String) {
        let (daemon, adapter, properties) = try await currentAdapter()
        if properties["Pairable"]?.flag != false {
            // If bluetoothd refuses, the adapter can still be used, though phones may ask to pair.
            try? await daemon.set(adapter, "org.bluez.Adapter1", "Pairable", .boolean(false))
        }
        if properties["Powered"]?.flag != true {
            do throws(BusError) {
                try await daemon.set(adapter, "org.bluez.Adapter1", "Powered", .boolean(true))
            } catch .refused(let refusal) {
                throw .adapterOff(refusal)
            } catch {
                throw BlueZTransportError(error)
            }
        }
        await daemon.forgetLeftBehind(at: adapter)
        return (daemon, adapter)
    }

    /// Returns bluetoothd, the path of the adapter and the adapter's properties. Changes nothing.
    func currentAdapter() async throws(BlueZTransportError) -> (Daemon, String, [String: BusValue]) {
        let daemon = try await currentDaemon()
        let adapter = try await daemon.adapter(named: configuration.adapter)
        return (daemon, adapter, await daemon.properties(adapter, "org.bluez.Adapter1") ?? [:])
    }

    /// Returns the connection to bluetoothd. Connects at the first call, and again after the bus was lost.
    private func currentDaemon() async throws(BlueZTransportError) -> Daemon {
        if let daemon, await daemon.isConnected { return daemon }
        let daemon = try await Daemon.connect(
            limit: configuration.call, bus: configuration.bus, leftBehind: leftBehind)
        self.daemon = daemon
        return daemon
    }
}
