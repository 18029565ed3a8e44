internal import ArgumentParser
internal import CommandLineInterface
internal import Doctor
internal import Foundation
internal import Glibc
internal import JSON
internal import PCSCTransport
internal import ReaderService
internal import SystemPackage
internal import Transport

/// `countersign doctor`: checks the requirements of a reader on this computer and shows how to meet them.
///
/// A run has three steps:
///
/// 1. All `examinations` start together, each with a limit of 8 s (`Examination`). Each examination belongs
///    to one type of facts: `ReaderFacts` queries pcscd, `BluetoothFacts` queries bluetoothd, and the others
///    read files of the system or the store.
/// 2. The checks are printed on standard output as a `DoctorScreen` or as JSON. With `--support-bundle` the
///   shared form of the checks, without names and paths of this installation, is written to a file as well.
/// 3. With `--fix`, `SettingsRepair` shows and writes the settings files that the checks suggest as remedies.
///
/// The exit status is 2 if a check failed. Warnings and notes do not change the exit status.
///
/// The doctor changes nothing without `--fix`, with one exception: the attempt to advertise sets the adapter
/// to not pairable, as every presentation does. It never restarts a service and never installs a package.
///
/// The text of a check has a full form and a shared form (`CheckText`). Only the full form contains names and
/// paths of this installation.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check what prevents this computer from reading phones, and show how to fix it.",
        discussion: """
            Checks pcscd and its readers, bluetoothd and its adapter, the clock, trust, identities, the store \
            and accessories. Without --fix and --support-bundle no file is written. If no lane is busy, the command \
            advertises over Bluetooth for a moment to see whether bluetoothd allows advertising; this turns \
            pairing off on the adapter, as every presentation does.

            Each check is ok, a note (nothing needs to be done), a warning (the computer works, but not as \
            well as it should), failed or skipped. A part of the computer that does not answer within \
            \(Examination.limit.components.seconds) seconds counts as failed, with the text timedOut.

            --fix writes missing settings files. It shows each file and asks first. It restarts nothing, but \
            names the services that you need to restart.

            --support-bundle writes a text file that you can send to a person who helps you: versions, USB \
            ids, checks and the state of services. It does not contain names, serial numbers, addresses or \
            paths of this installation.

            EXAMPLES:
              countersign doctor
              countersign doctor --fix
              countersign doctor --support-bundle support.json

            EXIT CODES:
              0  nothing failed
              2  a check failed
             64  wrong usage, or a file that cannot be written
            """)

    @Option(
        name: .long,
        help: ArgumentHelp("The reader: a part of its name, or its USB id (072f:2200).", valueName: "name"))
    var reader: String?

    @Flag(
        name: .long, help: "Write the missing settings files. Each file is shown and needs your consent.")
    var fix = false

    @Flag(name: .long, help: "With --fix, write the files without asking.")
    var yes = false

    @Option(
        name: .long,
        help: ArgumentHelp("Write a report to this file, for a person who helps you.", valueName: "file"))
    var supportBundle: String?

    @Flag(
        name: .long,
        help: "Leave out the checks of trust, identities and access to the store, as `setup` does.")
    var withoutStore = false

    @OptionGroup var clock: ClockArguments
    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard !(fix && output.json) else { throw ValidationError("Give either --fix or --json.") }
        guard fix || !yes else { throw ValidationError("--yes needs --fix.") }
    }

    func run() async throws {
        let checks = await Progress.during("Checking this computer") {
            await withoutStore ? checksOfComputer : examinations.made()
        }
        show(checks)
        let bundle =
            supportBundle == nil
            ? nil
            : await Progress.during("Writing the report") { await SupportBundle(checks, in: system) }
        try finish(checks, bundle)
    }

    private func show(_ checks: [DoctorCheck]) {
        Terminal.result(
            output.json
                ? (["checks": .array(checks.map { $0.json(\.full) })] as JSONValue).text
                : DoctorScreen(checks).text)
        if !output.json, !withoutStore, isAboutRootAlone {
            Terminal.message(
                "\nThese checks were made with root's own store. To check the daemon's store: \(Self.asDaemon)"
            )
        }
    }

    /// Writes the support bundle and the settings files that were requested, and throws the exit code.
    ///
    /// `run` is async, and the optimiser of Swift 6.3 crashes if an async function handles errors that
    /// functions of other modules throw. So this function must not be inlined into `run`.
    @inline(never)
    private func finish(_ checks: [DoctorCheck], _ bundle: SupportBundle?) throws {
        if let supportBundle, let bundle { try write(bundle, to: supportBundle) }
        if fix { try SettingsRepair(of: checks, in: system, asking: !yes).run() }
        let hasFailed = checks.contains { $0.outcome == .failed }
        throw ExitCode((hasFailed ? ExitStatus.rejected : .success).rawValue)
    }

    /// The checks of the computer, without the checks of trust, identities and access to the store.
    /// `countersign setup` and the setup page show failed checks before they ask their questions. Both run as
    /// root, and root cannot judge the store of the daemon's user. The free space is the computer's.
    var checksOfComputer: [DoctorCheck] {
        get async {
            let ofStore = TrustFacts.checks + TestDocumentFacts.checks + IdentityFacts.checks
            return await examinations.filter { Set($0.checks).isDisjoint(with: ofStore) }.made()
                .filter { $0.id != .permissions }
        }
    }

    private static let daemonStore = "/var/lib/countersign"
    private static let asDaemon = "runuser -u countersign -- countersign doctor --store \(daemonStore)"

    /// Whether this user is root, and the daemon's store exists but another store is checked. Only the
    /// daemon's user can check the daemon's trust and access.
    private var isAboutRootAlone: Bool {
        geteuid() == 0 && system.has(Self.daemonStore) && store.path != Self.daemonStore
    }

    /// The files of this computer. Tests set `COUNTERSIGN_SYSTEM_FOLDER` to a folder that stands for `/`.
    var system: SystemFolder {
        SystemFolder(root: ProcessInfo.processInfo.environment["COUNTERSIGN_SYSTEM_FOLDER"] ?? "")
    }

    private var examinations: [Examination] {
        let (system, store) = (system, store)
        // An empty name selects every reader.
        let selector = ReaderSelector(reader ?? "")
        // `clock.now()` would refuse an unset clock. Here `ClockFacts` reports it instead.
        let now = clock.at?.instant ?? WallClock.system.now
        return [
            // The argument `of` is the part of the computer that a failed check reports if the examination
            // takes too long.
            Examination(ReaderFacts.checks, of: "pcscd") {
                await ReaderFacts.current(selector, in: system).checks
            },
            Examination(BluetoothFacts.checks, of: "bluetoothd") {
                await BluetoothFacts.current(in: system).checks
            },
            Examination(
                ReaderPowerFacts.checks, of: "the kernel",
                blocking: {
                    ReaderPowerFacts.current(in: system).checks
                }),
            Examination(
                ClockFacts.checks, of: "the kernel", blocking: { ClockFacts.current(in: system).checks }),
            Examination(
                TrustFacts.checks, of: "the store",
                blocking: {
                    TrustFacts.current(in: store.path, at: now).checks
                }),
            Examination(
                TestDocumentFacts.checks, of: "the disk",
                blocking: {
                    TestDocumentFacts.current(in: store.path, system).checks
                }),
            Examination(
                IdentityFacts.checks, of: "a key",
                blocking: {
                    IdentityFacts.current(in: store.identities, at: now).checks
                }),
            Examination(
                FontFacts.checks, of: "the disk",
                blocking: {
                    FontFacts.current(in: system).checks
                }),
            Examination(
                AccessoryFacts.checks, of: "the daemon",
                blocking: {
                    AccessoryFacts.current(in: system).checks
                }),
            Examination(
                StoreFacts.checks, of: "the disk",
                blocking: {
                    StoreFacts.current(in: store.path).checks
                }),
            Examination(
                CrashFacts.checks, of: "the kernel",
                blocking: {
                    CrashFacts.current(in: system).checks
                }),
        ]
    }

    private func write(_ bundle: SupportBundle, to path: String) throws(CommandFailure) {
        try OutputFile.write("\(bundle.json.text)\n".utf8, to: path)
        Terminal.message(
            "\(Terminal.safe(path)) contains:\n\(bundle.contents)\nIt is plain text: read it before you send it."
        )
    }
}

extension DoctorScreen {
    /// Creates a screen for standard output, with colours if standard output is a terminal that shows
    /// colours.
    init(_ checks: [DoctorCheck]) {
        self.init(checks, isColoured: Terminal.showsColours(.standardOutput))
    }
}
