internal import Transport

/// A GATT server that also publishes an L2CAP channel. The client uses one of the two.
struct ChannelServer: BluetoothLEServer {
    private typealias LinkResult = Result<any BluetoothLELink, BluetoothLEError>

    let server: GATTServer
    let listener: L2CAPListener

    func setIdent(_ ident: [UInt8]) async { await server.setIdent(ident) }

    /// Waits for the first link of a client, over the characteristics or over the channel. Then closes the
    /// listener or the server, whichever is not used by the link.
    func link() async throws(BluetoothLEError) -> any BluetoothLELink {
        let link = try await first().get()
        if link.kind == .l2cap { await server.close() } else { await listener.close() }
        return link
    }

    /// Waits for the server's link and the listener's link at the same time. Returns the link that comes
    /// first, and cancels the other wait.
    private func first() async -> LinkResult {
        await withTaskGroup(of: LinkResult.self) { group in
            group.addTask { await Self.result { () throws(BluetoothLEError) in try await server.link() } }
            group.addTask {
                await Self.result { () throws(BluetoothLEError) in try await listener.accepted() }
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.cancelled)
        }
    }

    private static func result(
        _ body: () async throws(BluetoothLEError) -> any BluetoothLELink
    ) async -> LinkResult {
        do throws(BluetoothLEError) { return .success(try await body()) } catch { return .failure(error) }
    }

    func close() async {
        await listener.close()
        await server.close()
    }
}
