/// How the answer is to come. The raw values are the words of options and configuration files.
package struct RetrievalPlan: Equatable, Sendable {
    package enum Transport: String, CaseIterable, Sendable {
        /// Bluetooth if there is a radio and the phone supports it, else NFC.
        case automatic = "auto"
        case bluetoothLE = "ble"
        case nfc
    }

    /// What is done with a phone that offers both modes of Bluetooth.
    package enum Mode: String, CaseIterable, Sendable {
        /// mdoc central client mode: the phone connects to us.
        case centralClient = "central"
        /// mdoc peripheral server mode: we connect to the phone.
        case peripheralServer = "peripheral"
        /// Both at once; the first to start wins.
        case race
    }

    /// Which L2CAP channels are tried before the characteristics, in mdoc peripheral server mode.
    ///
    /// Wallets differ in what they support here: Apple's fails if the characteristic names the channel (Q61),
    /// others lose long messages (Q62). But there can be no rule by wallet: nothing a phone says before the
    /// connection names its wallet. Version, capabilities, kind of handover and waiting times are those of an
    /// edition or a release, are shared by many wallets and change with their next update. What a wallet does say
    /// is a PSM in its engagement, and that is the default. Choose more, or less, if you know the phones at a lane.
    package enum L2CAP: String, CaseIterable, Sendable {
        /// None.
        case never
        /// The one that the engagement names, by its options or the handover's out-of-band data.
        case engagement
        /// That one; without it, the one that the phone's characteristic names.
        case characteristic
    }

    /// Whether NFC v2 is tried, by a draft of the second edition of ISO/IEC 18013-5.
    package enum NFCVersion2: String, CaseIterable, Sendable {
        /// First; if the phone has none, classic handover, with one command more.
        case automatic = "auto"
        case off
        /// Classic handover is not used.
        case only
    }

    package var transport = Transport.automatic
    package var nfcVersion2 = NFCVersion2.off
    package var mode = Mode.centralClient
    package var l2cap = L2CAP.engagement

    package init() {}
}
