import Foundation
import Testing
import VectorFiles

@testable import BlueZTransport

@Suite("Settings of bluetoothd")
struct DaemonSettingsTests {
    /// Versions at both sides of every change, with the oldest and newest looked at.
    static let versions: [BlueZVersion?] =
        [nil] + [55, 56, 66, 67, 68, 69, 73, 74, 77, 78, 87].map { BlueZVersion(5, $0) }

    /// Nothing that any version needs is missing.
    private static let complete = """
        [General]
        ControllerMode = le
        ReverseServiceDiscovery = false
        [LE]
        MaxAdvertisementInterval = 80
        MinConnectionInterval = 12
        ConnectionSupervisionTimeout = 400
        [GATT]
        Cache = no
        Channels = 1
        ExchangeMTU = 512
        """

    private func settings(
        _ text: String, without plugins: Set<String> = []
    ) throws -> BluetoothDaemonSettings {
        BluetoothDaemonSettings(
            version: BlueZVersion(5, 66), file: "/etc/bluetooth/main.conf",
            configuration: .read(try MainConfiguration(parsing: Array(text.utf8))), disabledPlugins: plugins)
    }

    private func findings(_ text: String, _ minor: UInt8) throws -> Set<String> {
        Set(try settings(text).findings(version: BlueZVersion(5, minor)).map(\.id))
    }

    /// The findings when one line is another.
    private func findings(_ line: String, becomes other: String, _ minor: UInt8 = 66) throws -> Set<String> {
        try #require(Self.complete.contains(line))
        return try findings(Self.complete.replacing(line, with: other), minor)
    }

    @Test("The settings that are shipped leave no version anything to wish for", arguments: versions)
    func shipped(_ version: BlueZVersion?) throws {
        let file = VectorFiles.repository.appending(path: "Hardware/bluetooth/main.conf")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(try settings(text).findings(version: version).map(\.id) == [])
    }

    @Test("The unit that is shipped names the file, and leaves out what may start pairing (Q95)")
    func unit() throws {
        let file = VectorFiles.repository.appending(
            path: "Hardware/bluetooth/countersign-bluetooth.service.conf")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.split(separator: "\n").last { $0.hasPrefix("ExecStart=") })
        let words = start.dropFirst("ExecStart=".count).split(separator: " ").joined(separator: "\0")
        let line = try #require(DaemonCommandLine(parsing: Array(words.utf8)))
        #expect(line.configurationFile == "/etc/countersign/bluetooth-main.conf")
        let settings = BluetoothDaemonSettings(
            version: BlueZVersion(5, 87), file: line.configurationFile, configuration: .absent,
            disabledPlugins: line.disabledPlugins)
        #expect(settings.notes.isEmpty)
    }

    @Test("Without a file every version misses what its defaults do not bring")
    func defaults() throws {
        let always: Set = [
            "bluetooth.controller_mode", "bluetooth.reverse_service_discovery", "bluetooth.attribute_cache",
            "bluetooth.connection_interval",
            "bluetooth.supervision_timeout",
        ]
        let early = always.union(["bluetooth.advertisement_interval"])
        #expect(try findings("", 66) == early.union(["bluetooth.channels", "bluetooth.exchange_mtu"]))
        #expect(try findings("", 67) == early.union(["bluetooth.exchange_mtu"]))
        #expect(try findings("", 69) == early)
        #expect(try findings("", 78) == always)
        #expect(
            BluetoothDaemonSettings(version: nil, file: "/none", configuration: .absent).findings.map(\.id)
                == DaemonRequirement.ID.allCases.map(\.rawValue))
    }

    /// What Debian installs: each key in a comment.
    private static let debian = """
        [General]
        # Default = true
        #ReverseServiceDiscovery = true
        [BR]
        [LE]
        [GATT]
        #Channels = 1
        #ExchangeMTU = 517
        [CSIS]
        [AVDTP]
        [Policy]
        #AutoEnable=true
        [AdvMon]
        """

    private func essentials(
        _ configuration: BluetoothDaemonSettings.Configuration, _ minor: UInt8
    ) -> [DaemonRequirement.ID] {
        BluetoothDaemonSettings(
            version: BlueZVersion(5, minor), file: "/etc/bluetooth/main.conf", configuration: configuration
        ).missingEssentials.map(\.id)
    }

    @Test(
        "Q94 Q100 Q101 With Debian's own settings phones are asked to pair, and answers are lost before 5.69; with ours not"
    )
    func essentials() throws {
        let debian = BluetoothDaemonSettings.Configuration.read(
            try MainConfiguration(parsing: Array(Self.debian.utf8)))
        let ours = BluetoothDaemonSettings.Configuration.read(
            try MainConfiguration(parsing: Array(Self.complete.utf8)))
        for configuration in [debian, .absent, .malformed(line: 3)] {
            #expect(essentials(configuration, 66) == [.reverseServiceDiscovery, .channels, .exchangeMTU])
            #expect(essentials(configuration, 68) == [.reverseServiceDiscovery, .exchangeMTU])
            #expect(essentials(configuration, 82) == [.reverseServiceDiscovery])
        }
        for configuration in [ours, .unknown] {
            for minor in [66, 68, 82] as [UInt8] { #expect(essentials(configuration, minor) == []) }
        }
    }

    @Test("What makes answers slow is a finding, and no reason against Bluetooth")
    func slow() throws {
        let text = Self.complete.replacing("MinConnectionInterval = 12\n", with: "")
        #expect(try settings(text).findings.map(\.id) == ["bluetooth.connection_interval"])
        #expect(try settings(text).missingEssentials.isEmpty)
    }

    @Test(
        "Q96 Anything but Bluetooth LE alone is a finding",
        arguments: ["dual", "bredr", "LE", "le ", "le # alone"])
    func controllerMode(_ value: String) throws {
        #expect(try findings("Mode = le\n", becomes: "Mode = \(value)\n") == ["bluetooth.controller_mode"])
    }

    @Test("Q94 Q105 Reverse service discovery has to be off, by one of the ways the version knows")
    func reverseServiceDiscovery() throws {
        let line = "ReverseServiceDiscovery = false\n"
        #expect(try findings(line, becomes: "ReverseServiceDiscovery = 0 \n").isEmpty)
        #expect(
            try findings(line, becomes: "ReverseServiceDiscovery = no\n") == [
                "bluetooth.reverse_service_discovery"
            ])
        #expect(try findings(line, becomes: "[GATT]\nClient = false\n[General]\n", 74).isEmpty)
        #expect(
            try findings(line, becomes: "[GATT]\nClient = false\n[General]\n", 73)
                == ["bluetooth.reverse_service_discovery"])
        let client = Self.complete.replacing(line, with: "[GATT]\nClient = false\n[General]\n")
        #expect(
            try settings(client).findings(version: nil).map(\.id) == ["bluetooth.reverse_service_discovery"])
        let text = Self.complete.replacing(line, with: "")
        #expect(try settings(text, without: ["battery"]).findings.isEmpty)
        #expect(
            try settings(text, without: ["bat"]).findings.map(\.id) == ["bluetooth.reverse_service_discovery"]
        )
    }

    @Test("Q114 Attributes of phones must not be kept", arguments: ["always", "yes", "none"])
    func cache(_ value: String) throws {
        #expect(try findings("Cache = no", becomes: "Cache = \(value)", 87) == ["bluetooth.attribute_cache"])
    }

    @Test("Q101 More than one ATT channel is a finding, the default one up to 5.66")
    func channels() throws {
        #expect(try findings("Channels = 1\n", becomes: "", 66) == ["bluetooth.channels"])
        #expect(try findings("Channels = 1\n", becomes: "", 67).isEmpty)
        #expect(try findings("Channels = 1\n", becomes: "Channels = 3\n", 87) == ["bluetooth.channels"])
    }

    @Test("Q100 Up to 5.68 phones must not be allowed to write more than 509 bytes at once")
    func exchangeMTU() throws {
        #expect(try findings("= 512", becomes: "= 513", 68).isEmpty)
        for value in ["514", "517", "600", "0", "many", "512 "] {
            #expect(
                try findings("= 512", becomes: "= \(value)", 68) == ["bluetooth.exchange_mtu"], "\(value)")
        }
        #expect(try findings("= 512", becomes: "= 517", 69).isEmpty)
    }

    @Test("Q90 Up to 5.77 a rare advertisement is a finding")
    func advertisementInterval() throws {
        #expect(try findings("= 80", becomes: "= 160", 77).isEmpty)
        #expect(try findings("= 80", becomes: "= 161", 77) == ["bluetooth.advertisement_interval"])
        #expect(try findings("= 80", becomes: "= 31", 77) == ["bluetooth.advertisement_interval"])
        #expect(try findings("= 80", becomes: "= 2048", 78).isEmpty)
    }

    @Test("Q115 A supervision timeout below 2 s or above 6 s, and a slow interval, are findings")
    func connection() throws {
        for value in ["200", "600"] { #expect(try findings("= 400", becomes: "= \(value)").isEmpty) }
        for value in ["42", "199", "601"] {
            #expect(
                try findings("= 400", becomes: "= \(value)") == ["bluetooth.supervision_timeout"], "\(value)")
        }
        #expect(try findings("= 12\n", becomes: "= 24\n") == ["bluetooth.connection_interval"])
    }

    @Test(
        "Q205 A connection interval other than 15 ms is a finding, above all a shorter one, which iOS refuses"
    )
    func connectionInterval() throws {
        #expect(try findings("= 12\n", becomes: "= 12\n").isEmpty)
        for value in ["6", "11", "13", "24"] {
            #expect(
                try findings("= 12\n", becomes: "= \(value)\n") == ["bluetooth.connection_interval"],
                "\(value)")
        }
    }

    @Test("Q103 Q95 What no settings file cures is a note: up to 5.77 lost writes, plugins that pair")
    func notes() {
        func notes(_ minor: UInt8?, _ plugins: [String]) -> Set<DaemonNote> {
            BluetoothDaemonSettings(
                version: minor.map { BlueZVersion(5, $0) }, file: nil, configuration: .unknown,
                disabledPlugins: Set(plugins)
            ).notes
        }
        let all = BluetoothDaemonSettings.pairingPlugins
        #expect(notes(77, all) == [.dropsWritesWhenSlow])
        #expect(notes(nil, all) == [.dropsWritesWhenSlow])
        #expect(notes(78, all).isEmpty)
        #expect(notes(78, all.dropLast()) == [.pairsOverL2CAP])
    }

    @Test("Settings that cannot be read, are void or came too late are never taken for good")
    func doubt() throws {
        func settings(_ configuration: BluetoothDaemonSettings.Configuration, changed: Bool = false)
            -> [String]
        {
            BluetoothDaemonSettings(
                version: BlueZVersion(5, 87), file: "/f", configuration: configuration, hasChanged: changed
            ).findings.map(\.id)
        }
        #expect(settings(.unknown) == ["bluetooth.configuration_unknown"])
        #expect(settings(.malformed(line: 3)).first == "bluetooth.configuration_malformed")
        #expect(settings(.malformed(line: 3)).contains("bluetooth.controller_mode"))
        let complete = try MainConfiguration(parsing: Array(Self.complete.utf8))
        #expect(settings(.read(complete), changed: true) == ["bluetooth.configuration_changed"])
        #expect(settings(.read(complete)).isEmpty)
    }

    @Test("bluetoothd's version is in its adapters' Modalias, unless it was told to say another")
    func version() {
        #expect(BlueZVersion(modalias: "usb:v1D6Bp0246d0542") == BlueZVersion(5, 66))
        #expect(BlueZVersion(modalias: "usb:v1D6Bp0246d0557")?.description == "5.87")
        #expect(BlueZVersion(modalias: "usb:v1D6Bp0246d0505")?.description == "5.05")
        for other in [
            "", "usb:v1D6Bp0247d0542", "usb:v1D6Bp0246d542", "usb:v1D6Bp0246d+542", "usb:v1D6Bp0246d0000",
        ] {
            #expect(BlueZVersion(modalias: other) == nil, "\(other)")
        }
    }
}
