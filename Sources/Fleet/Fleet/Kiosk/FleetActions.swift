/// The functions with which `FleetAgent` controls the kiosk's daemon. `countersignd` passes the functions
/// that act on the daemon; tests pass substitutes.
package struct FleetActions: Sendable {
    /// Returns the bytes of the kiosk's own configuration file.
    let file: @Sendable () -> [UInt8]
    /// Returns the fault of a configuration, or `nil` if it can be used.
    let check: @Sendable (AcceptedDocuments.Configuration) -> String?
    /// Puts a configuration in force. While the kiosk is stopped, the configuration applies without its
    /// lanes, and every caller is refused.
    let apply: @Sendable (AcceptedDocuments.Configuration) async -> FleetOutcome
    /// Stops or starts the acceptance of orders and token requests, whatever configuration is applied. Does
    /// not wait for a running `apply`.
    let setStopped: @Sendable (Bool) async -> Void
    /// Returns the clock tolerance in seconds: a trust list may be dated this far in the future. The value is
    /// from the configuration in force.
    let clockSkew: @Sendable () async -> Int64
    /// Returns the health of the daemon: the states of its lanes, the ids of its findings, and the age of its
    /// trust lists.
    let health: @Sendable () async -> KioskHealth
    /// Sets the daemon's metric for the number of receipts that the hub does not have yet.
    let setWaiting: @Sendable (Int64) -> Void

    package init(
        file: @escaping @Sendable () -> [UInt8],
        check: @escaping @Sendable (AcceptedDocuments.Configuration) -> String?,
        apply: @escaping @Sendable (AcceptedDocuments.Configuration) async -> FleetOutcome,
        setStopped: @escaping @Sendable (Bool) async -> Void,
        clockSkew: @escaping @Sendable () async -> Int64 = { 60 },
        health: @escaping @Sendable () async -> KioskHealth = { KioskHealth() },
        setWaiting: @escaping @Sendable (Int64) -> Void = { _ in }
    ) {
        self.file = file
        self.check = check
        self.apply = apply
        self.setStopped = setStopped
        self.clockSkew = clockSkew
        self.health = health
        self.setWaiting = setWaiting
    }
}

/// The result of applying a configuration.
package enum FleetOutcome: Sendable {
    /// All lanes that were ready before the change are ready again.
    case ready
    /// The lanes did not become ready in time.
    case notReady
    /// A lane was in use for too long, so the result is unknown.
    case inUse
}
