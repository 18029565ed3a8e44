internal import ArgumentParser
internal import BlueZTransport
internal import CommandLineInterface
internal import Doctor
internal import Glibc
internal import JSON
internal import PCSCTransport
internal import ReaderService
internal import Transport

/// `countersign setup`: asks how this computer is used and writes the daemon's configuration.
///
/// A run has these phases, all on the main task:
///
/// 1. The answers of the previous run and the daemon's limits are read (`SetupLimits` runs `countersignd
///    schema`). If the folder of the configuration is not writable, the command ends before the first
///    question.
/// 2. Readers, Bluetooth adapters, scanners and relay boards are listed. The doctor's failed checks and warnings are shown, and
///    setup offers to write missing settings files.
/// 3. If the configuration exists, the user must agree to replace it.
/// 4. `SetupAnswers` asks the questions, at the terminal or from `--answers`.
/// 5. `write` makes the brand, the token and the configuration. `countersignd --check` must accept the
///    configuration before it replaces the former configuration. The former configuration is kept under
///    a numbered name.
/// 6. The issuers are imported and the reader identity is made. If one of these two steps fails, setup
///    continues. After a failed import, the commands printed at the end include the import.
///
/// The store belongs to the daemon's user. Setup never opens the store itself; it runs `countersign` as that
/// user (`OwnProgram`), so no file of the store can belong to root.
///
/// Setup starts no service and installs no package: `SetupNext` has the commands for that. The token is
/// printed once and stored only as a digest.
struct SetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract:
            "Set up this computer as a reader: answer questions, get the daemon's configuration and the next commands.",
        discussion: """
            Lists readers, Bluetooth adapters, scanners and relay boards, checks this computer as \
            `countersign doctor` does, and asks how you will use it. Then imports the certificates of issuers, makes a token and a reader \
            identity, and writes the configuration after `countersignd --check` has found no fault in it. An \
            existing configuration is replaced only with your consent, and kept under another name. Run this \
            command as root.

            EXAMPLES:
              countersign setup
              countersign setup --page
              countersign setup --answers answers.json
              countersign setup --answers answers.json --check

            The file of answers is a JSON object. An absent member has its default. All faults of the file are \
            reported at once. If you leave out a text for customers, such as the purpose of the checks, the \
            pages show a standard text in the language of each customer.

              { "role": "kiosk", "shop": "Utopia Wines", "contact": "privacy@wines.example", "replace": true }

            MEMBERS OF THE ANSWERS:
            \(SetupQuestion.allCases.map { "  \($0.rawValue)  \($0.kind): \($0.text)" }.joined(separator: "\n"))

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Option(
        help: ArgumentHelp(
            "Read the answers from this file instead of asking. - is the standard input.",
            valueName: "file"))
    var answers: String?

    @Flag(help: "Report all faults of the answers, and write nothing.")
    var check = false

    @Flag(help: "Ask the questions on a page in a browser of this computer.")
    var page = false

    @Option(help: ArgumentHelp("The port of the page on 127.0.0.1.", valueName: "number"))
    var port: Int?

    @Option(help: ArgumentHelp("The configuration to write.", valueName: "file"))
    var config = SetupConfiguration.standardFile

    @Option(help: ArgumentHelp("The folder of the daemon's store.", valueName: "folder"))
    var store = SetupConfiguration.standardStore

    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard !check || answers != nil else {
            throw ValidationError("Give --answers with --check: the answers to check.")
        }
        guard !page || (answers == nil && !output.json) else {
            throw ValidationError(
                "Give --page without --answers and --json: with --page, the questions and the result are on the page."
            )
        }
        guard page || port == nil else {
            throw ValidationError("Give --port only with --page.")
        }
    }

    func run() async throws {
        let file = SetupFile(path: config)
        if page {
            try file.checkFolder()
            // Only `countersignd` contains the HTTP server of the setup page. Its command `setup-page` runs
            // `countersign setup` to check the answers and to write the configuration.
            try OwnProgram(name: "countersignd").replaceThisProcess(
                ["setup-page", "--write", config, "--store", store]
                    + (port.map { ["--port", "\($0)"] } ?? []))
        }
        let dialog = try SetupDialog(answers: answers, former: file.answers)
        let limits = try SetupLimits()
        let answersOfFile = try dialog.isAtTerminal ? nil : Self.answers(of: dialog, within: limits)
        if check { return try report(on: dialog, replacing: file) }
        try dialog.refuseFaults()
        try file.checkFolder()
        let readers = await Self.readers()
        await Self.showDevices(readers)
        let doctor = try DoctorCommand.parse(["--store", store])
        let devices = SetupDevices.current(in: doctor.system)
        for line in devices.lines { Terminal.message(line) }
        try await examine(dialog, doctor)
        if file.exists { try agreeToReplace(dialog) }
        let answers = try answersOfFile ?? SetupAnswers(dialog, readers, devices, within: limits)
        if answers.isTrial, !OwnProgram(name: "countersign-lab").isInstalled {
            Terminal.message("\n\(SetupNext.missingWallet)")
        }
        let ending = try write(answers, to: file, port: limits.standard("http", "port"))
        Terminal.result(output.json ? ending.json.text : ending.text)
    }

    /// Reads all answers of a file before any of them is used, so that `dialog` records all their faults.
    private static func answers(
        of dialog: SetupDialog, within limits: SetupLimits
    ) throws(CommandFailure) -> SetupAnswers {
        // `SetupAnswers` does not ask the questions `fix` and `replace`, so their answers are checked here.
        for question in [SetupQuestion.fix, .replace] { _ = try dialog.agrees(to: question) }
        // The lists are empty, because a file of answers may name devices that are not plugged in.
        return try SetupAnswers(dialog, [], SetupDevices(), within: limits)
    }

    /// Reports the faults of the answers. The JSON form also reports whether a run would replace a
    /// configuration.
    ///
    /// - Throws: Status 65 (malformed) if there is a fault.
    private func report(on dialog: SetupDialog, replacing file: SetupFile) throws {
        guard output.json else {
            try dialog.refuseFaults()
            return Terminal.result("the answers have no fault")
        }
        let faults = dialog.faults.map { fault -> JSONValue in
            // A JSON pointer to an answer is the answer's name after a slash. A fault of the whole file has
            // an empty pointer.
            [
                "question": .string(String(fault.pointer.dropFirst())),
                "reason": .string(fault.requirement),
            ]
        }
        Terminal.result(
            (["faults": .array(faults), "replaces": .boolean(file.exists)] as JSONValue).text)
        if !faults.isEmpty { throw ExitCode(ExitStatus.malformed.rawValue) }
    }

    private func agreeToReplace(_ dialog: SetupDialog) throws(CommandFailure) {
        Terminal.message("\n\(Terminal.safe(config)) already exists.")
        guard try dialog.agrees(to: .replace) else {
            throw .usage(
                "\(Terminal.safe(config)) stays as it is: to replace it, run setup again and answer yes (in a file of answers: \"replace\": true)"
            )
        }
    }

    private func write(
        _ answers: SetupAnswers, to file: SetupFile, port: Int64
    ) throws(CommandFailure) -> SetupEnding {
        let reader = SetupStore(path: store)
        let logo = try answers.look.logo.map { logo throws(CommandFailure) in
            let path = logo.path(beside: config)
            try SetupFile.writeForDaemon(logo.png, at: path)
            return path
        }
        var answers = answers
        if let trust = answers.trust, SetupIssuers.canBeReplaced(trust) {
            let issuers = SetupIssuers(beside: file)
            try issuers.copy(trust)
            answers.trust = issuers.folder
        }
        let brand = try answers.brand.map { identifier throws(CommandFailure) in
            try reader.makeBrand(identifier, named: answers.shop, logo: logo)
        }
        let token = try SetupToken(answers.role.caller, scopes: answers.role.scopes)
        let configuration = SetupConfiguration(
            answers: answers, store: store, logo: logo, token: token, port: port, brand: brand)
        let former = try file.write(configuration.json.text)
        try SetupFile.writeForDaemon(Array("\(answers.json(logo: logo).text)\n".utf8), at: file.answers)
        // Without a file of issuers, trust is set up only in a trial: there the printed commands import the
        // software wallet's issuer.
        let hasTrust = answers.trust.map(reader.importTrust) ?? answers.isTrial
        let request = try answers.country.flatMap { country throws(CommandFailure) in
            try reader.makeIdentity(answers.lane, of: answers.shop, in: country, beside: config)
        }
        return SetupEnding(
            config: config, former: former, token: token, request: request,
            hasIssuer: reader.hasIssuer,
            next: SetupNext(
                answers: answers, config: config, store: store, port: port, brand: brand, hasTrust: hasTrust))
    }

    /// Returns the contactless readers, or an empty list if pcscd gives no answer.
    private static func readers() async -> [ReaderDescription] {
        ReaderSelector.any.candidates(among: (try? await PCSCService().readers()) ?? [])
    }

    private static func showDevices(_ readers: [ReaderDescription]) async {
        Terminal.message(readers.isEmpty ? "no contactless reader was found" : "contactless readers:")
        for reader in readers { Terminal.message("  \(Terminal.safe(reader.name))") }
        // If bluetoothd does not answer, the checks below report it, so the error is ignored here.
        let adapters = (try? await BluetoothDescription.current())?.adapters ?? []
        Terminal.message(
            adapters.isEmpty
                ? "no Bluetooth adapter was found: phones will answer only over NFC"
                : "Bluetooth adapters: \(adapters.count)")
    }

    private static let whatMayStay = """
        You can go on now, but you need to repair failed checks before this computer can read phones. You \
        may leave warnings as they are. For a trial with the software wallet, you can also ignore failed \
        checks of pcsc, reader, usb and bluetooth.
        """

    /// Shows the doctor's failed checks and warnings, and offers to write missing settings files.
    private func examine(_ dialog: SetupDialog, _ doctor: DoctorCommand) async throws {
        let checks = await doctor.checksOfComputer
        let wrong = checks.filter { [.failed, .warning].contains($0.outcome) }
        guard !wrong.isEmpty else { return }
        Terminal.message("\n\(DoctorScreen(wrong).text)\n\n\(Self.whatMayStay)")
        let repair = SettingsRepair(of: checks, in: doctor.system, asking: dialog.isAtTerminal)
        guard repair.hasWork else { return }
        // At the terminal `repair.run()` shows each file and asks before it writes.
        if try dialog.isAtTerminal || dialog.agrees(to: .fix) { try repair.run() } else { try repair.show() }
    }
}
