internal import Transport

extension Daemon {
    /// The settings of the bluetoothd that runs.
    ///
    /// - Parameter limit: for the bus to name its process.
    func settings(within limit: Duration) async throws(BlueZTransportError) -> BluetoothDaemonSettings {
        let process = try await process(within: limit)
        let version = version
        return await withCheckedContinuation { continuation in
            WorkerThread().perform {
                continuation.resume(returning: .running(as: process, version: version))
            }
        }
    }

    /// As the adapters name it; nil when none does.
    private var version: BlueZVersion? {
        paths("org.bluez.Adapter1").lazy.compactMap {
            self.properties($0, "org.bluez.Adapter1")?["Modalias"]?.text
        }
        .compactMap(BlueZVersion.init(modalias:)).first
    }

    /// The number of bluetoothd's process, as the bus knows it.
    private func process(within limit: Duration) async throws(BlueZTransportError) -> Int {
        do throws(BusError) {
            let answer = try await bus.call(
                "org.freedesktop.DBus", "/org/freedesktop/DBus",
                BusMember("org.freedesktop.DBus", "GetConnectionUnixProcessID"), [.string(Self.name)],
                within: limit)
            guard let process = answer.first?.number else { throw .malformed }
            return process
        } catch {
            throw BlueZTransportError(error)
        }
    }
}
