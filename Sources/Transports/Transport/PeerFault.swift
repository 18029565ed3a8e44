/// A fault with a stable id, and the daemon's own error where a daemon refused a call.
package struct PeerFault<ID: Hashable & Sendable>: Error, Hashable, Sendable {
    package let id: ID
    package let refusal: PeerRefusal?

    package init(_ id: ID, _ refusal: PeerRefusal? = nil) {
        self.id = id
        self.refusal = refusal
    }
}

/// A daemon's refusal of one call, in the daemon's own words. They are not made safe for a terminal.
package struct PeerRefusal: Hashable, Sendable {
    /// The method or function that was called, such as `RegisterAdvertisement`.
    package let call: String
    /// The name of the error, such as `org.bluez.Error.Failed`.
    package let name: String
    /// The daemon's explanation; empty if it gave none.
    package let message: String

    package init(call: String, name: String, message: String) {
        self.call = call
        self.name = name
        self.message = message
    }
}
