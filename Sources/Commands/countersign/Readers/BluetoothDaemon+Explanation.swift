internal import BlueZTransport

extension DaemonFinding {
    /// What is wrong and what follows from it, for a person.
    ///
    /// - Parameter file: the settings file, if it is known.
    func explanation(file: String?) -> String {
        let file = file ?? "main.conf"
        return switch self {
        case .missing(let requirement):
            "[\(requirement.group)] \(requirement.key) = \(requirement.value) is not set: \(requirement.id.harm)"
        case .configurationMalformed(let line):
            "line \(line) of \(file) cannot be read, so bluetoothd ignores the whole file"
        case .configurationChanged:
            "\(file) was changed after bluetoothd started: systemctl restart bluetooth"
        case .configurationUnknown:
            "the settings of bluetoothd cannot be read from here: run this as root, outside of containers"
        }
    }
}

extension DaemonRequirement.ID {
    /// What happens without the setting.
    fileprivate var harm: String {
        switch self {
        case .controllerMode: "bluetoothd may try classic Bluetooth, and then phones do not connect"
        case .reverseServiceDiscovery: "bluetoothd reads from the phone, which then asks its owner to pair"
        case .attributeCache: "services remembered from earlier phones make connections fail"
        case .channels: "parts of a message may arrive in the wrong order"
        case .exchangeMTU: "the longest parts of a phone's message are lost"
        case .advertisementInterval: "phones take a second more to find this computer, and some give up"
        case .connectionInterval:
            "answers take longer than they need, or an iPhone refuses the interval and keeps a slower one"
        case .supervisionTimeout: "a phone that is out of reach for 0.42 s is lost"
        }
    }
}

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
