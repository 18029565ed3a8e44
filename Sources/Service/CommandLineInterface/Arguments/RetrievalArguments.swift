package import ArgumentParser
internal import BlueZTransport
internal import ErrorMapping
internal import FieldTrace
internal import JSON
package import ReaderService
package import Transport

/// The options that select the transport, the NFC version, the Bluetooth adapter and the version of the
/// request.
package struct RetrievalArguments: ParsableArguments {
    @Option(
        name: .long,
        help:
            "How the answer is transferred: auto (Bluetooth if there is an adapter, otherwise NFC), ble or nfc."
    )
    package var transport = RetrievalPlan.Transport.automatic

    @Option(
        name: .long,
        help: """
            Which side connects if a phone offers both Bluetooth modes: central (the phone connects to this \
            computer), peripheral (this computer connects to the phone) or race (the mode that is ready \
            first).
            """)
    package var bleMode = RetrievalPlan.Mode.centralClient

    @Option(
        name: .long,
        help: """
            Which L2CAP channel is tried before GATT characteristics when this computer connects to the \
            phone: never, engagement (the channel named in the engagement), or characteristic (also the \
            channel named by a characteristic; some wallets fail with it).
            """)
    package var l2cap = RetrievalPlan.L2CAP.engagement

    @Option(
        name: .customLong("nfc-v2"),
        help: """
            Whether NFC v2, a draft of the second edition of ISO/IEC 18013-5, is used: auto (NFC v2 first, \
            then handover if the phone has no NFC v2), off or only.
            """)
    package var nfcVersion2 = RetrievalPlan.NFCVersion2.off

    @Option(
        name: .long, help: ArgumentHelp("The Bluetooth adapter. By default the first one.", valueName: "hci0")
    )
    package var adapter: String?

    @Option(
        name: .long,
        help: """
            The version of the request: auto (1.1 if the request needs extended requests and the wallet \
            announced them, otherwise 1.0) or 1.0 (for every wallet).
            """)
    package var requestVersion = RequestVersion.automatic

    package init() {}

    package func validate() throws {
        guard nfcVersion2 != .only || transport != .bluetoothLE else {
            throw ValidationError("--nfc-v2 only cannot be combined with --transport ble.")
        }
    }

    package var plan: RetrievalPlan {
        var plan = RetrievalPlan()
        plan.transport = transport
        plan.mode = bleMode
        plan.l2cap = l2cap
        plan.nfcVersion2 = nfcVersion2
        return plan
    }

    /// Returns the Bluetooth radio, or `nil` with `--transport nfc`. Prints a warning about harmful settings
    /// of bluetoothd before anything is sent.
    package func radio(_ fieldTrace: FieldTraceFile?) async -> (any BluetoothLERadio)? {
        guard transport != .nfc else { return nil }
        let configuration = BlueZConfiguration(adapter: adapter)
        let radio = BlueZRadio(configuration: configuration)
        let warning = SettingsWarning(missing: await radio.missingEssentials(), transport: transport)
        if let text = warning.text { Terminal.message(text) }
        // A `TracingRadio` makes its own radio from the configuration, because it also has to receive what
        // bluetoothd observes about phones.
        return fieldTrace.map { TracingRadio(configuration, $0.recorder) } ?? radio
    }
}

extension RetrievalPlan.Transport: ExpressibleByArgument {}
extension RetrievalPlan.Mode: ExpressibleByArgument {}
extension RetrievalPlan.L2CAP: ExpressibleByArgument {}
extension RetrievalPlan.NFCVersion2: ExpressibleByArgument {}
extension RequestVersion: ExpressibleByArgument {}

/// An address as `tcp://host:port`. An IPv6 address stands in brackets.
package struct EndpointArgument: ExpressibleByArgument {
    package let host: String
    package let port: UInt16

    /// The address in the form of the command line. The help shows this text if the option has a default.
    package var defaultValueDescription: String {
        "tcp://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    package init?(argument: String) {
        guard argument.hasPrefix("tcp://"), let colon = argument.lastIndex(of: ":"),
            let port = UInt16(argument[argument.index(after: colon)...])
        else { return nil }
        // The brackets around an IPv6 address are left out.
        let host = argument.dropFirst("tcp://".count)[..<colon]
        self.host = String(host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host)
        self.port = port
    }
}

extension EndpointArgument {
    /// The socket address of a numeric host. Names are not resolved.
    package var transportAddress: SocketAddress {
        get throws(TransportError) { try SocketAddress(host: host, port: port) }
    }

    /// The address of a virtual reader, which must be a numeric address of loopback.
    package var loopbackAddress: SocketAddress {
        get throws(CommandFailure) {
            try mapping(transportAddress) { (_: TransportError) in
                CommandFailure.usage("the virtual reader must be on loopback: tcp://127.0.0.1:35963")
            }
        }
    }
}
