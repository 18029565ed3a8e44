import MdocModel
import Testing

@testable import Doctor
@testable import countersign

@Suite("doctor, of the clock and of crashes")
struct DoctorComputerTests {
    private static let today = Timestamp(secondsSince1970: 1_800_000_000)

    static let clock: [CheckExpectation<ClockFacts>] = [
        .init("set", ClockFacts(now: today, isSynchronised: true), .clockSet, .ok, "2027-01-15"),
        .init(
            "Q189 never set", ClockFacts(now: Timestamp(secondsSince1970: 0)), .clockSet, .failed,
            "1970-01-01", fix: "timedatectl set-ntp true"),
        .init(
            "kept right", ClockFacts(now: today, isSynchronised: true), .clockSynchronised, .ok,
            "synchronised with"),
        .init(
            "Q189 left alone", ClockFacts(now: today, isSynchronised: false), .clockSynchronised, .warning,
            "the clock is not synchronised", fix: "timedatectl set-ntp true"),
        .init(
            "no service", ClockFacts(now: today, isSynchronised: false, hasTimeService: false),
            .clockSynchronised, .warning, "the clock is not synchronised",
            fix: "apt-get install systemd-timesyncd && timedatectl set-ntp true"),
        .init("not told", ClockFacts(now: today), .clockSynchronised, .skipped, "does not report"),
    ]

    static let crash: [CheckExpectation<CrashFacts>] = [
        .init("no dumps", CrashFacts(limit: 0, pattern: "core"), .coreDumps, .ok, "no core dumps"),
        .init("no name for dumps", CrashFacts(limit: .max, pattern: ""), .coreDumps, .ok, "no core dumps"),
        .init(
            "dumps", CrashFacts(limit: 1, pattern: "core"), .coreDumps, .warning, "written to the disk",
            fix: "ulimit -c 0"),
        .init(
            "a pattern that is not told", CrashFacts(limit: 1), .coreDumps, .warning, "disk", fix: "ulimit"),
        .init(
            "systemd looks at the limit",
            CrashFacts(limit: 0, pattern: "|/usr/lib/systemd/systemd-coredump %P"),
            .coreDumps, .ok, "no core dumps"),
        .init(
            "systemd's dumps", CrashFacts(limit: .max, pattern: "|/usr/lib/systemd/systemd-coredump %P"),
            .coreDumps, .warning, "disk", fix: "ulimit -c 0"),
        .init(
            "another program looks at none", CrashFacts(limit: 0, pattern: "|/usr/share/apport/apport -p%p"),
            .coreDumps, .warning, "/usr/share/apport/apport gets a copy of the memory", fix: "sysctl"),
    ]

    @Test(
        "Q189 doctor fails if the clock was never set, and warns if nothing synchronises the clock",
        arguments: clock)
    func clockIsJudged(_ expected: CheckExpectation<ClockFacts>) throws {
        try expected.expect(expected.facts.checks, of: ClockFacts.checks)
    }

    @Test("Memory of a crash that would reach the disk is a warning", arguments: crash)
    func crashIsJudged(_ expected: CheckExpectation<CrashFacts>) throws {
        try expected.expect(expected.facts.checks, of: CrashFacts.checks)
    }

    @Test("Fonts that are absent are a note with the packages to install, and those that are here are not")
    func fontsAreJudged() throws {
        for (missing, outcome, fix) in [
            ([], .ok, nil), (["fonts-noto-cjk"], .note, "apt install fonts-noto-cjk"),
            (["fonts-noto-cjk", "fonts-noto-core"], .note, "apt install fonts-noto-cjk fonts-noto-core"),
        ] as [([String], DoctorCheck.Status, String?)] {
            let check = try #require(FontFacts(missing: missing).checks.first)
            #expect(check.outcome == outcome)
            #expect(check.remedy?.command.full == fix)
        }
        #expect(FontFacts.current(in: SystemFolder(root: "/nowhere")).missing.count == 2)
    }

    @Test("This computer's clock and limits can be asked")
    func here() {
        #expect(
            ClockFacts.current(in: SystemFolder(root: "")).now > Self.today.advanced(bySeconds: -100_000_000))
        #expect(CrashFacts.current(in: SystemFolder(root: "")).pattern != nil)
    }
}
