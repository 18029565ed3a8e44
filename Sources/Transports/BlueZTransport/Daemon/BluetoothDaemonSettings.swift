/// The settings of the running bluetoothd: its version, file and command line.
package struct BluetoothDaemonSettings: Equatable, Sendable {
    /// The configuration file of bluetoothd and its state.
    package enum Configuration: Equatable, Sendable {
        case read(MainConfiguration)
        /// The file does not exist, so bluetoothd uses its defaults.
        case absent
        /// The file is malformed, so bluetoothd refuses it and uses its defaults. The value is the number of
        /// the line, counted from 1.
        case malformed(line: Int)
        /// The path or the content of the file could not be read, for example in a container or without
        /// permission.
        case unknown

        /// The configuration in force. Empty if bluetoothd uses its defaults or the file is unknown.
        var effective: MainConfiguration {
            if case .read(let configuration) = self { configuration } else { MainConfiguration() }
        }
    }

    /// The version of bluetoothd; `nil` if it is not known.
    package let version: BlueZVersion?
    /// The path of the configuration file; `nil` if it is not known.
    package let file: String?
    package let configuration: Configuration
    /// The plugins that bluetoothd's command line switches off.
    package let disabledPlugins: Set<String>
    /// Whether the file was changed after bluetoothd had started.
    package let hasChanged: Bool

    package init(
        version: BlueZVersion?, file: String?, configuration: Configuration,
        disabledPlugins: Set<String> = [], hasChanged: Bool = false
    ) {
        self.version = version
        self.file = file
        self.configuration = configuration
        self.disabledPlugins = disabledPlugins
        self.hasChanged = hasChanged
    }

    /// The findings for the running version of bluetoothd.
    package var findings: [DaemonFinding] { findings(version: version) }

    /// Returns the settings that do not meet the requirements of a version of bluetoothd. For `nil` the
    /// requirements of every version apply.
    package func findings(version: BlueZVersion?) -> [DaemonFinding] {
        if configuration == .unknown { return [.configurationUnknown] }
        var findings: [DaemonFinding] = hasChanged ? [.configurationChanged] : []
        if case .malformed(let line) = configuration {
            findings.append(.configurationMalformed(line: line))
        }
        return findings
            + DaemonRequirement.all.filter { !$0.isMet(self, version) }.map(DaemonFinding.missing)
    }

    /// The essential settings that are missing. Without them phones ask to pair, or parts of their answers
    /// are lost. Empty if the settings are unknown.
    package var missingEssentials: [DaemonRequirement] {
        findings.compactMap { finding in
            if case .missing(let requirement) = finding, requirement.isEssential { requirement } else { nil }
        }
    }

    /// Properties of the running bluetoothd that a user should know. They are not faults of the configuration
    /// file.
    package var notes: Set<DaemonNote> {
        var notes: Set<DaemonNote> = []
        // An unknown version may be a version that drops packets.
        if version.map({ $0 < BlueZVersion(5, 78) }) ?? true { notes.insert(.dropsWritesWhenSlow) }
        if !disabledPlugins.isSuperset(of: Self.pairingPlugins) { notes.insert(.pairsOverL2CAP) }
        return notes
    }

    /// The plugins that may start pairing when a phone opens an L2CAP channel (Q95).
    package static let pairingPlugins = [
        "bap", "bass", "mcp", "vcp", "micp", "ccp", "csip", "tmap", "asha", "midi",
    ]
}

/// A property of bluetoothd that a user should know.
package enum DaemonNote: String, Sendable, CaseIterable {
    /// bluetoothd before 5.78 loses a packet if the buffer of the socket to this program is full (Q103).
    case dropsWritesWhenSlow = "bluetooth.drops_writes_when_slow"
    /// Plugins that a reader does not need are active and may make the phone ask its owner to pair when L2CAP
    /// is used (Q95).
    case pairsOverL2CAP = "bluetooth.pairs_over_l2cap"
}

/// A fault in the settings of bluetoothd.
package enum DaemonFinding: Sendable {
    /// A setting has none of the accepted values.
    case missing(DaemonRequirement)
    /// A line makes bluetoothd refuse the whole file. The value is the number of the line, counted from 1.
    case configurationMalformed(line: Int)
    /// The file was changed after bluetoothd had started.
    case configurationChanged
    /// This process cannot read the settings.
    case configurationUnknown

    /// The stable id of the finding.
    package var id: String {
        switch self {
        case .missing(let requirement): requirement.id.rawValue
        case .configurationMalformed: "bluetooth.configuration_malformed"
        case .configurationChanged: "bluetooth.configuration_changed"
        case .configurationUnknown: "bluetooth.configuration_unknown"
        }
    }

    /// All ids of findings.
    package static let knownIDs =
        DaemonRequirement.ID.allCases.map(\.rawValue)
        + [DaemonFinding.configurationMalformed(line: 1), .configurationChanged, .configurationUnknown].map(
            \.id)
}
