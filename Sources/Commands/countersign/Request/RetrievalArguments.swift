internal import ArgumentParser
internal import BlueZTransport
internal import ReaderService
internal import Transport

/// By which way the answer comes once the phone is engaged.
struct RetrievalArguments: ParsableArguments {
    enum TransportArgument: String, ExpressibleByArgument, CaseIterable {
        case auto, ble, nfc
    }

    enum ModeArgument: String, ExpressibleByArgument, CaseIterable {
        case central, peripheral, race
    }

    @Option(
        name: .long,
        help: "How the answer comes: auto takes Bluetooth where there is some, else NFC; ble or nfc alone.")
    var transport = TransportArgument.auto

    enum L2CAPArgument: String, ExpressibleByArgument, CaseIterable {
        case never, engagement, characteristic
    }

    @Option(
        name: .long,
        help: """
            Of a phone that offers both ways of Bluetooth: it connects to us (central), we to it (peripheral), or \
            whichever starts first (race).
            """)
    var bleMode = ModeArgument.central

    @Option(
        name: .long,
        help: """
            The L2CAP channels of a phone we connect to that are tried before its characteristics: none (never), the \
            one its engagement names (engagement), or also the one that a characteristic names (characteristic), \
            with which some wallets fail.
            """)
    var l2cap = L2CAPArgument.engagement

    @Option(
        name: .long, help: ArgumentHelp("The Bluetooth adapter, by default the first.", valueName: "hci0"))
    var adapter: String?

    var plan: RetrievalPlan {
        var plan = RetrievalPlan()
        plan.transport =
            switch transport {
            case .auto: .automatic
            case .ble: .bluetoothLE
            case .nfc: .nfc
            }
        plan.mode =
            switch bleMode {
            case .central: .centralClient
            case .peripheral: .peripheralServer
            case .race: .race
            }
        plan.l2cap =
            switch l2cap {
            case .never: .never
            case .engagement: .engagement
            case .characteristic: .characteristic
            }
        return plan
    }

    /// Nil where NFC alone is wanted.
    var radio: (any BluetoothLERadio)? {
        transport == .nfc ? nil : BlueZRadio(configuration: BlueZConfiguration(adapter: adapter))
    }
}
