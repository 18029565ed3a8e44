internal import Transport

extension Daemon {
    /// Reads the settings of the running bluetoothd.
    ///
    /// - Parameter limit: the maximum wait for the number of bluetoothd's process, which the message bus
    ///   returns.
    func settings(within limit: Duration) async throws(BlueZTransportError) -> BluetoothDaemonSettings {
        let process = try await process(within: limit)
        let version = version
        // Reading files blocks, so it has its own thread.
        return await withCheckedContinuation { continuation in
            WorkerThread().perform {
                continuation.resume(returning: .running(as: process, version: version))
            }
        }
    }

    /// The version in the properties of the adapters; `nil` if no adapter has it.
    private var version: BlueZVersion? {
        paths("org.bluez.Adapter1").lazy.compactMap {
            self.properties($0, "org.bluez.Adapter1")?["Modalias"]?.text
        }
        .compactMap(BlueZVersion.init(modalias:)).first
    }

    /// Returns the number of bluetoothd's process, as the message bus reports it.
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
