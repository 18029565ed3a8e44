import BlueZTransport
import Testing
import Transport

@testable import Doctor
@testable import countersign

/// What is said of bluetoothd and its adapters, for facts that are made up.
@Suite("doctor, of Bluetooth")
struct DoctorBluetoothTests {
    private static let good = """
        [General]\nControllerMode=le\nReverseServiceDiscovery=false\n[LE]\nMinConnectionInterval=12
        ConnectionSupervisionTimeout=400\nMaxAdvertisementInterval=80\n[GATT]\nCache=no\nChannels=1\nExchangeMTU=512
        """
    private static let plugins = Set(BluetoothDaemonSettings.pairingPlugins + ["battery"])

    private static func settings(
        _ text: String = good, _ version: BlueZVersion? = BlueZVersion(5, 78), plugins: Set<String> = plugins,
        changed: Bool = false
    ) -> BluetoothDaemonSettings {
        BluetoothDaemonSettings(
            version: version, file: "/etc/bluetooth/main.conf",
            configuration: (try? MainConfiguration(parsing: Array(text.utf8))).map { .read($0) }
                ?? .malformed(line: 1), disabledPlugins: plugins, hasChanged: changed)
    }

    private static let unknown = BluetoothDaemonSettings(
        version: BlueZVersion(5, 78), file: nil, configuration: .unknown)

    private static func adapter(
        on: Bool = true, room: AdapterDescription.Advertising? = .init(active: 0, free: 5),
        _ change: (inout AdapterDescription.Controller) -> Void = { _ in }
    ) -> AdapterDescription {
        var controller = AdapterDescription.Controller()
        (controller.hciVersion, controller.mode) = (10, .lowEnergy)
        change(&controller)
        return AdapterDescription(
            name: "hci0", isPowered: on, isPairable: false, advertising: room, controller: controller)
    }

    private static func facts(
        _ settings: BluetoothDaemonSettings = settings(), _ adapters: [AdapterDescription] = [adapter()],
        radio: BluetoothFacts.RadioSwitch = .on
    ) -> BluetoothFacts {
        BluetoothFacts(
            bluetooth: .success(BluetoothDescription(daemon: settings, adapters: adapters)),
            radioSwitch: radio)
    }

    private static func room(_ socket: Int, onBus: Bool) -> BluetoothFacts {
        var facts = facts()
        (facts.socketRoom, facts.hasBusRoom) = (socket, onBus)
        return facts
    }

    private static let refusal = PeerRefusal(
        call: "RegisterAdvertisement", name: "org.bluez.Error.Failed",
        message: "Failed to register advertisement")

    private static func tried(_ trial: BluetoothFacts.Trial) -> BluetoothFacts {
        var facts = facts()
        facts.trial = trial
        return facts
    }

    private static func fails(_ error: BlueZTransportError, installed: Bool = true) -> BluetoothFacts {
        BluetoothFacts(bluetooth: .failure(error), isInstalled: installed)
    }

    static let daemon: [CheckExpectation<BluetoothFacts>] = [
        .init("5.78", facts(), .bluetoothDaemon, .ok, "bluetoothd 5.78"),
        .init(
            "Q103 5.77", facts(settings(good, BlueZVersion(5, 77))), .bluetoothDaemon, .note, "before 5.78"),
        .init("no version", facts(settings(good, nil)), .bluetoothDaemon, .ok, "answers"),
        .init(
            "no bus", fails(.busNotRunning), .bluetoothDaemon, .failed, "message bus",
            fix: "systemctl start dbus"),
        .init(
            "not installed", fails(.daemonNotRunning, installed: false), .bluetoothDaemon, .failed,
            "not installed", fix: "apt-get install bluez"),
        .init(
            "Q119 not running", fails(.daemonNotRunning), .bluetoothDaemon, .failed, "does not run",
            fix: "systemctl enable --now bluetooth"),
        .init(
            "Q117 hanging", fails(.daemonHung), .bluetoothDaemon, .failed, "timedOut",
            fix: "restart bluetooth"),
        .init(
            "refused", fails(.accessDenied()), .bluetoothDaemon, .failed, "refuses this user", fix: "adduser"),
        .init(
            "Q239 something else, with its name", fails(.refused(refusal)), .bluetoothDaemon, .failed,
            "RegisterAdvertisement: org.bluez.Error.Failed: Failed to register advertisement"),
        .init("nothing else is looked at", fails(.daemonHung), .adapter, .skipped, "bluetoothd"),
    ]

    static let adapters: [CheckExpectation<BluetoothFacts>] = [
        .init("one", facts(), .adapter, .ok, "hci0, Bluetooth 5.1"),
        .init("none", facts(settings(), []), .adapter, .failed, "no Bluetooth adapter is plugged in"),
        .init(
            "none, by a switch", facts(settings(), [], radio: .blockedByHardware), .adapter, .failed, "switch"
        ),
        .init("none has no power", facts(settings(), []), .radioPower, .skipped, "no adapter"),
        .init("on", facts(), .radioPower, .ok, "on"),
        .init("on, whatever rfkill says", facts(radio: .blocked), .radioPower, .ok, "on"),
        .init("off", facts(settings(), [adapter(on: false)]), .radioPower, .note, "when it needs it"),
        .init(
            "off by rfkill", facts(settings(), [adapter(on: false)], radio: .blocked), .radioPower, .failed,
            "rfkill", fix: "rfkill unblock bluetooth"),
        .init(
            "off by a switch", facts(settings(), [adapter(on: false)], radio: .blockedByHardware),
            .radioPower,
            .failed, "airplane mode"),
        .init("low energy", facts(), .lowEnergy, .ok, "low energy only"),
        .init(
            "classic", facts(settings(), [adapter { $0.mode = .classic }]), .lowEnergy, .failed, "classic",
            fix: "doctor --fix"),
        .init(
            "3.0", facts(settings(), [adapter { $0.hciVersion = 5 }]), .lowEnergy, .failed, "too old"),
        .init(
            "Q116 4.0", facts(settings(), [adapter { $0.hciVersion = 6 }]), .lowEnergy, .warning,
            "older than Bluetooth 4.2"),
        .init("4.2", facts(settings(), [adapter { $0.hciVersion = 8 }]), .lowEnergy, .ok, "low energy"),
        .init(
            "nothing is said",
            facts(
                settings(),
                [
                    adapter(room: nil) {
                        ($0.hciVersion, $0.mode) = (nil, nil)
                    }
                ]), .lowEnergy, .skipped, "does not report its Bluetooth version"),
        .init("Q85 room", tried(.inUse), .advertising, .ok, "room for 5"),
        .init("Q239 tried", tried(.succeeded), .advertising, .ok, "bluetoothd accepted a test advertisement"),
        .init(
            "Q239 refused though there is room", tried(.failed(RadioFault(.registrationRefused, refusal))),
            .advertising, .failed, "org.bluez.Error.Failed: Failed to register advertisement",
            fix: "systemctl restart bluetooth"),
        .init(
            "Q239 refused at a lane", tried(.failedAtLane(advice: "bluetoothd refuses")), .advertising,
            .failed,
            "bluetoothd refuses"),
        .init(
            "Q85 no room", facts(settings(), [adapter(room: .init(active: 5, free: 0))]), .advertising,
            .failed,
            "use all of the adapter's 5", fix: "restart bluetooth"),
        .init(
            "no advertising", facts(settings(), [adapter(room: nil)]), .advertising, .failed,
            "cannot advertise"),
        .init(
            "the one that can advertise counts", facts(settings(), [adapter(room: nil), adapter()]),
            .advertising, .note, "room for 5"),
        .init("no fault", facts(), .firmware, .ok, "no faults"),
        .init(
            "Q109 without firmware",
            facts(
                settings(),
                [
                    adapter {
                        $0.usb = USBIdentity(vendor: 0x0bda, product: 0x8771)
                        ($0.subversion, $0.revision) = (0x8761, 0x000b)
                    }
                ]), .firmware, .failed, "without its firmware", fix: "firmware-realtek"),
        .init(
            "Q109 known for it",
            facts(settings(), [adapter { $0.usb = USBIdentity(vendor: 0x0bda, product: 0x8771) }]), .firmware,
            .note, "do not load this adapter's firmware"),
    ]

    static let settings: [CheckExpectation<BluetoothFacts>] = [
        .init(
            "as needed", facts(), .bluetoothSettings, .ok,
            "the settings of bluetoothd 5.78 are right for phones"),
        .init(
            "Q100 5.66 needs more than 5.69",
            facts(settings(good.replacing("\nChannels=1\nExchangeMTU=512", with: ""), BlueZVersion(5, 66))),
            .bluetoothSettings, .warning, "lacks Channels=1, ExchangeMTU=512",
            fix: "countersign doctor --fix && systemctl daemon-reload && systemctl restart bluetooth"),
        .init(
            "Q100 5.69 does without",
            facts(settings(good.replacing("\nChannels=1\nExchangeMTU=512", with: ""), BlueZVersion(5, 69))),
            .bluetoothSettings, .ok, "5.69"),
        .init(
            "Q101 5.67 has another default",
            facts(settings(good.replacing("\nChannels=1", with: ""), BlueZVersion(5, 67))),
            .bluetoothSettings,
            .ok, "5.67"),
        .init(
            "Q101 5.66 has not",
            facts(settings(good.replacing("\nChannels=1", with: ""), BlueZVersion(5, 66))),
            .bluetoothSettings, .warning, "lacks Channels=1", fix: "--fix"),
        .init(
            "Q90 before 5.78",
            facts(settings(good.replacing("MaxAdvertisementInterval=80\n", with: ""), BlueZVersion(5, 77))),
            .bluetoothSettings, .warning, "MaxAdvertisementInterval=80", fix: "--fix"),
        .init(
            "Q90 from 5.78 on", facts(settings(good.replacing("MaxAdvertisementInterval=80\n", with: ""))),
            .bluetoothSettings, .ok, "5.78"),
        .init(
            "a line that cannot be read", facts(settings("nonsense")), .bluetoothSettings, .warning,
            "line 1 of /etc/bluetooth/main.conf", fix: "--fix"),
        .init(
            "not read again", facts(settings(changed: true)), .bluetoothSettings, .warning,
            "was changed after",
            fix: "systemctl restart bluetooth"),
        .init("out of sight", facts(unknown), .bluetoothSettings, .note, "as root"),
        .init("plugins left out", facts(), .plugins, .ok, "no plugin reads"),
        .init(
            "Q95 plugins that pair", facts(settings(plugins: [])), .plugins, .note, "L2CAP", fix: "--fix"),
        .init(
            "Q94 the battery plugin",
            facts(settings(good.replacing("ReverseServiceDiscovery=false\n", with: ""), plugins: [])),
            .plugins,
            .warning, "battery", fix: "--fix"),
        .init(
            "Q94 the battery plugin is left out instead",
            facts(
                settings(good.replacing("ReverseServiceDiscovery=false\n", with: ""), plugins: Self.plugins)),
            .plugins, .ok, "no plugin reads from phones"),
        .init(
            "room for small values", room(4_194_304, onBus: true), .smallValues, .ok, "thousands"),
        .init(
            "a small socket", room(4_194_303, onBus: true), .smallValues, .note, "lose parts",
            fix: "--fix && systemctl reload dbus && sysctl --load"),
        .init("a small bus", room(4_194_304, onBus: false), .smallValues, .note, "lose parts", fix: "--fix"),
        .init("a kernel that does not tell", facts(), .smallValues, .skipped, "does not report"),
        .init("plugins out of sight", facts(unknown), .plugins, .skipped, "cannot be read"),
    ]

    @Test("Q117 bluetoothd answers, is missing, hangs or refuses", arguments: daemon)
    func daemonIsJudged(_ expected: CheckExpectation<BluetoothFacts>) throws {
        try expected.expect(expected.facts.checks, of: BluetoothFacts.checks)
    }

    @Test(
        "Q109 doctor reports the adapter that is used and whether the adapter has the needed capabilities",
        arguments: adapters)
    func adaptersAreJudged(_ expected: CheckExpectation<BluetoothFacts>) throws {
        try expected.expect(expected.facts.checks, of: BluetoothFacts.checks)
    }

    @Test("Q94 Settings by the version of bluetoothd, and plugins", arguments: settings)
    func settingsAreJudged(_ expected: CheckExpectation<BluetoothFacts>) throws {
        try expected.expect(expected.facts.checks, of: BluetoothFacts.checks)
    }

    @Test(
        "The settings that are written are as every version needs them", arguments: [55, 66, 68, 73, 78, 90])
    func written(_ minor: UInt8) throws {
        let text = String(decoding: SettingsFile.bluetooth[0].contents, as: UTF8.self)
        let checks = Self.facts(Self.settings(text, BlueZVersion(5, minor))).checks
        #expect(checks.first { $0.id == .bluetoothSettings }?.outcome == .ok)
    }

    @Test("The settings that are written for small values give the room that is checked for")
    func writtenRoom() async throws {
        let root = try FakeSystem()
        func hasRoom() async -> Bool { await BluetoothFacts.current(in: root.system).hasBusRoom }
        try root.write("/etc/dbus-1/system.d/bluetooth.conf", "<busconfig/>")
        #expect(await !hasRoom())
        let bus = SettingsFile.smallValues[0]
        try root.write(bus.path, String(decoding: bus.contents, as: UTF8.self))
        #expect(await hasRoom())
        let sysctl = String(decoding: SettingsFile.smallValues[1].contents, as: UTF8.self)
        #expect(sysctl.hasSuffix("\nnet.core.rmem_default = 4194304\n"))
    }

    @Test("rfkill is read for Bluetooth alone")
    func radioSwitch() async throws {
        let root = try FakeSystem()
        func radio() async -> BluetoothFacts.RadioSwitch {
            await BluetoothFacts.current(in: root.system).radioSwitch
        }
        let folder = "/sys/class/rfkill"
        for (name, text) in [("type", "wlan"), ("soft", "1"), ("hard", "1")] {
            try root.write("\(folder)/rfkill0/\(name)", "\(text)\n")
        }
        #expect(await radio() == .on)
        for (name, text) in [("type", "bluetooth"), ("soft", "1"), ("hard", "0")] {
            try root.write("\(folder)/rfkill1/\(name)", "\(text)\n")
        }
        #expect(await radio() == .blocked)
        try root.write("\(folder)/rfkill1/hard", "1\n")
        #expect(await radio() == .blockedByHardware)
    }

    @Test(
        "Q239 bluetoothd's words are made safe and bounded, and a support bundle has its error's name alone")
    func hostileWords() throws {
        let words = "\u{1b}[2J\u{202e}" + String(repeating: "x", count: 10_000)
        let refusal = PeerRefusal(
            call: "RegisterAdvertisement", name: "org.bluez.Error.Failed", message: words)
        let facts = Self.tried(.failed(RadioFault(.registrationRefused, refusal)))
        let check = try #require(facts.checks.first { $0.id == .advertising })
        #expect(check.detail.full.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202e}" })
        #expect(check.detail.full.count < 600 && check.detail.full.contains("xxxx"))
        #expect(check.detail.shared == "RegisterAdvertisement: org.bluez.Error.Failed")
    }
}
