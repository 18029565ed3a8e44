import BlueZBench
import BlueZTransport
import CommandBench
import Foundation
import JSON
import PCSCBench
import Testing
import Transport
import VectorFiles

@testable import countersign

@Suite("readers, without Bluetooth")
struct NoBluetoothTests {
    private static let noBus = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]

    @Test("No message bus: exit code 69 for Bluetooth alone, and what to do", arguments: [[], ["--json"]])
    func noBus(_ options: [String]) async throws {
        let run = try await execute(["readers", "--bluetooth"] + options, environment: Self.noBus)
        #expect(run.status == 69)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("the system message bus does not run"))
        let silent = try await execute(
            ["readers", "--bluetooth", "--quiet"] + options, environment: Self.noBus)
        #expect(silent.status == 69)
        #expect(silent.everything.isEmpty)
    }

    @Test("Beside the readers it is one line, and no failure; JSON has the readers alone", .atTheReaders)
    func besideReaders() async throws {
        let run = try await execute(["readers"], environment: Self.noBus)
        #expect(run.status == 0)
        #expect(
            run.output.hasSuffix(
                "\nBluetooth: the system message bus does not run: start it (systemctl start dbus)\n"))
        let json = try await execute(["readers", "--json"], environment: Self.noBus)
        #expect(json.status == 0)
        #expect(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) is [[String: Any]])
        let contactless = try await execute(["readers", "--contactless"], environment: Self.noBus)
        #expect(!contactless.output.contains("Bluetooth"))
    }

    @Test("Contactless readers alone and Bluetooth alone exclude each other")
    func both() async throws {
        #expect(try await execute(["readers", "--bluetooth", "--contactless"]).status == 64)
    }
}

extension Trait where Self == ConditionTrait {
    fileprivate static var atTheReaders: Self { .enabled(if: VirtualBench.isHere, VirtualBench.absence) }
}

/// What `readers` says of settings and adapters that are made up.
@Suite("readers, of Bluetooth as text and as JSON")
struct BluetoothTextTests {
    private func description(
        _ text: String, advertising: AdapterDescription.Advertising? = nil,
        _ change: (inout AdapterDescription.Controller) -> Void = { _ in }
    ) throws -> BluetoothDescription {
        var controller = AdapterDescription.Controller()
        change(&controller)
        let settings = BluetoothDaemonSettings(
            version: BlueZVersion(5, 66), file: "/etc/bluetooth/main.conf",
            configuration: .read(try MainConfiguration(parsing: Array(text.utf8))))
        let adapter = AdapterDescription(
            name: "hci0", isPowered: true, isPairable: false, advertising: advertising, controller: controller
        )
        return BluetoothDescription(daemon: settings, adapters: [adapter])
    }

    @Test("Each finding is a line of warning with its line of settings, and a place that says more")
    func warnings() throws {
        let lines = try description("[GATT]\nCache=no").text.split(separator: "\n")
        #expect(lines[0] == "Bluetooth: bluetoothd 5.66, settings from /etc/bluetooth/main.conf")
        let warnings = lines.filter { $0.hasPrefix("  warning: ") }
        #expect(warnings.count == 7)
        #expect(warnings.contains { $0.hasPrefix("  warning: [General] ControllerMode = le is not set: ") })
        #expect(!warnings.contains { $0.contains("Cache") })
        #expect(lines.contains("  what to do: see Hardware/bluetooth/README.md"))
    }

    @Test("Where nothing is to be done, no warning is given")
    func noWarnings() throws {
        let text = """
            [General]\nControllerMode=le\nReverseServiceDiscovery=false\n[LE]\nMinConnectionInterval=12
            ConnectionSupervisionTimeout=400\nMaxAdvertisementInterval=80\n[GATT]\nCache=no\nChannels=1\nExchangeMTU=512
            """
        let description = try description(text)
        #expect(!description.text.contains("warning"))
        #expect(!description.text.contains("what to do"))
        #expect(try warnings(description).isEmpty)
    }

    private func object(_ description: BluetoothDescription) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(description.json.text.utf8))
        return try #require(value as? [String: Any])
    }

    private func warnings(_ description: BluetoothDescription) throws -> [[String: Any]] {
        let daemon = try #require(try object(description)["daemon"] as? [String: Any])
        return try #require(daemon["warnings"] as? [[String: Any]])
    }

    @Test("JSON has the members that are documented, and no others")
    func shape() throws {
        let object = try object(description(""))
        #expect(Set(object.keys) == ["daemon", "adapters"])
        let daemon = try #require(object["daemon"] as? [String: Any])
        #expect(
            Set(daemon.keys) == ["version", "configurationFile", "disabledPlugins", "warnings", "notes"])
        #expect(daemon["version"] as? String == "5.66")
        #expect(
            daemon["notes"] as? [String] == [
                "bluetooth.drops_writes_when_slow", "bluetooth.pairs_over_l2cap",
            ])
        let warnings = try #require(daemon["warnings"] as? [[String: Any]])
        #expect(warnings.compactMap { $0["id"] as? String } == DaemonRequirement.ID.allCases.map(\.rawValue))
        #expect(warnings.allSatisfy { Set($0.keys) == ["id", "detail"] })
        let adapter = try #require((object["adapters"] as? [[String: Any]])?.first)
        #expect(
            Set(adapter.keys) == [
                "name", "powered", "pairable", "mode", "advertisementsActive", "advertisementsFree",
                "bluetoothVersion", "manufacturer", "firmware", "usb", "quirks",
            ])
        for unknown in ["mode", "advertisementsFree", "bluetoothVersion", "manufacturer", "firmware", "usb"] {
            #expect(adapter[unknown] is NSNull, "\(unknown)")
        }
    }

    @Test("A known fault of an adapter is reported, with what to do; one without stays unmentioned")
    func quirks() throws {
        let quirky = try description("", advertising: .init(active: 1, free: 4)) {
            $0.usb = USBIdentity(vendor: 0x0bda, product: 0x8771)
            ($0.subversion, $0.revision) = (0x8761, 0x000b)
        }
        #expect(quirky.text.contains("usb: 0bda:8771 Realtek RTL8761B\n"))
        #expect(
            quirky.text.contains("  note: bluetooth.firmware_missing: this adapter runs without its firmware")
        )
        #expect(quirky.text.contains("  advertisements: 1 active, 4 free\n"))
        let adapter = try #require((try object(quirky)["adapters"] as? [[String: Any]])?.first)
        #expect(
            adapter["quirks"] as? [String] == [
                "bluetooth.deaf_without_firmware", "bluetooth.firmware_missing",
            ])
        let onBoard = try description("") { ($0.manufacturer, $0.isSerial) = (15, true) }
        let radio = try #require((try object(onBoard)["adapters"] as? [[String: Any]])?.first)
        #expect(radio["quirks"] as? [String] == ["bluetooth.drops_phones_early"])
        let plain = try description("").text
        #expect(!plain.contains("irmware"))
        #expect(plain.contains("  advertisements: none possible"))
    }
}

@Suite(
    "readers, with a real bluetoothd", .serialized, .enabled(if: AirBench.isHere, AirBench.absence))
struct BluetoothReadersTests {
    /// Where `with-bluez` keeps the settings that `bluezd-control` starts bluetoothd with.
    private static let file = URL(filePath: "/run/bluetooth-main.conf")

    private func warnings(_ run: CommandRun) throws -> Set<String> {
        let daemon = try #require(try run.json()["daemon"] as? [String: Any], "\(run.errors)")
        let warnings = try #require(daemon["warnings"] as? [[String: Any]])
        return Set(warnings.compactMap { $0["id"] as? String })
    }

    private func bluetooth(_ options: String...) async throws -> CommandRun {
        try await execute(["readers", "--bluetooth"] + options)
    }

    @Test("With the settings that are shipped there is nothing to warn of, and the adapter is shown")
    func shipped() async throws {
        try await withSettings(nil) {
            let run = try await bluetooth("--json")
            #expect(run.status == 0, "\(run.errors)")
            #expect(try warnings(run) == [])
            let adapters = try #require(try run.json()["adapters"] as? [[String: Any]])
            #expect(adapters.compactMap { $0["name"] as? String } == ["hci0"])
            #expect(adapters.first?["mode"] as? String == "lowEnergy")
            let text = try await bluetooth()
            #expect(text.output.hasPrefix("Bluetooth: bluetoothd 5."))
            #expect(text.output.contains("\nhci0\n  on, "))
            #expect(!text.output.contains("warning"))
        }
    }

    @Test("With Debian's defaults each setting that is missing is warned of, and nothing fails")
    func defaults() async throws {
        try await withSettings("# nothing is set\n") {
            let run = try await bluetooth("--json")
            #expect(run.status == 0, "\(run.errors)")
            #expect(
                try warnings(run).isSuperset(of: [
                    "bluetooth.controller_mode", "bluetooth.reverse_service_discovery",
                    "bluetooth.attribute_cache", "bluetooth.supervision_timeout",
                ]))
            let text = try await bluetooth()
            #expect(text.output.contains("  warning: [GATT] Cache = no is not set: "))
            #expect(text.output.contains("  what to do: see Hardware/bluetooth/README.md\n"))
        }
    }

    @Test(
        "doctor agrees: nothing is to be done with the settings that are shipped, and without them it says how"
    )
    func doctor() async throws {
        func checks() async throws -> [String: [String: Any]] {
            let run = try await execute(["doctor", "--json", "--store", "/nonexistent"])
            let checks = try #require(run.json()["checks"] as? [[String: Any]], "\(run.errors)")
            return Dictionary(uniqueKeysWithValues: checks.map { ($0["id"] as? String ?? "", $0) })
        }
        try await withSettings(nil) {
            let checks = try await checks()
            for id in ["adapter", "power", "lowEnergy", "advertising", "settings"] {
                let check = checks["bluetooth.\(id)"]
                #expect(check?["outcome"] as? String == "ok", "\(id): \(check?["detail"] ?? "")")
            }
        }
        try await withSettings("# nothing is set\n") {
            let check = try await checks()["bluetooth.settings"]
            #expect(check?["outcome"] as? String == "warning")
            #expect((check?["fix"] as? String)?.hasPrefix("countersign doctor --fix && ") == true)
        }
        try await AirBench.control(.kill)
        let silent = try await checks()["bluetooth.daemon"]
        try await AirBench.control(.start)
        #expect(silent?["detail"] as? String == "bluetoothd does not run")
    }

    @Test(
        "Q94 Q100 With Debian's defaults request says what is missing, with the cure, before it asks; with ours it does not"
    )
    func request() async throws {
        func request() async throws -> CommandRun {
            try await execute([
                "request", "--age-over", "21", "--transport", "ble", "--reader", "none", "--trust", "/tmp",
            ])
        }
        try await withSettings("# nothing is set\n") {
            #expect(await BlueZRadio().settingsFault() == .settingsMissing)
            let run = try await request()
            #expect(run.errors.contains("which then asks its owner to pair"))
            #expect(run.errors.contains("countersign doctor --fix"))
        }
        try await withSettings(nil) {
            #expect(await BlueZRadio().settingsFault() == nil)
            let run = try await request()
            #expect(!run.errors.contains("doctor --fix"))
        }
    }

    @Test("A change that bluetoothd has not read yet is not taken for its settings")
    func changed() async throws {
        try await withSettings(nil) {
            let before = try Data(contentsOf: Self.file)
            try before.write(to: Self.file)
            try FileManager.default.setAttributes(
                [.modificationDate: Date.now + 60], ofItemAtPath: Self.file.path)
            #expect(try warnings(await bluetooth("--json")) == ["bluetooth.configuration_changed"])
        }
    }

    @Test(
        "Q119 A missing bluetoothd is reported: as a failure if only Bluetooth is used, else as one line beside the readers"
    )
    func noDaemon() async throws {
        try await AirBench.control(.kill)
        let run = try await bluetooth()
        let beside = VirtualBench.isHere ? try await execute(["readers"]) : nil
        try await AirBench.control(.start)
        #expect(run.status == 69)
        #expect(run.errors.contains("bluetoothd does not run"))
        if let beside {
            #expect(beside.status == 0)
            #expect(beside.output.contains("\nBluetooth: bluetoothd does not run"))
        }
    }

    @Test("Without an adapter bluetoothd is shown, and the exit code is 69")
    func noAdapter() async throws {
        try await AirBench.control(.adapterOut)
        let run = try await bluetooth()
        try await AirBench.control(.adapterIn)
        try await AirBench.control(.restart)
        #expect(run.status == 69)
        #expect(run.output.hasPrefix("Bluetooth: bluetoothd"))
        #expect(run.errors.contains("no Bluetooth adapter"))
    }

    /// Runs `body` with a bluetoothd that has read these settings, or those that are shipped, and puts the bench back.
    private func withSettings(_ text: String?, _ body: () async throws -> Void) async throws {
        let before = try? Data(contentsOf: Self.file)
        let shipped = VectorFiles.repository.appending(path: "Hardware/bluetooth/main.conf")
        try (text.map { Data($0.utf8) } ?? Data(contentsOf: shipped)).write(to: Self.file)
        let result: Result<Void, any Error>
        do {
            try await AirBench.control(.restart)
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        if let before {
            try before.write(to: Self.file)
        } else {
            try FileManager.default.removeItem(at: Self.file)
        }
        try await AirBench.control(.restart)
        try result.get()
    }
}
