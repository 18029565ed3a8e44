package import MdocModel
package import Transport

/// What a lane asks phones with: a reader and an adapter, or the bench link.
package protocol LaneDevice: Sendable {
    /// Runs one presentation. Returns when its outcome may be shown, which is before the phone is notified of the
    /// end (Q76).
    func run(_ transaction: ReaderTransaction) async -> Presentation

    /// The same for the phone whose QR code was scanned.
    func run(_ transaction: ReaderTransaction, scanned engagement: DeviceEngagement) async -> Presentation

    /// What is missing now. It may ask other processes, may try the radio for a moment, and ends with the task that it
    /// runs in. No presentation begins before it has ended.
    func readiness() async -> LaneReadiness

    /// The reason why phones cannot be asked over Bluetooth, whether or not there is a reader. As `readiness`, it may try
    /// the radio.
    func radioFault() async -> RadioFault?
}

extension LaneDevice {
    package func radioFault() async -> RadioFault? { nil }
}

/// Whether phones can be asked at a lane.
package enum LaneReadiness: Equatable, Sendable {
    case ready
    /// NFC alone works; of `settingsMissing`, Bluetooth is used only where nothing else is allowed.
    case withoutBluetooth(RadioFault)
    /// No phone can be asked.
    case unavailable(ReaderFault)
}
