internal import BlueZTransport
internal import ReaderService
internal import Reports
internal import Transport

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
