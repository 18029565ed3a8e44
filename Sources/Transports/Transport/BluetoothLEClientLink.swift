/// A link on which we are the GATT client.
package protocol BluetoothLEClientLink: BluetoothLELink {
    /// How often connecting was tried, the time it worked included (Q63, Q82, Q108).
    var attempts: Int { get }

    /// What the server says of itself.
    ///
    /// - Throws: `serviceIncomplete` where it has no such characteristic, `connectionFailed` when it does not let it be
    ///   read.
    func readIdent() async throws(BluetoothLEError) -> [UInt8]
}
