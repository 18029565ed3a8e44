/// By which way the answer is to come.
package struct RetrievalPlan: Equatable, Sendable {
    package enum Transport: Sendable {
        /// Bluetooth where there is a radio and the phone has it, else NFC.
        case automatic
        case bluetoothLE
        case nfc
    }

    /// What is done with a phone that offers both modes of Bluetooth.
    package enum Mode: Sendable {
        /// mdoc central client mode: the phone connects to us.
        case centralClient
        /// mdoc peripheral server mode: we connect to the phone.
        case peripheralServer
        /// Both at once; the first to start wins.
        case race
    }

    package var transport = Transport.automatic
    package var mode = Mode.centralClient
    /// Whether a PSM that the engagement names is tried before the characteristics. Not for every wallet: some lose
    /// what they send through it (Q61, Q62).
    package var usesL2CAP = true

    package init() {}
}
