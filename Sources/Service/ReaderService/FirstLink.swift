package import Transport

package typealias LinkResult = Result<any BluetoothLELink, BluetoothLEError>

/// Tries both ways at once: the first link wins. The other way is cancelled; if it made a link too, that link is
/// closed.
package func firstLink(
    _ one: @escaping @Sendable () async throws(BluetoothLEError) -> any BluetoothLELink,
    _ other: @escaping @Sendable () async throws(BluetoothLEError) -> any BluetoothLELink
) async -> LinkResult {
    await withTaskGroup(of: LinkResult.self) { group in
        group.addTask { await ended { () throws(BluetoothLEError) in try await one() } }
        group.addTask { await ended { () throws(BluetoothLEError) in try await other() } }
        var winner: LinkResult = .failure(.cancelled)
        for await finished in group {
            if case .success = winner {
                if case .success(let second) = finished { await second.close() }
                continue
            }
            winner = finished
            if case .success = finished { group.cancelAll() }
        }
        return winner
    }
}
