/// A fault with a stable id, and the error of a system daemon (pcscd or bluetoothd) if the daemon refused a
/// call.
package struct PeerFault<ID: Hashable & Sendable>: Error, Hashable, Sendable {
    package let id: ID
    package let refusal: PeerRefusal?

    package init(_ id: ID, _ refusal: PeerRefusal? = nil) {
        self.id = id
        self.refusal = refusal
    }
}

/// The error with which a system daemon refused one call. The texts come from the daemon and are not escaped
/// for a terminal.
package struct PeerRefusal: Hashable, Sendable {
    /// The method or function that was called, such as `RegisterAdvertisement`.
    package let call: String
    /// The name of the error, such as `org.bluez.Error.Failed`.
    package let name: String
    /// The daemon's explanation. Empty if the daemon gave no explanation.
    package let message: String

    package init(call: String, name: String, message: String) {
        self.call = call
        self.name = name
        self.message = message
    }
}
