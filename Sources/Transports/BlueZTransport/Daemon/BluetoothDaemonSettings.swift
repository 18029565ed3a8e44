/// The settings of the running bluetoothd: its version, file and command line.
package struct BluetoothDaemonSettings: Equatable, Sendable {
    package enum Configuration: Equatable, Sendable {
        case read(MainConfiguration)
        /// There is no file: bluetoothd uses its defaults.
        case absent
        /// bluetoothd refuses the whole file and has its defaults.
        case malformed(line: Int)
        /// Which file it is, or what it says, cannot be found out here.
        case unknown

        /// What counts.
        var effective: MainConfiguration {
            if case .read(let configuration) = self { configuration } else { MainConfiguration() }
        }
    }

    /// Nil when it does not say.
    package let version: BlueZVersion?
    /// The settings file it reads; nil when it cannot be found out.
    package let file: String?
    package let configuration: Configuration
    /// Plugins that its command line switches off.
    package let disabledPlugins: Set<String>
    /// The file was written after bluetoothd had read it.
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

    /// What is not as a reader needs it.
    package var findings: [DaemonFinding] { findings(version: version) }

    /// What would not meet a reader's needs with that version. Nil means the most demanding version.
    package func findings(version: BlueZVersion?) -> [DaemonFinding] {
        if configuration == .unknown { return [.configurationUnknown] }
        var findings: [DaemonFinding] = hasChanged ? [.configurationChanged] : []
        if case .malformed(let line) = configuration {
            findings.append(.configurationMalformed(line: line))
        }
        return findings
            + DaemonRequirement.all.filter { !$0.isMet(self, version) }.map(DaemonFinding.missing)
    }

    /// What is missing of the settings without which Bluetooth harms. Nothing where the settings cannot be found out.
    package var missingEssentials: [DaemonRequirement] {
        findings.compactMap { finding in
            if case .missing(let requirement) = finding, requirement.isEssential { requirement } else { nil }
        }
    }

    /// What is worth knowing, and no fault of the settings file.
    package var notes: Set<DaemonNote> {
        var notes: Set<DaemonNote> = []
        if version.map({ $0 < BlueZVersion(5, 78) }) ?? true { notes.insert(.dropsWritesWhenSlow) }
        if !disabledPlugins.isSuperset(of: Self.pairingPlugins) { notes.insert(.pairsOverL2CAP) }
        return notes
    }

    /// Plugins that start pairing when a phone opens an L2CAP channel.
    package static let pairingPlugins = [
        "bap", "bass", "mcp", "vcp", "micp", "ccp", "csip", "tmap", "asha", "midi",
    ]
}

/// Something worth knowing about a bluetoothd.
package enum DaemonNote: String, Sendable, CaseIterable {
    /// Loses part of a message when the socket is full: nothing helps but reading at once, and 5.78 (Q103).
    case dropsWritesWhenSlow = "bluetooth.drops_writes_when_slow"
    /// Plugins that nobody needs here may make the phone ask its owner to pair, once L2CAP is used (Q95).
    case pairsOverL2CAP = "bluetooth.pairs_over_l2cap"
}

/// Something about a bluetoothd that a reader needs to be otherwise.
package enum DaemonFinding: Sendable {
    /// A setting has none of the values that do.
    case missing(DaemonRequirement)
    /// This line, counted from 1, makes bluetoothd refuse the whole file.
    case configurationMalformed(line: Int)
    /// The file was changed since bluetoothd started.
    case configurationChanged
    /// Whether the settings do cannot be found out here.
    case configurationUnknown

    /// Stable name of the finding.
    package var id: String {
        switch self {
        case .missing(let requirement): requirement.id.rawValue
        case .configurationMalformed: "bluetooth.configuration_malformed"
        case .configurationChanged: "bluetooth.configuration_changed"
        case .configurationUnknown: "bluetooth.configuration_unknown"
        }
    }

    package static let knownIDs =
        DaemonRequirement.ID.allCases.map(\.rawValue)
        + [DaemonFinding.configurationMalformed(line: 1), .configurationChanged, .configurationUnknown].map(
            \.id)
}
