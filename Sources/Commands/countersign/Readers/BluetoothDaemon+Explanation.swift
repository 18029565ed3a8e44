internal import BlueZTransport

extension DaemonNote {
    /// What to expect, and what to do.
    var explanation: String {
        switch self {
        case .dropsWritesWhenSlow:
            "bluetoothd before 5.78 may lose parts of a message on a computer that is too busy: update bluez"
        case .pairsOverL2CAP:
            "a phone may ask its owner to pair over L2CAP: start bluetoothd with --noplugin="
                + BluetoothDaemonSettings.pairingPlugins.joined(separator: ",")
        }
    }
}

extension AdapterMode {
    /// How the adapter is used.
    var explanation: String {
        switch self {
        case .lowEnergy: "low energy only"
        case .dual: "low energy and classic"
        case .classic: "classic only, which cannot be used here"
        }
    }
}

extension AdapterQuirk {
    /// What to expect of the adapter, and what to do.
    var explanation: String {
        switch self {
        case .dropsPhonesEarly: "seen to drop Android phones after 5 s: prefer a USB adapter"
        case .deafWithoutFirmware:
            "with some kernels its firmware is not loaded: if no phone is found, plug it in again"
        case .firmwareMissing: "runs without its firmware and hears no phone: plug it in again"
        }
    }
}
