internal import BlueZTransport

/// The Bluetooth of this computer, and what may keep it silent.
struct BluetoothFacts: Sendable {
    /// What rfkill says of Bluetooth.
    enum RadioSwitch: Sendable {
        case on
        /// Off by software.
        case blocked
        /// Off by a switch or a key of the computer.
        case blockedByHardware
    }

    var bluetooth: Result<BluetoothDescription, BlueZTransportError>
    var isInstalled = true
    var radioSwitch = RadioSwitch.on
    /// How many bytes from a phone may wait for bluetoothd; nil if the kernel does not report it.
    var socketRoom: Int?
    /// Whether the message bus is configured to carry more than 128 values at once.
    var hasBusRoom = true
}
