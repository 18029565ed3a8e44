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
    /// How many bytes of a phone's may wait for bluetoothd; nil where the kernel does not tell.
    var socketRoom: Int?
    /// Whether the message bus was told to carry more than 128 values at once.
    var hasBusRoom = true
}
