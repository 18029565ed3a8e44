/// The transports and modes over which the phone's answer may come, and the use of NFC v2. The raw values are
/// the values of options and of configuration files.
package struct RetrievalPlan: Equatable, Sendable {
    /// The transports over which the answer may come.
    package enum Transport: String, CaseIterable, Sendable {
        /// Bluetooth LE if there is a radio and the phone supports it; NFC otherwise.
        case automatic = "auto"
        /// Bluetooth LE only.
        case bluetoothLE = "ble"
        /// NFC only.
        case nfc
    }

    /// The Bluetooth mode for a phone that offers both modes.
    package enum Mode: String, CaseIterable, Sendable {
        /// mdoc central client mode: the phone connects to this reader.
        case centralClient = "central"
        /// mdoc peripheral server mode: this reader connects to the phone.
        case peripheralServer = "peripheral"
        /// Both modes at the same time. The first link that starts is used.
        case race
    }

    /// The L2CAP channels that are tried before the GATT characteristics, in mdoc peripheral server mode.
    ///
    /// Wallets differ in their support of L2CAP. Apple's wallet fails if a reader opens the channel that the
    /// characteristic names (Q61), and others lose long messages (Q62).
    ///
    /// The channel cannot be chosen by the kind of wallet, because nothing that a phone sends before the
    /// connection identifies its wallet. Version, capabilities, kind of handover and waiting times depend on
    /// the edition of the standard and the release of the app. Many wallets have them in common, and an
    /// update may change them. A wallet that wants L2CAP can name a PSM in its engagement, so `engagement` is
    /// the default.
    /// Choose more channels, or none, if you know the phones at a lane.
    package enum L2CAP: String, CaseIterable, Sendable {
        /// No channel.
        case never
        /// The channel that the engagement names, in its options or in the handover's out-of-band data.
        case engagement
        /// The channel that the engagement names, then the channel that the phone's characteristic names.
        case characteristic
    }

    /// The use of NFC v2, by a draft of the second edition of ISO/IEC 18013-5.
    package enum NFCVersion2: String, CaseIterable, Sendable {
        /// NFC v2 first. For a phone without NFC v2, classic handover follows after one command.
        case automatic = "auto"
        /// Classic handover only.
        case off
        /// NFC v2 only.
        case only
    }

    package var transport = Transport.automatic
    package var nfcVersion2 = NFCVersion2.off
    package var mode = Mode.centralClient
    package var l2cap = L2CAP.engagement

    package init() {}
}
