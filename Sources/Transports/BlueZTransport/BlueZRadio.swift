package import Transport

/// One Bluetooth adapter through bluetoothd. The connection to the bus is made when it is needed, and again after it
/// was lost.
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
            lastServer += 1
            guard configuration.offersL2CAP, service.psm != nil else {
                return try await registered(service, lastServer, daemon, adapter, psm: nil)
            }
            let listener = try await L2CAPListener.open(
                daemon: daemon, adapter: adapter, verdict: configuration.verdict)
            do throws(BlueZTransportError) {
                let server = try await registered(service, lastServer, daemon, adapter, psm: listener.psm)
                return ChannelServer(server: server, listener: listener)
            } catch {
                await listener.close()
                throw error
            }
        } catch {
            throw BluetoothLEError(error)
        }
    }

    private func registered(
        _ service: GATTService, _ number: Int, _ daemon: Daemon, _ adapter: String, psm: UInt16?
    ) async throws(BlueZTransportError) -> GATTServer {
        let server = GATTServer(
            service, daemon: daemon, adapter: adapter, number: number, psm: psm, configuration: configuration)
        try await server.register()
        return server
    }

    /// What a search for a peer needs. One at a time: bluetoothd has one discovery session for each of its clients.
    func beginConnecting() async throws(BluetoothLEError) -> PeerConnecting {
        guard !isConnecting else { throw .alreadyWaiting }
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

    /// The adapter, switched on and not pairable: nobody is to be asked on the phone (Q94).
    func readyAdapter() async throws(BlueZTransportError) -> (Daemon, String) {
        let (daemon, adapter, properties) = try await currentAdapter()
        if properties["Pairable"]?.flag != false {
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

    /// The adapter as it is.
    func currentAdapter() async throws(BlueZTransportError) -> (Daemon, String, [String: BusValue]) {
        let daemon = try await currentDaemon()
        let adapter = try await daemon.adapter(named: configuration.adapter)
        return (daemon, adapter, await daemon.properties(adapter, "org.bluez.Adapter1") ?? [:])
    }

    private func currentDaemon() async throws(BlueZTransportError) -> Daemon {
        if let daemon, await daemon.isConnected { return daemon }
        let daemon = try await Daemon.connect(
            limit: configuration.call, bus: configuration.bus, leftBehind: leftBehind)
        self.daemon = daemon
        return daemon
    }
}
