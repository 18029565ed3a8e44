package import BlueZTransport
internal import ReaderService
internal import Reports
internal import Transport

extension DaemonFinding {
    /// What is wrong and what follows from it, for a person.
    ///
    /// - Parameter file: the settings file, if it is known.
    package func explanation(file: String?) -> String {
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

/// What is wrong with bluetoothd's settings, for the person who is about to ask a phone.
struct SettingsWarning {
    let missing: [DaemonRequirement]
    let transport: RetrievalPlan.Transport

    /// Nil if nothing is missing. Where NFC is used instead, the presentation says that next, with the cure.
    var text: String? {
        guard !missing.isEmpty else { return nil }
        let harms = missing.map { "  " + DaemonFinding.missing($0).explanation(file: nil) }
        let choice =
            transport == .bluetoothLE
            ? ["Bluetooth is used all the same, by --transport ble: \(RadioFault.settingsMissing.advice)."]
            : []
        return (["bluetoothd is not set up for phones:"] + harms + choice).joined(separator: "\n")
    }
}
