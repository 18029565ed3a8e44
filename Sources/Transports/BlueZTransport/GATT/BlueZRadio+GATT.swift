package import Transport

extension BlueZRadio {
    package func connect(
        to service: GATTService, choosing choice: ChannelChoice?
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        let connecting = try await beginConnecting()
        defer { endConnecting() }
        return try await connecting.link(to: service.uuid) {
            peer, number throws(ConnectFailure) -> any BluetoothLELink in
            let client = GATTClient(
                service, at: peer, daemon: connecting.daemon, adapter: connecting.adapter, attempts: number,
                configuration: connecting.configuration)
            do throws(ConnectFailure) {
                // `open` returns another link only if an L2CAP channel is used.
                return try await client.open(choosing: choice) ?? client
            } catch {
                await client.close()
                throw error
            }
        }
    }
}
