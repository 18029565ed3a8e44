import Accessories
import AccessoryDevices
import Foundation
import Glibc
import JSON
import Testing

@testable import Doctor
@testable import countersign

@Suite("doctor, of accessories")
struct DoctorAccessoryTests {
    private typealias Facts = AccessoryFacts
    private static let line = "/dev/serial/by-id/usb-x-if00"

    private static func read(_ text: String) throws -> Accessory {
        let list = try JSONText(Array("[\(text)]".utf8)[...])
        return try #require(try AccessoryForms.read(list).first)
    }

    private static func scanner(_ form: String = #""serial": { "device": "\#(line)" }"#) throws -> Accessory {
        try read(#"{ "name": "qr-1", "lane": "gate", "in": { \#(form) } }"#)
    }

    private static func lock(isRequired: Bool = false) throws -> Accessory {
        try read(
            #"{ "name": "lock", "lane": "gate", "required": \#(isRequired), "out": { "relay": { "usbRelay": { "serial": "HURTM" } } } }"#
        )
    }

    private static func facts(
        _ accessory: Accessory, _ nodes: [Facts.Node]? = [.init(path: line, isPermitted: true)],
        _ change: (inout Facts) -> Void = { _ in }
    ) -> Facts {
        var facts = Facts()
        facts.configuration = .accessories([.init(accessory: accessory, nodes: nodes, secret: nil)])
        facts.states = [(accessory.name, .ready)]
        change(&facts)
        return facts
    }

    private func expect(
        _ name: String, _ facts: AccessoryFacts, _ id: DoctorCheck.ID, _ outcome: DoctorCheck.Status,
        _ detail: String, fix: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try CheckExpectation(name, facts, id, outcome, detail, fix: fix)
            .expect(facts.checks, of: AccessoryFacts.checks, sourceLocation: sourceLocation)
    }

    @Test(
        "Without accessories every check is skipped for one reason, and with a fault in the file the fault is named"
    )
    func none() throws {
        #expect(Set(AccessoryFacts().checks.map(\.outcome)) == [.skipped])
        #expect(Set(AccessoryFacts().checks.map(\.detail.full)).count == 1)
        var faulty = AccessoryFacts()
        faulty.configuration = .faulty
        try expect("faulty", faulty, .accessoryProgram, .failed, "has a fault", fix: "countersignd --check")
        try expect("faulty", faulty, .accessoryStates, .skipped, "cannot be read")
    }

    @Test("An accessory that is ready is ok in every check that concerns it")
    func ready() throws {
        let checks = Self.facts(try Self.scanner()).checks
        #expect(checks.allSatisfy { $0.outcome == .ok || $0.id == .accessorySecrets })
        #expect(checks.first { $0.id == .accessorySecrets }?.outcome == .skipped)
    }

    @Test("A program that does not run, or is not installed, fails with what to do")
    func program() throws {
        let scanner = try Self.scanner()
        try expect(
            "stopped", Self.facts(scanner) { $0.program = .stopped }, .accessoryProgram, .failed,
            "does not run",
            fix: "systemctl enable --now countersign-accessories")
        try expect(
            "not seen", Self.facts(scanner) { $0.program = .unknown }, .accessoryProgram, .skipped,
            "cannot be seen")
        try expect(
            "not installed", Self.facts(scanner) { $0.program = .notInstalled }, .accessoryProgram, .failed,
            "is not installed", fix: "apt-get install countersign-accessories")
    }

    @Test(
        "A device that is not there is a warning, and fails if its lane needs it; without a view nothing is said"
    )
    func devices() throws {
        let lock = try Self.lock()
        try expect(
            "absent", Self.facts(lock, []), .accessoryDevices, .warning,
            "the device of lock is not plugged in")
        try expect(
            "required", Self.facts(try Self.lock(isRequired: true), []), .accessoryDevices, .failed, "lock")
        try expect("network", Self.facts(lock, nil), .accessoryDevices, .ok, "is plugged in")
        try expect(
            "hidden", Self.facts(lock, []) { $0.seesDevices = false }, .accessoryDevices, .skipped, "as root")
    }

    @Test("A node that the program may not open is named; one node that it may open is enough")
    func rights() throws {
        let scanner = try Self.scanner()
        let (closed, open) = (
            AccessoryFacts.Node(path: "/dev/input/event1", isPermitted: false),
            AccessoryFacts.Node(path: "/dev/input/event2", isPermitted: true)
        )
        try expect(
            "closed", Self.facts(scanner, [closed]), .accessoryRights, .warning,
            "may not open /dev/input/event1 of qr-1")
        try expect(
            "one is open", Self.facts(scanner, [closed, open]), .accessoryRights, .ok, "no device is closed")
        try expect(
            "no user", Self.facts(scanner, [.init(path: "/dev/x", isPermitted: nil)]), .accessoryRights, .ok,
            "no device")
    }

    @Test(
        "A scanner in keyboard mode is named where a serial one is configured, and not where the other is in use"
    )
    func modes() throws {
        let keyboard = PluggedInDevice(
            .keyboardScanner, path: "/dev/input/event2", usb: USBIdentity("0c2e:0b61"), usbPath: "1-1")
        let scanner = try Self.scanner()
        let facts = Self.facts(scanner, []) { $0.pluggedIn = [keyboard] }
        try expect(
            "keyboard", facts, .scannerModes, .warning, "in the mode keyboard is plugged in (0c2e:0b61)")
        try expect("keyboard", facts, .scannerModes, .warning, "barcode for USB CDC")
        try expect(
            "serial", Self.facts(scanner) { $0.pluggedIn = [keyboard] }, .scannerModes, .ok,
            "no scanner is in another")
        try expect("nothing", Self.facts(scanner, []), .scannerModes, .ok, "no scanner is in another")
        var both = facts
        let other = try Self.read(
            #"{ "name": "qr-2", "lane": "gate", "in": { "keyboard": { "usb": "0c2e:0b61" } } }"#)
        both.configuration = .accessories([
            .init(accessory: scanner, nodes: [], secret: nil),
            .init(accessory: other, nodes: [.init(path: keyboard.path, isPermitted: true)], secret: nil),
        ])
        try expect("another accessory has it", both, .scannerModes, .ok, "no scanner is in another")
        try expect(
            "no scanner", Self.facts(try Self.lock()), .scannerModes, .skipped, "no scanner is configured")
    }

    @Test("ModemManager is a warning only while it runs and udev lets it open the line")
    func modemManager() throws {
        let scanner = try Self.scanner()
        func facts(runs: Bool?, _ lines: [String]) -> AccessoryFacts {
            Self.facts(scanner) {
                $0.runsModemManager = runs
                $0.unprotected = lines
            }
        }
        try expect(
            "open", facts(runs: true, [Self.line]), .modemManager, .warning, "sends commands to \(Self.line)")
        try expect("left alone", facts(runs: true, []), .modemManager, .ok, "no known scanner")
        try expect("not there", facts(runs: false, [Self.line]), .modemManager, .ok, "does not run")
        try expect("not seen", facts(runs: nil, [Self.line]), .modemManager, .skipped, "cannot be seen")
    }

    @Test("brltty is a warning only if its rules take CH340 chips and one is plugged in")
    func brltty() throws {
        let scanner = try Self.scanner()
        func facts(_ rules: String?, has: Bool) -> AccessoryFacts {
            Self.facts(scanner) {
                $0.brlttyRules = rules
                $0.hasCH340 = has
            }
        }
        try expect(
            "takes it", facts("/usr/lib/udev/rules.d/85-brltty.rules", has: true), .brltty, .warning,
            "85-brltty.rules",
            fix: "apt-get purge brltty")
        try expect(
            "no chip", facts("/usr/lib/udev/rules.d/85-brltty.rules", has: false), .brltty, .ok, "no device")
        try expect("no rules", facts(nil, has: true), .brltty, .ok, "takes no CH340")
    }

    @Test("Each fault of a file with a secret fails")
    func secrets() throws {
        let scanner = try Self.scanner()
        for (fault, outcome, detail, fix) in [
            (nil, .ok, "has a known fault", nil), (.absent, .failed, "/x.key of qr-1 does not exist", nil),
            (.open, .failed, "other users can read", "chmod 640 /x.key"),
            (.defaultKey, .failed, "default key", "openssl rand -hex 16"),
            (.malformedKey, .failed, "32 hexadecimal digits", "openssl rand -hex 16"),
        ] as [(AccessoryFacts.Secret.Fault?, DoctorCheck.Status, String, String?)] {
            var facts = AccessoryFacts()
            let secret = AccessoryFacts.Secret(path: "/x.key", fault: fault)
            facts.configuration = .accessories([.init(accessory: scanner, nodes: nil, secret: secret)])
            try expect("\(detail)", facts, .accessorySecrets, outcome, detail, fix: fix)
            let shared = facts.checks.first { $0.id == .accessorySecrets }?.detail.shared
            #expect(shared?.contains("x.key") == false && shared?.contains("qr-1") == false)
        }
    }

    @Test(
        "A state in which an accessory cannot act is named with what to do, a trial is a note",
        arguments: AccessoryState.allCases)
    func states(_ state: AccessoryState) throws {
        let facts = Self.facts(try Self.lock()) { $0.states = [("lock", state)] }
        switch state {
        case .ready: try expect("ready", facts, .accessoryStates, .ok, "every accessory is ready")
        case .trial: try expect("trial", facts, .accessoryStates, .note, "test documents")
        case .misconfigured:
            try expect("wrong", facts, .accessoryStates, .warning, "lock is misconfigured", fix: "journalctl")
        default: try expect("fault", facts, .accessoryStates, .warning, "lock is \(state.rawValue): ")
        }
        let required = Self.facts(try Self.lock(isRequired: true)) { $0.states = [("lock", state)] }
        let outcome = required.checks.first { $0.id == .accessoryStates }?.outcome
        #expect((outcome == .failed) == !state.isUsable)
    }

    @Test("Without the daemon's answer the states are unknown")
    func silent() throws {
        let facts = Self.facts(try Self.lock()) { $0.states = nil }
        try expect("silent", facts, .accessoryStates, .skipped, "the daemon does not answer")
    }
}

@Suite("doctor reads the files of accessories")
struct DoctorAccessoryFilesTests {
    private let root: FakeSystem

    init() throws { root = try FakeSystem() }

    private func configure(_ accessories: String) throws {
        try root.write(
            "/etc/countersign/countersignd.json", #"{ "lanes": [], "accessories": [\#(accessories)] }"#)
    }

    private var facts: AccessoryFacts { AccessoryFacts.current(in: root.system) }

    @Test("The accessories are those of the daemon's file; a fault in the list is no list")
    func configuration() throws {
        #expect(facts.configured.isEmpty)
        try configure(
            #"{ "name": "qr-1", "lane": "gate", "in": { "serial": { "device": "/dev/ttyACM0" } } }"#)
        #expect(facts.configured.map(\.accessory.name) == ["qr-1"] && facts.configured.first?.nodes == [])
        try root.write("/dev/ttyACM0", "")
        #expect(facts.configured.first?.nodes?.map(\.path) == ["/dev/ttyACM0"])
        try configure(#"{ "name": "qr-1" }"#)
        guard case .faulty = facts.configuration else {
            Issue.record("the list has no fault")
            return
        }
    }

    @Test("The program and ModemManager run while systemd has their control groups")
    func units() throws {
        #expect(facts.program == .notInstalled && facts.runsModemManager == nil)
        try root.write("/usr/lib/countersign-accessories/countersign-accessories", "")
        #expect(facts.program == .unknown && facts.runsModemManager == nil)
        try root.write("/sys/fs/cgroup/system.slice/cgroup.procs", "")
        #expect(facts.program == .stopped && facts.runsModemManager == false)
        try root.write("/sys/fs/cgroup/system.slice/countersign-accessories.service/cgroup.procs", "1\n")
        try root.write("/sys/fs/cgroup/system.slice/ModemManager.service/cgroup.procs", "2\n")
        #expect(facts.program == .running && facts.runsModemManager == true)
    }

    @Test("A rule of brltty counts only if it is in force")
    func brltty() throws {
        let rules = "/usr/lib/udev/rules.d/85-brltty.rules"
        let taking = "ENV{PRODUCT}==\"1a86/7523/*\", ENV{BRLTTY_BRAILLE_DRIVER}=\"bm\"\n"
        #expect(facts.brlttyRules == nil && !facts.hasCH340)
        try root.write(rules, "#\(taking)ENV{PRODUCT}==\"0403/6001/*\"\n")
        #expect(facts.brlttyRules == nil)
        try root.write(rules, taking)
        #expect(facts.brlttyRules == rules)
        try root.write("/etc/udev/rules.d/85-brltty.rules", "# without CH340\n")
        #expect(facts.brlttyRules == nil)
        try root.plugIn("1-4", "1a86", "7523", interface: "ff")
        #expect(facts.hasCH340)
    }

    @Test("A key file is judged by its mode and its contents")
    func secrets() throws {
        try configure(
            #"{ "name": "panel", "lane": "gate", "out": { "osdp": { "device": "/dev/ttyUSB0", "address": 5, "keyFile": "/etc/key", "allow": { "bits": 26, "facility": 77, "card": 21 } } } }"#
        )
        let path = root.path + "/etc/key"
        #expect(facts.configured.first?.secret == .init(path: "/etc/key", fault: .absent))
        for (contents, mode, fault) in [
            ("404142434445464748494a4b4c4d4e4f\n", 0o600, nil),
            ("404142434445464748494a4b4c4d4e4f\n", 0o640, nil),
            ("404142434445464748494a4b4c4d4e4f\n", 0o644, .open),
            ("404142434445464748494a4b4c4d4e4f\n", 0o660, .open),
            ("303132333435363738393a3b3c3d3e3f\n", 0o600, .defaultKey), ("40414243\n", 0o600, .malformedKey),
            (String(repeating: "4", count: 100), 0o600, .malformedKey),
        ] as [(String, mode_t, AccessoryFacts.Secret.Fault?)] {
            try root.write("/etc/key", contents)
            #expect(unsafe chmod(path, mode) == 0)
            #expect(facts.configured.first?.secret?.fault == fault, "\(contents) \(mode)")
        }
    }

    @Test("The rights are those of the program's user and its groups")
    func rights() throws {
        #expect(ProgramUser(in: root.system) == nil)
        try root.write(
            "/etc/passwd", "root:x:0:0::/:/bin/sh\ncountersign-accessories:x:990:991::/:/bin/false\n")
        try root.write(
            "/etc/group", "dialout:x:20:me,countersign-accessories\nplugdev:x:46:me\ncountersign:x:989:\n")
        let user = try #require(ProgramUser(in: root.system))
        #expect(user.user == 990 && user.groups == [991, 20, 989])
        try root.write("/dev/ttyACM0", "")
        let path = root.path + "/dev/ttyACM0"
        #expect(unsafe chmod(path, 0o660) == 0)
        #expect(user.mayOpen(path) == false)
        #expect(unsafe chmod(path, 0o666) == 0)
        #expect(user.mayOpen(path) == true)
        #expect(user.mayOpen("\(path)9") == nil)
    }
}
