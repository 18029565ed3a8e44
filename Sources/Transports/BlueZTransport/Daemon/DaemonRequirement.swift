/// A setting that a reader needs of bluetoothd, with the versions whose default does without.
package struct DaemonRequirement: Sendable {
    package enum ID: String, CaseIterable, Sendable {
        case controllerMode = "bluetooth.controller_mode"
        case reverseServiceDiscovery = "bluetooth.reverse_service_discovery"
        case attributeCache = "bluetooth.attribute_cache"
        case channels = "bluetooth.channels"
        case exchangeMTU = "bluetooth.exchange_mtu"
        case advertisementInterval = "bluetooth.advertisement_interval"
        case connectionInterval = "bluetooth.connection_interval"
        case supervisionTimeout = "bluetooth.supervision_timeout"
    }

    /// Values that do.
    enum Accepted: Sendable {
        case word(String)
        case flag(Bool)
        /// Decimal.
        case number(ClosedRange<Int>)

        func holds(_ value: String) -> Bool {
            switch self {
            case .word(let word): value == word
            case .flag(let flag):
                switch Substring(value.utf8.dropLastSpaces()) {
                case "true", "1": flag
                case "false", "0": !flag
                default: false
                }
            case .number(let range): Int(value).map(range.contains) ?? false
            }
        }
    }

    /// A key and the values of it that do.
    struct Setting: Sendable {
        let group: String
        let key: String
        let accepted: Accepted
        /// The first version that knows the key; nil when every version does.
        var since: BlueZVersion?

        /// A version that is not known may not know a key that came later.
        func isMet(_ configuration: MainConfiguration, _ version: BlueZVersion?) -> Bool {
            if let since {
                guard let version, version >= since else { return false }
            }
            return configuration.value(of: key, in: group).map(accepted.holds) == true
        }
    }

    /// From a version on: what does without the line.
    enum Exemption: Sendable {
        /// The default does; another value does not.
        case byDefault(BlueZVersion)
        /// Every value does.
        case entirely(BlueZVersion)
    }

    package let id: ID
    /// Whether Bluetooth harms without it: phones ask their owner to pair, or parts of their answers are lost.
    var isEssential = false
    package let quirks: [Int]
    package let value: String
    let setting: Setting
    var alternative: Setting?
    /// A plugin whose absence does as well.
    var plugin: String?
    var exemption: Exemption?

    package var group: String { setting.group }
    package var key: String { setting.key }

    /// Whether settings meet this. A version that is not known has none of the exemptions.
    func isMet(_ settings: BluetoothDaemonSettings, _ version: BlueZVersion?) -> Bool {
        let configuration = settings.configuration.effective
        if setting.isMet(configuration, version) || alternative?.isMet(configuration, version) == true {
            return true
        }
        if let plugin, settings.disabledPlugins.contains(plugin) { return true }
        return switch (exemption, version) {
        case (.byDefault(let first)?, let version?):
            version >= first && configuration.value(of: key, in: group) == nil
        case (.entirely(let first)?, let version?): version >= first
        default: false
        }
    }

    /// In the order in which they matter.
    package static let all = [
        DaemonRequirement(
            id: .controllerMode, quirks: [96], value: "le",
            setting: Setting(group: "General", key: "ControllerMode", accepted: .word("le"))),
        DaemonRequirement(
            id: .reverseServiceDiscovery, isEssential: true, quirks: [94, 105], value: "false",
            setting: Setting(group: "General", key: "ReverseServiceDiscovery", accepted: .flag(false)),
            alternative: Setting(
                group: "GATT", key: "Client", accepted: .flag(false), since: BlueZVersion(5, 74)),
            plugin: "battery"),
        DaemonRequirement(
            id: .attributeCache, quirks: [114], value: "no",
            setting: Setting(group: "GATT", key: "Cache", accepted: .word("no"))),
        DaemonRequirement(
            id: .channels, isEssential: true, quirks: [101], value: "1",
            setting: Setting(group: "GATT", key: "Channels", accepted: .number(1...1)),
            exemption: .byDefault(BlueZVersion(5, 67))),
        DaemonRequirement(
            id: .exchangeMTU, isEssential: true, quirks: [100], value: "512",
            setting: Setting(group: "GATT", key: "ExchangeMTU", accepted: .number(23...513)),
            exemption: .entirely(BlueZVersion(5, 69))),
        // In units of 0.625 ms. Until 5.78, the interval that an advertisement asks for is used only by a
        // bluetoothd with experimental interfaces.
        DaemonRequirement(
            id: .advertisementInterval, quirks: [90], value: "80",
            setting: Setting(group: "LE", key: "MaxAdvertisementInterval", accepted: .number(32...160)),
            exemption: .entirely(BlueZVersion(5, 78))),
        // In units of 1.25 ms. iOS refuses a shorter one, and keeps its own.
        DaemonRequirement(
            id: .connectionInterval, quirks: [115, 205], value: "12",
            setting: Setting(group: "LE", key: "MinConnectionInterval", accepted: .number(12...12))),
        // In units of 10 ms.
        DaemonRequirement(
            id: .supervisionTimeout, quirks: [115], value: "400",
            setting: Setting(group: "LE", key: "ConnectionSupervisionTimeout", accepted: .number(200...600))),
    ]
}
