import Foundation
import PCSCTransport
import Testing
import Transport

@testable import Doctor
@testable import countersign

/// What is said of readers and of pcscd, for facts that are made up.
@Suite("doctor, of readers")
struct DoctorReaderTests {
    private static let acr122 = USBIdentity(vendor: 0x072f, product: 0x2200)
    private static let antenna = ReaderFacts.Reader(
        name: "ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] (SN4711) 00 00", slot: .contactless,
        usb: USBIdentity(vendor: 0x072f, product: 0x223b))
    private static let securityModule = ReaderFacts.Reader(
        name: "ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM] 01 00", slot: .securityModule,
        usb: USBIdentity(vendor: 0x072f, product: 0x223b))

    private static func facts(
        _ reader: ReaderFacts.Reader = antenna, _ change: (inout ReaderFacts) -> Void = { _ in }
    ) -> ReaderFacts {
        var facts = ReaderFacts(service: .answers([reader], chosen: 0))
        change(&facts)
        return facts
    }

    private static func reader(_ change: (inout ReaderFacts.Reader) -> Void) -> ReaderFacts {
        var reader = antenna
        change(&reader)
        return facts(reader)
    }

    private static func short(_ lanes: ReaderFacts.Lanes) -> ReaderFacts {
        var facts = reader { $0.allowsExtended = false }
        facts.lanes = lanes
        return facts
    }

    private static func fails(
        _ error: PCSCTransportError, installed: Bool = true, polkit: ReaderFacts.PolkitRule = .absent
    ) -> ReaderFacts {
        ReaderFacts(service: .fails(error), isInstalled: installed, polkit: polkit)
    }

    static let service: [CheckExpectation<ReaderFacts>] = [
        .init("it answers", facts(), .service, .ok, "pcscd answers"),
        .init(
            "it is not installed", fails(.serviceNotRunning, installed: false), .service, .failed,
            "not installed", fix: "apt-get install pcscd"),
        .init(
            "it does not run", fails(.serviceNotRunning), .service, .failed, "does not run",
            fix: "pcscd.socket"),
        .init(
            "other versions", fails(.serviceIncompatible(libraryVersion: "1.9")), .service, .failed,
            "different versions", fix: "--reinstall"),
        .init(
            "too many clients", fails(.tooManyClients), .service, .failed, "no further program",
            fix: "systemctl restart pcscd"),
        .init("Q133 refused is running", fails(.accessDenied(.service)), .service, .ok, "pcscd runs"),
        .init(
            "Q133 refused", fails(.accessDenied(.service)), .access, .failed,
            "org.debian.pcsc-lite.access_pcsc", fix: "countersign doctor --fix"),
        .init(
            "Q133 refused in spite of the rule", fails(.accessDenied(.card), polkit: .present), .access,
            .failed,
            "org.debian.pcsc-lite.access_card", fix: "adduser"),
        .init("nobody is asked", facts(), .access, .ok, "every user"),
        .init("a rule is there", facts { $0.polkit = .present }, .access, .ok, "a rule"),
        .init("rules are hidden", facts { $0.polkit = .hidden }, .access, .note, "only root"),
        .init(
            "Q133 no rule, no service", facts { $0.polkit = .absent }, .access, .note,
            "will refuse a service",
            fix: "doctor --fix"),
        .init(
            "Q133 no rule for the service",
            facts {
                $0.polkit = .absent
                $0.hasServiceUser = true
            }, .access, .warning, "will refuse a service", fix: "doctor --fix"),
        .init(
            "Q130 it hangs", ReaderFacts(service: .hangs), .service, .failed, "timedOut: pcscd",
            fix: "systemctl restart pcscd"),
        .init("Q130 nothing to ask", ReaderFacts(service: .hangs), .slot, .skipped, "pcscd"),
        .init("nothing to ask", fails(.serviceNotRunning), .access, .skipped, "pcscd"),
        .init("nothing to list", fails(.serviceNotRunning), .readerFound, .skipped, "pcscd"),
    ]

    static let readers: [CheckExpectation<ReaderFacts>] = [
        .init("one", facts(), .readerFound, .ok, "ACS ACR1252 Dual Reader"),
        .init(
            "none", ReaderFacts(service: .answers([], chosen: nil)), .readerFound, .failed,
            "no reader is plugged in"),
        .init(
            "Q125 none is shown, one is plugged in",
            ReaderFacts(
                service: .answers([], chosen: nil), hindrances: [.notListed(acr122, model: "ACS ACR122U")]),
            .readerFound, .failed, "does not list ACS ACR122U", fix: "systemctl restart pcscd"),
        .init(
            "Q211 no driver lists it",
            ReaderFacts(
                service: .answers([], chosen: nil),
                hindrances: [.unknownToDrivers(acr122, model: "ACS ACR1552U")]),
            .readerFound, .failed, "older than the reader"),
        .init(
            "Q138 another kind of device",
            ReaderFacts(
                service: .answers([], chosen: nil), hindrances: [.notCCID(acr122, model: "NXP PN533")]),
            .readerFound, .failed, "it is not a CCID reader"),
        .init(
            "one works and one does not",
            facts { $0.hindrances = [.notListed(acr122, model: "ACS ACR122U")] }, .readerFound, .warning,
            "but pcscd does not list"),
        .init("no NFC drivers", facts(), .kernelModules, .ok, "not loaded"),
        .init(
            "the core of NFC alone takes no reader", facts { $0.kernelModules = ["nfc"] }, .kernelModules,
            .ok,
            "not loaded"),
        .init(
            "Q124 drivers are loaded", facts { $0.kernelModules = ["pn533", "nfc"] }, .kernelModules, .note,
            "would take", fix: "modprobe -r"),
        .init(
            "Q124 the kernel has the reader",
            ReaderFacts(
                service: .answers([], chosen: nil),
                hindrances: [.takenByKernelNFC(acr122, model: "ACS ACR122U", modules: ["pn533_usb", "nfc"])],
                kernelModules: ["pn533_usb", "nfc"]), .kernelModules, .failed,
            "the kernel's NFC drivers (pn533_usb, nfc) hold the ACS ACR122U",
            fix: "countersign doctor --fix && modprobe -r pn533_usb"),
    ]

    private static let two = ReaderFacts(service: .answers([securityModule, antenna], chosen: 1))
    private static let modules = ReaderFacts(service: .answers([securityModule], chosen: nil))
    private static let unmarked = ReaderFacts(
        service: .answers(
            [0, 1].map {
                ReaderFacts.Reader(
                    name: "SpringCard Puck 00 0\($0)", slot: .unmarked,
                    usb: USBIdentity(vendor: 0x1c34, product: 0x6132))
            }, chosen: 0))

    static let slots: [CheckExpectation<ReaderFacts>] = [
        .init("an antenna", facts(), .slot, .ok, "has an antenna"),
        .init("Q127 the antenna beside a SAM", two, .slot, .ok, "PICC] (SN4711) 00 00 has an antenna"),
        .init("Q127 a SAM alone", modules, .slot, .failed, "no reader has a slot with an antenna"),
        .init(
            "Q127 a SAM that was asked for",
            ReaderFacts(service: .answers([securityModule, antenna], chosen: nil), isSelected: true), .slot,
            .failed, "--reader names no slot with an antenna"),
        .init("Q127 names that do not say", unmarked, .slot, .note, "its 2 slots", fix: "--reader"),
        .init(
            "one slot, and a name that does not say", reader { $0.slot = .unmarked }, .slot, .ok,
            "tried first"),
        .init("no reader", ReaderFacts(service: .answers([], chosen: nil)), .slot, .skipped, "no reader"),
        .init("extended", facts(), .apdus, .ok, "extended"),
        .init("Q120 short", reader { $0.allowsExtended = false }, .apdus, .note, "short APDUs only"),
        .init("Q123 TPDUs", reader { $0.quirks = [.tpduLevel] }, .apdus, .note, "not recommended"),
        .init("no antenna", modules, .apdus, .skipped, "no reader"),
        .init("Q126 escape on", facts(), .escape, .ok, "itself are allowed"),
        .init("Q126 escape off", reader { $0.allowsEscape = false }, .escape, .note, "are not allowed"),
        .init(
            "no daemon", facts(), .secondEdition, .ok,
            "absent or cannot be read; the reader has extended APDUs"),
        .init(
            "no lane", facts { $0.lanes = .init(all: 2, version2: 0) }, .secondEdition, .ok,
            "no lane of the daemon begins a tap with NFC v2; the reader has extended"),
        .init(
            "a lane", facts { $0.lanes = .init(all: 2, version2: 1) }, .secondEdition, .ok,
            "1 of 2 lanes of the daemon begin a tap with NFC v2"),
        .init(
            "a lane, short",
            short(.init(all: 2, version2: 1)), .secondEdition, .note,
            "NFC v2 needs one command for each 255 bytes"),
        .init(
            "no lane, short", reader { $0.allowsExtended = false }, .secondEdition, .ok, "for each 255 bytes"),
        .init("no reader for it", modules, .secondEdition, .ok, "there is no reader to use NFC v2 with"),
    ]

    @Test("The lanes that begin with NFC v2 are counted in the daemon's file; one that is malformed has none")
    func lanes() throws {
        let root = try FakeSystem()
        #expect(ReaderFacts.Lanes(in: root.system) == nil)
        for (file, lanes) in [
            (#"{"lanes": []}"#, ReaderFacts.Lanes(all: 0, version2: 0)),
            (#"{"lanes": [{"name": "a"}, {"nfcV2": "off"}]}"#, .init(all: 2, version2: 0)),
            (#"{"lanes": [{"nfcV2": "auto"}, {"nfcV2": "only"}, {}]}"#, .init(all: 3, version2: 2)),
            (#"{"lanes": 1}"#, nil), (#"{"#, nil), (#"{"tokens": []}"#, nil),
        ] as [(String, ReaderFacts.Lanes?)] {
            try root.write("/etc/countersign/countersignd.json", file)
            #expect(ReaderFacts.Lanes(in: root.system) == lanes, "\(file)")
        }
    }

    @Test("Q133 doctor reports pcscd and whether the user may use it", arguments: service)
    func serviceIsJudged(_ expected: CheckExpectation<ReaderFacts>) throws {
        try expected.expect(expected.facts.checks, of: ReaderFacts.checks)
    }

    @Test("Q124 Readers that are found, hidden, and held by others", arguments: readers)
    func readersAreJudged(_ expected: CheckExpectation<ReaderFacts>) throws {
        try expected.expect(expected.facts.checks, of: ReaderFacts.checks)
    }

    @Test(
        "Q127 doctor reports a reader's slots, its APDU lengths and whether commands reach the reader itself",
        arguments: slots)
    func slotsAreJudged(_ expected: CheckExpectation<ReaderFacts>) throws {
        try expected.expect(expected.facts.checks, of: ReaderFacts.checks)
    }

    @Test("Serial numbers of readers are shown here and reported to nobody")
    func serialNumber() {
        let texts = Self.facts().checks.map(\.detail)
        #expect(texts.contains { $0.full.contains("SN4711") })
        #expect(!texts.contains { $0.shared.contains("SN4711") })
        #expect(texts.contains { $0.shared.contains("[ACR1252 Dual Reader PICC] 00 00") })
    }

    @Test(
        "What stands in round brackets goes, whatever is in it",
        arguments: [
            ("A (1) 00 00", "A 00 00"), ("A (1(2)3) 00", "A 00"), ("A (1", "A"), ("A 1) 00", "A 1) 00"),
            ("", ""), ("(1)", ""),
        ])
    func brackets(_ name: String, _ kept: String) {
        #expect(ReaderFacts.Reader.withoutSerialNumber(name) == kept)
    }
}

/// What the system's files say of readers.
@Suite("doctor, on the system's files of readers")
struct DoctorReaderFilesTests {
    private static let rules = "/etc/polkit-1/rules.d"
    private static let policy = "/usr/share/polkit-1/actions/org.debian.pcsc-lite.policy"

    @Test("Q133 A rule of polkit's is found in any of its folders, by the action that it names")
    func polkit() async throws {
        let root = try FakeSystem()
        func rule() async -> ReaderFacts.PolkitRule {
            await ReaderFacts.current(.any, in: root.system).polkit
        }
        #expect(await rule() == .notAsked)
        try root.write(Self.policy, "")
        #expect(await rule() == .absent)
        try root.write("\(Self.rules)/10-other.rules", "polkit.addRule(function () {});")
        try root.write("\(Self.rules)/50-countersign.rules.dpkg-old", "org.debian.pcsc-lite.access_pcsc")
        #expect(await rule() == .absent)
        try root.write(
            "/usr/share/polkit-1/rules.d/50-countersign.rules",
            String(decoding: SettingsFile.polkit.contents, as: UTF8.self))
        #expect(await rule() == .present)
    }

    @Test("Q124 The kernel's NFC drivers and the reader that they hold are seen")
    func kernelModules() async throws {
        let root = try FakeSystem()
        try root.write("/proc/modules", "nfc 167936 1 pn533, Live 0x0\npn533 61440 1 pn533_usb, Live 0x0\n")
        try root.plugIn("1-2", "072f", "2200")
        let facts = await ReaderFacts.current(.any, in: root.system)
        #expect(Set(facts.kernelModules) == ["nfc", "pn533"])
        #expect(facts.checks.first { $0.id == .kernelModules }?.outcome == .failed)
        let bare = try FakeSystem()
        #expect(await ReaderFacts.current(.any, in: bare.system).kernelModules.isEmpty)
    }

    @Test("Q211 A smart-card reader that the driver's list lacks is seen, one that it has is not")
    func driverList() async throws {
        let root = try FakeSystem()
        let plist = """
            <key>ifdVendorID</key><array><string>0x072F</string></array>
            <key>ifdProductID</key><array><string>0x223E</string></array>
            """
        try root.write("/usr/lib/pcsc/drivers/ifd-ccid.bundle/Contents/Info.plist", plist)
        try root.plugIn("1-2", "072f", "2303")
        try root.plugIn("1-3", "1234", "5678", interface: "03")
        let acr1552 = USBIdentity(vendor: 0x072f, product: 0x2303)
        #expect(
            await ReaderFacts.current(.any, in: root.system).hindrances
                == [.unknownToDrivers(acr1552, model: "ACS ACR1552U")])
        try root.write(
            "/usr/lib/pcsc/drivers/ifd-ccid.bundle/Contents/Info.plist",
            plist.replacingOccurrences(of: "223E", with: "2303"))
        #expect(
            await ReaderFacts.current(.any, in: root.system).hindrances
                == [.notListed(acr1552, model: "ACS ACR1552U")])
    }

    @Test("The user of the daemon is known by the list of users, and no other for it")
    func serviceUser() async throws {
        let root = try FakeSystem()
        try root.write("/etc/passwd", "root:x:0:0::/root:/bin/sh\ncountersigned:x:9:9::/:/bin/false\n")
        #expect(await !ReaderFacts.current(.any, in: root.system).hasServiceUser)
        try root.write("/etc/passwd", "countersign:x:9:9::/:/bin/false\n")
        #expect(await ReaderFacts.current(.any, in: root.system).hasServiceUser)
    }

    @Test(
        "A reader that the kernel may put to sleep is a note; one that stays awake, and another device, are not"
    )
    func sleep() throws {
        let root = try FakeSystem()
        #expect(ReaderPowerFacts.current(in: root.system).checks.map(\.outcome) == [.skipped])
        try root.plugIn("1-1", "1d6b", "0002", interface: "09", power: "auto")
        #expect(ReaderPowerFacts.current(in: root.system).devices.isEmpty)
        try root.plugIn("1-2", "072f", "223b", power: "on")
        #expect(ReaderPowerFacts.current(in: root.system).checks.map(\.outcome) == [.ok])
        try root.plugIn("1-3.1", "076b", "5022", power: "auto")
        let check = try #require(ReaderPowerFacts.current(in: root.system).checks.first)
        #expect(check.outcome == .note && check.detail.full.contains("076b:5022"))
        #expect(check.remedy == .settings([.readerPower]))
    }
}
