internal import Transport

/// The Bluetooth of this computer: the settings of bluetoothd and its adapters. For a self-test, not for a
/// transaction.
package struct BluetoothDescription: Equatable, Sendable {
    package let daemon: BluetoothDaemonSettings
    /// The adapters in the order of their names.
    package let adapters: [AdapterDescription]

    package init(daemon: BluetoothDaemonSettings, adapters: [AdapterDescription]) {
        self.daemon = daemon
        self.adapters = adapters
    }

    /// Describes the running bluetoothd. Changes nothing and does not start bluetoothd.
    ///
    /// - Parameter limit: the maximum wait for each answer of the bus and of bluetoothd.
    /// - Throws: `busNotRunning`, `daemonNotRunning`, `daemonHung`, `accessDenied` or another error of the
    ///   bus or bluetoothd.
    package static func current(
        within limit: Duration = .seconds(5)
    ) async throws(BlueZTransportError) -> BluetoothDescription {
        let daemon = try await Daemon.connect(limit: limit)
        do throws(BlueZTransportError) {
            let description = try await daemon.describe(within: limit)
            await daemon.bus.close()
            return description
        } catch {
            await daemon.bus.close()
            throw error
        }
    }
}

extension Daemon {
    /// Reads the settings of bluetoothd and describes all adapters.
    fileprivate func describe(
        within limit: Duration
    ) async throws(BlueZTransportError) -> BluetoothDescription {
        let settings = try await settings(within: limit)
        // The path of an adapter has three parts, as in `/org/bluez/hci0`.
        let paths = paths("org.bluez.Adapter1").filter { $0.split(separator: "/").count == 3 }
        let seen = paths.map { (name: String($0.split(separator: "/")[2]), interfaces: interfaces(of: $0)) }
        // A controller may take 2 s to answer. The read blocks, so it has its own thread.
        return await withCheckedContinuation { continuation in
            WorkerThread().perform {
                continuation.resume(
                    returning: BluetoothDescription(
                        daemon: settings,
                        adapters: seen.map {
                            AdapterDescription(
                                name: $0.name, interfaces: $0.interfaces, controller: .current(named: $0.name)
                            )
                        }))
            }
        }
    }

    private func interfaces(of path: String) -> BusInterfaces {
        var interfaces: BusInterfaces = [:]
        for name in ["org.bluez.Adapter1", "org.bluez.LEAdvertisingManager1"] {
            interfaces[name] = properties(path, name)
        }
        return interfaces
    }
}
