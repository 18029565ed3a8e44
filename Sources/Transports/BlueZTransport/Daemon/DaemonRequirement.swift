/// A setting that a reader needs in bluetoothd's configuration file, and the versions of bluetoothd that do
/// not need it there.
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

    /// The accepted values of a setting.
    enum Accepted: Sendable {
        case word(String)
        case flag(Bool)
        /// A decimal number within a range.
        case number(ClosedRange<Int>)

        /// Whether a value of the configuration file is accepted. A flag is read as GLib reads it: spaces may
        /// follow the word.
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

    /// A key of the configuration file with its accepted values.
    struct Setting: Sendable {
        let group: String
        let key: String
        let accepted: Accepted
        /// The first version of bluetoothd that supports the key; `nil` if every version supports it.
        var since: BlueZVersion?

        /// Whether the configuration has an accepted value for a key that this version of bluetoothd
        /// supports. An unknown version is assumed to support only keys that every version supports.
        func isMet(_ configuration: MainConfiguration, _ version: BlueZVersion?) -> Bool {
            if let since {
                guard let version, version >= since else { return false }
            }
            return configuration.value(of: key, in: group).map(accepted.holds) == true
        }
    }

    /// The versions of bluetoothd that do not need the setting in the configuration file.
    enum Exemption: Sendable {
        /// From this version on, bluetoothd's default is an accepted value, so the file need not contain the
        /// setting. Another value in the file is not accepted.
        case byDefault(BlueZVersion)
        /// From this version on, bluetoothd does not need the setting, so every value is accepted.
        case entirely(BlueZVersion)
    }

    package let id: ID
    /// Whether the setting is essential. Without an essential setting, phones ask their owner to pair, or
    /// parts of their answers are lost.
    var isEssential = false
    /// The numbers of the quirks for which the setting is needed.
    package let quirks: [Int]
    /// The value to write into the configuration file.
    package let value: String
    let setting: Setting
    /// Another setting that has the same effect.
    var alternative: Setting?
    /// A plugin of bluetoothd. Switching the plugin off has the same effect as the setting.
    var plugin: String?
    var exemption: Exemption?

    package var group: String { setting.group }
    package var key: String { setting.key }

    /// Whether the settings meet this requirement. An unknown version has no exemption.
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

    /// All requirements, the most important first.
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
        // At an MTU of up to 513 a phone writes at most 510 bytes, which no version drops (Q100).
        DaemonRequirement(
            id: .exchangeMTU, isEssential: true, quirks: [100], value: "512",
            setting: Setting(group: "GATT", key: "ExchangeMTU", accepted: .number(23...513)),
            exemption: .entirely(BlueZVersion(5, 69))),
        // The unit is 0.625 ms, so 80 stands for 50 ms. Values from 20 to 100 ms are accepted. Before 5.78,
        // bluetoothd uses the interval that an advertisement requests only with experimental interfaces
        // (Q90).
        DaemonRequirement(
            id: .advertisementInterval, quirks: [90], value: "80",
            setting: Setting(group: "LE", key: "MaxAdvertisementInterval", accepted: .number(32...160)),
            exemption: .entirely(BlueZVersion(5, 78))),
        // The unit is 1.25 ms, so 12 stands for 15 ms. iOS refuses a shorter interval and keeps its own
        // (Q205).
        DaemonRequirement(
            id: .connectionInterval, quirks: [115, 205], value: "12",
            setting: Setting(group: "LE", key: "MinConnectionInterval", accepted: .number(12...12))),
        // The unit is 10 ms, so 400 stands for 4 s. Values from 2 to 6 s are accepted (Q115).
        DaemonRequirement(
            id: .supervisionTimeout, quirks: [115], value: "400",
            setting: Setting(group: "LE", key: "ConnectionSupervisionTimeout", accepted: .number(200...600))),
    ]
}
