/// What the daemon does for its fleet.
package struct FleetActions: Sendable {
    /// The kiosk's own configuration file.
    let file: @Sendable () -> [UInt8]
    /// The fault of a configuration; nil if it can be used.
    let check: @Sendable (AcceptedDocuments.Configuration) -> String?
    /// Uses a configuration from now on, as far as the kiosk is not stopped.
    let apply: @Sendable (AcceptedDocuments.Configuration) async -> FleetOutcome
    /// Takes no order any more and no token, whatever is applied, until it is called with false. Waits for no `apply`.
    let setStopped: @Sendable (Bool) async -> Void
    /// The seconds by which a trust list may be from the future, as the configuration in force says.
    let clockSkew: @Sendable () async -> Int64
    /// How the kiosk is.
    let health: @Sendable () async -> KioskHealth
    /// How many receipts wait for the hub, for the daemon's figures.
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

/// What came of a configuration.
package enum FleetOutcome: Sendable {
    case ready
    /// The lanes did not become ready.
    case notReady
    /// A lane was in use for too long: nobody knows yet.
    case inUse
}
