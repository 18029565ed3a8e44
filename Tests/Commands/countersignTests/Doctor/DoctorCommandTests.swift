import CommandBench
import Foundation
import Glibc
import PCSCBench
import Testing
import VectorFiles

@testable import Doctor
@testable import countersign

/// The built command, on a computer that is made up as far as files go.
@Suite("countersign doctor")
struct DoctorCommandTests {
    private static let noBus = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
    /// Those of a hub are not among them.
    private static let checkCount = DoctorCheck.ID.allCases.count { !$0.rawValue.hasPrefix("hub.") }
    let root: FakeSystem

    init() throws {
        root = try FakeSystem()
    }

    private var environment: [String: String] {
        Self.noBus.merging(["COUNTERSIGN_SYSTEM_FOLDER": root.path]) { _, folder in folder }
    }

    private func doctor(_ arguments: String...) async throws -> CommandRun {
        try await execute(
            ["doctor", "--store", root.folder.path("var/store")] + arguments, environment: environment)
    }

    private func checks(_ run: CommandRun) throws -> [String: [String: Any]] {
        let checks = try #require(run.json()["checks"] as? [[String: Any]])
        return Dictionary(uniqueKeysWithValues: checks.map { ($0["id"] as? String ?? "", $0) })
    }

    @Test("JSON has every check once, with the members that are documented, and exit code 2 where one failed")
    func json() async throws {
        let run = try await doctor("--json")
        #expect(run.status == 2 && run.errors.isEmpty)
        let checks = try checks(run)
        #expect(
            Set(checks.keys) == [
                "pcsc.service", "pcsc.access", "reader.kernelModules", "reader.found", "reader.slot",
                "reader.apdus", "reader.escape", "reader.secondEdition", "bluetooth.daemon",
                "bluetooth.adapter", "bluetooth.power",
                "bluetooth.lowEnergy", "bluetooth.advertising", "bluetooth.firmware", "bluetooth.settings",
                "bluetooth.plugins", "bluetooth.smallValues", "usb.power", "clock.set", "clock.synchronised",
                "trust.roots", "trust.age", "trust.testDocuments", "identity.present", "identity.profile",
                "identity.expiry",
                "store.permissions", "store.space", "system.coreDumps", "screen.fonts",
                "accessories.program", "accessories.devices", "accessories.rights",
                "accessories.scannerModes", "accessories.modemManager", "accessories.brltty",
                "accessories.secrets", "accessories.states",
            ])
        for check in checks.values {
            #expect(Set(check.keys) == ["id", "outcome", "detail", "fix"])
            #expect(DoctorCheck.Status(rawValue: check["outcome"] as? String ?? "") != nil)
            #expect(check["detail"] is String && (check["fix"] is String || check["fix"] is NSNull))
        }
        #expect(checks["bluetooth.daemon"]?["outcome"] as? String == "failed")
        #expect(checks["bluetooth.daemon"]?["fix"] as? String == "apt-get install dbus bluez")
        #expect(checks["trust.roots"]?["fix"] as? String == "countersign trust import FILE…")
    }

    @Test("Without the store, the checks are those of the computer; the twin: no other check is left out")
    func withoutStore() async throws {
        let all = try Set(checks(await doctor("--json")).keys)
        let ofComputer = try Set(checks(await doctor("--json", "--without-store")).keys)
        #expect(
            all.subtracting(ofComputer) == [
                "trust.roots", "trust.age", "trust.testDocuments", "identity.present", "identity.profile",
                "identity.expiry", "store.permissions",
            ])
        #expect(ofComputer.isSubset(of: all) && ofComputer.contains("pcsc.service"))
    }

    @Test(
        "A reader that the kernel may put to sleep is noted, with what keeps it awake; one that stays awake is not"
    )
    func power() async throws {
        func power() async throws -> [String: Any] {
            try #require(try checks(await doctor("--json"))["usb.power"])
        }
        #expect(try await power()["outcome"] as? String == "skipped")
        try root.plugIn("1-2", "072f", "223b")
        #expect(try await power()["outcome"] as? String == "ok")
        try root.plugIn("1-3", "04e6", "5591", power: "auto")
        let noted = try await power()
        #expect(noted["outcome"] as? String == "note")
        #expect((noted["detail"] as? String)?.contains("04e6:5591") == true)
        #expect((noted["fix"] as? String)?.hasPrefix("countersign doctor --fix") == true)
    }

    @Test("The screen has a line for every check that was made, without colours in a file")
    func screen() async throws {
        let run = try await doctor()
        #expect(run.status == 2 && run.errors.isEmpty)
        #expect(run.output.contains("failed   trust.roots"))
        #expect(run.output.contains("\(Self.checkCount) checks: "))
        #expect(!run.output.contains("\u{1b}"))
        #expect(run.output.split(separator: "\n").count <= 40)
    }

    @Test(
        "Root is told how to look with the daemon's eyes, where there is a daemon",
        .enabled(if: geteuid() == 0, "not root"))
    func daemonStore() async throws {
        let words = "runuser -u countersign -- countersign doctor --store /var/lib/countersign"
        #expect(try await !doctor().errors.contains("runuser"))
        try root.write("/var/lib/countersign/countersign.sqlite", "")
        #expect(try await doctor().errors.contains(words))
        #expect(try await doctor("--json").errors.isEmpty)
    }

    @Test(
        "Wrong usage", arguments: [["--yes"], ["--fix", "--json"], ["--support-bundle", "/nonexistent/x"]])
    func usage(_ arguments: [String]) async throws {
        #expect(try await execute(["doctor"] + arguments, environment: Self.noBus).status == 64)
    }

    @Test("Q124 --fix writes what a check misses after it has shown it, and restarts nothing")
    func fix() async throws {
        let file = "/etc/modprobe.d/countersign-nfc.conf"
        try root.write("/proc/modules", "pn533 61440 0 - Live 0x0\n")
        let asked = try await doctor("--fix")
        #expect(asked.status == 64 && asked.errors.contains("--yes to write the files without asking"))
        #expect(asked.errors.contains("+blacklist pn533_usb\n"))
        #expect(root.text(file) == nil)
        let written = try await doctor("--fix", "--yes")
        #expect(written.status == 2, "\(written.errors)")
        #expect(written.errors.contains("\(file) is new: it keeps the kernel's NFC drivers off"))
        #expect(
            written.errors.contains(
                "Nothing was restarted. To put the settings into effect, run:\n  modprobe -r pn533_usb"))
        #expect(root.text(file) == String(decoding: SettingsFile.kernelModules.contents, as: UTF8.self))
        #expect(try mode(of: root.path + file) == 0o644)
        #expect(try await doctor("--fix", "--yes").errors.contains("\(file) already has the right contents"))
    }

    @Test("--fix shows how a file that is there changes")
    func change() async throws {
        try root.write("/proc/modules", "pn533 61440 0 - Live 0x0\n")
        let file = SettingsFile.kernelModules
        let text = String(decoding: file.contents, as: UTF8.self)
        try root.write(file.path, text.replacing("blacklist nfc\n", with: "# mine\n"))
        let run = try await doctor("--fix", "--yes")
        #expect(run.errors.contains("countersign-nfc.conf changes: "))
        #expect(run.errors.contains("\n-# mine\n+blacklist nfc\n"))
        #expect(root.text(file.path) == text)
    }

    @Test("--fix writes nothing where no check asks for it, and never through a link")
    func noFix() async throws {
        let run = try await doctor("--fix", "--yes")
        #expect(run.errors == "\n--fix has nothing to write: no settings file is missing\n")
        #expect(!root.system.has("/etc"))
        try root.write("/proc/modules", "pn533 61440 0 - Live 0x0\n")
        try root.write("/target", "theirs")
        let file = root.path + SettingsFile.kernelModules.path
        try FileManager.default.createDirectory(
            atPath: root.path + "/etc/modprobe.d", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: file + ".new", withDestinationPath: root.path + "/target")
        #expect(try await doctor("--fix", "--yes").status == 64)
        #expect(root.text("/target") == "theirs")
    }

    @Test("The files that are written are those in Hardware")
    func sameFiles() throws {
        for (file, path) in [
            (SettingsFile.kernelModules, "modprobe/countersign-nfc.conf"),
            (.polkit, "polkit/50-countersign.rules"), (.readerPower, "udev/93-countersign.rules"),
            (SettingsFile.bluetooth[0], "bluetooth/main.conf"),
            (SettingsFile.bluetooth[1], "bluetooth/countersign-bluetooth.service.conf"),
            (SettingsFile.smallValues[0], "bluetooth/dbus.conf"),
            (SettingsFile.smallValues[1], "bluetooth/sysctl.conf"),
        ] {
            let there = try Data(contentsOf: VectorFiles.repository.appending(path: "Hardware/\(path)"))
            #expect(Array(there) == file.contents, "\(path)")
            #expect(String(decoding: there, as: UTF8.self).contains(file.path), "\(path) names its place")
        }
    }

    @Test(
        "The support bundle lists its contents, and contains nothing that identifies the owner of the computer"
    )
    func supportBundle() async throws {
        let store = try IdentityStore()
        try await store.make("alice-shop")
        try root.write("/etc/os-release", "NAME=Debian\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n")
        try root.write("/etc/hostname", "till-of-alice\n")
        try root.write("/proc/sys/kernel/core_pattern", "|/opt/alice/dumps %p\n")
        try root.plugIn("1-2", "072f", "223b")
        let file = root.folder.path("bundle.json")
        let run = try await execute(
            ["doctor", "--store", store.path, "--support-bundle", file], environment: environment)
        #expect(
            run.errors.contains("checks") && run.errors.contains("USB ids") && run.errors.contains("read it"))
        #expect(run.output.contains("alice-shop") && run.output.contains("/opt/alice/dumps"))
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let bundle = try #require(
            JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(Set(bundle.keys) == ["program", "system", "readers", "checks", "units"])
        #expect(bundle["readers"] as? [String] == ["072f:223b"])
        #expect((bundle["system"] as? [String: Any])?["distribution"] as? String == "Debian GNU/Linux 12")
        #expect((bundle["checks"] as? [Any])?.count == Self.checkCount)
        var secrets = ["alice", "till-of", "SERIAL-OF-READER", store.path, root.path, NSTemporaryDirectory()]
        secrets += [ProcessInfo.processInfo.hostName, NSUserName(), NSHomeDirectory()].filter { $0.count > 5 }
        for secret in secrets { #expect(!text.contains(secret), "\(secret)") }
        #expect(text.firstMatch(of: /[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}/) == nil)
        #expect(try mode(of: file) == 0o600)
    }

    private func mode(of file: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    }
}

@Suite(
    "countersign doctor, with a real pcscd", .serialized, .takingTurnsAtTheBench,
    .enabled(if: VirtualBench.isHere, VirtualBench.absence))
struct DoctorBenchTests {
    private func outcomes(_ arguments: String...) async throws -> [String: String] {
        let run = try await execute(
            ["doctor", "--json", "--store", "/nonexistent"] + arguments,
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"])
        let checks = try #require(run.json()["checks"] as? [[String: Any]])
        return Dictionary(
            uniqueKeysWithValues: checks.map {
                ($0["id"] as? String ?? "", "\($0["outcome"] ?? "") \($0["detail"] ?? "")")
            })
    }

    @Test("The virtual readers are found, and what there is to say of them is said")
    func found() async throws {
        let checks = try await outcomes()
        #expect(checks["pcsc.service"] == "ok pcscd answers")
        #expect(checks["reader.found"] == "ok Virtual PCD 00 00, Virtual PCD 00 01")
        #expect(checks["reader.slot"]?.hasPrefix("ok Virtual PCD 00 00") == true)
        #expect(checks["reader.apdus"] == "ok extended APDUs")
        #expect(checks["reader.escape"]?.hasPrefix("note ") == true)
        #expect(
            checks["reader.secondEdition"]?.hasSuffix(
                "the reader has extended APDUs, so NFC v2 needs one command")
                == true)
        #expect(
            try await outcomes("--reader", "00 01")["reader.slot"]?.hasPrefix("ok Virtual PCD 00 01") == true)
        #expect(try await outcomes("--reader", "absent")["reader.slot"]?.hasPrefix("failed ") == true)
    }

    @Test("Q130 A pcscd that hangs is named, and holds nothing else up")
    func hanging() async throws {
        try await VirtualBench.pcscd("pause")
        let start = ContinuousClock.now
        let checks = try await outcomes()
        let time = ContinuousClock.now - start
        try await VirtualBench.pcscd("resume")
        #expect(checks["pcsc.service"] == "failed timedOut: pcscd does not answer")
        #expect(checks["reader.kernelModules"]?.hasPrefix("ok ") == true)
        #expect(checks["store.space"]?.hasPrefix("skipped") == false)
        #expect(time < .seconds(60))
        #expect(try await outcomes()["pcsc.service"] == "ok pcscd answers")
    }

    @Test("Q134 A pcscd that does not run is named, with what starts it")
    func stopped() async throws {
        try await VirtualBench.pcscd("stop")
        let checks = try await outcomes()
        try await VirtualBench.pcscd("start")
        #expect(checks["pcsc.service"] == "failed pcscd does not run")
        #expect(checks["reader.found"]?.hasPrefix("skipped") == true)
    }
}
