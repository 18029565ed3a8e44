import Foundation
import Synchronization
import Testing

@testable import Doctor
@testable import countersign

@Suite("doctor, the run and its screen")
struct DoctorRunTests {
    private func examination(
        _ ids: [DoctorCheck.ID], _ look: @escaping @Sendable () async -> [DoctorCheck]
    ) -> Examination {
        Examination(ids, of: "the thing", look: look)
    }

    @Test("Checks come in the order of their ids, whoever was first")
    func order() async {
        let checks = await [
            examination([.coreDumps]) { [.ok(.coreDumps, "")] },
            examination([.service, .access]) { [.ok(.service, ""), .ok(.access, "")] },
        ].made()
        #expect(checks.map(\.id) == [.service, .access, .coreDumps])
    }

    @Test("What hangs is timedOut, what depends on it skipped, and the rest is there in time")
    func hanging() async {
        let start = ContinuousClock.now
        let checks = await [
            examination([.service, .access]) {
                // As a call of a library that nothing ends.
                await withCheckedContinuation { continuation in
                    Self.forgotten.withLock { $0.append(continuation) }
                }
            },
            examination([.coreDumps]) { [.ok(.coreDumps, "fine")] },
        ].made(within: .seconds(2))
        #expect(ContinuousClock.now - start < .seconds(120))
        #expect(checks.map(\.outcome) == [.failed, .skipped, .ok])
        #expect(checks[0].detail.full.hasPrefix("timedOut: the thing did not answer"))
        #expect(checks[1].detail.full == "the thing did not answer")
    }

    /// Held, since one that is let go of unresumed is reported.
    private static let forgotten = Mutex<[CheckedContinuation<[DoctorCheck], Never>]>([])

    @Test("A thread that is blocked for good blocks nobody else")
    func blocked() async {
        let value = await finished(within: .milliseconds(100)) {
            await blocking { () -> Int in
                while true { sleep(1000) }
            }
        }
        #expect(value == nil)
        #expect(await finished(within: .seconds(120)) { await blocking { 1 } } == 1)
    }

    private static let checks: [DoctorCheck] = [
        .ok(.service, "pcscd answers"),
        .failed(.readerFound, "no reader is plugged in", fix: .command("plug --in")),
        .skipped(.slot, "no reader"), .skipped(.apdus, "no reader"), .skipped(.lowEnergy, "no adapter"),
        .note(.escape, "a long text of many words that goes over the end of a line and has to be continued"),
    ]

    @Test("The screen is aligned, has each fix below its check, and counts")
    func screen() {
        let text = DoctorScreen(checks: Self.checks, width: 70, isColoured: false).text
        #expect(
            text == """
                ok       pcsc.service              pcscd answers
                failed   reader.found              no reader is plugged in
                                                   fix: plug --in
                skipped  reader.slot               no reader (2 checks)
                skipped  bluetooth.lowEnergy       no adapter
                note     reader.escape             a long text of many words that goes
                                                   over the end of a line and has to
                                                   be continued

                6 checks: 1 failed, 1 note, 1 ok, 3 skipped
                """)
    }

    @Test("Colours change no letter, and are there on a terminal alone")
    func colours() throws {
        let plain = DoctorScreen(checks: Self.checks, width: 70, isColoured: false).text
        let coloured = DoctorScreen(checks: Self.checks, width: 70, isColoured: true).text
        #expect(!plain.contains("\u{1b}") && coloured.contains("\u{1b}[1;31mfailed \u{1b}[0m"))
        #expect(coloured.replacing(/\u{1b}\[[0-9;]*m/, with: "") == plain)
    }

    @Test("Nothing that a device calls itself steers the terminal")
    func safe() {
        let check = DoctorCheck.ok(.readerFound, "\(full: "a\u{1b}[31mb", shared: "c\u{7}d") \("e\nf")")
        #expect(check.detail.full == "a\u{fffd}[31mb e\u{fffd}f")
        #expect(check.detail.shared == "c\u{fffd}d e\u{fffd}f")
    }

    @Test("A change is shown line by line")
    func difference() {
        func shown(_ old: String, _ new: String) -> String {
            LineDifference(from: Array(old.utf8), to: Array(new.utf8)).text
        }
        #expect(shown("a\nb\nc\n", "a\nx\nc\nd\n") == " a\n-b\n+x\n c\n+d")
        #expect(shown("", "a\n") == "+a")
        #expect(shown("a\n", "") == "-a")
        #expect(shown("a\n", "a\n") == " a")
    }

    @Test("Of units only what is asked for is taken, and units that there are not are left out")
    func units() {
        let units = SystemdUnits(
            parsing: """
                Id=pcscd.service
                LoadState=loaded
                ActiveState=active
                Description=secret of alice
                ExecStart={ path=/x ; argv[]=--token=1 }

                Id=countersignd.service
                LoadState=not-found
                ActiveState=inactive
                """)
        #expect(
            units.units == [["Id": "pcscd.service", "LoadState": "loaded", "ActiveState": "active"]])
        #expect(SystemdUnits(parsing: "").units.isEmpty)
    }
}
