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
/// 1. The former answers and the daemon's limits are read (`SetupLimits` asks `countersignd schema`). A
///    folder that cannot be written ends the command before the first question.
/// 2. Readers and Bluetooth adapters are listed. The doctor's failed checks and warnings are shown, and
///    missing settings files are offered.
/// 3. If the configuration exists, the user must agree to replace it.
/// 4. `SetupAnswers` asks the questions, at the terminal or from `--answers`.
/// 5. `write` makes the brand, the token and the configuration. `countersignd --check` must accept the
///    configuration before it replaces the former configuration. The former configuration is kept under
///    a numbered name.
/// 6. The issuers are imported and the reader identity is made. If one of these two steps fails, setup
///   continues. If the import fails, the printed commands repeat the import.
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
            Lists readers and Bluetooth adapters, checks this computer as `countersign doctor` does, and \
            asks how you will use it. Then imports the certificates of issuers, makes a token and a reader \
            identity, and writes the configuration after `countersignd --check` has found no fault in it. An \
            existing configuration is replaced only with your consent, and kept under another name. Run this \
            command as root.

            EXAMPLES:
              countersign setup
              countersign setup --answers answers.json

            The file of answers is a JSON object. For members that it does not have, the default is used.

              { "role": "kiosk", "shop": "Utopia Wines", "contact": "privacy@wines.example", "replace": true }

            MEMBERS OF THE ANSWERS:
            \(SetupQuestion.allCases.map { "  \($0.rawValue)  \($0.kind): \($0.text)" }.joined(separator: "\n"))

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Option(
        help: ArgumentHelp("Read the answers from this file instead of asking.", valueName: "file"))
    var answers: String?

    @Option(help: ArgumentHelp("The configuration to write.", valueName: "file"))
    var config = SetupConfiguration.standardFile

    @Option(help: ArgumentHelp("The folder of the daemon's store.", valueName: "folder"))
    var store = SetupConfiguration.standardStore

    @OptionGroup var output: OutputArguments

    func run() async throws {
        let file = SetupFile(path: config)
        let dialog = try SetupDialog(answers: answers, former: file.answers)
        try file.checkFolder()
        let limits = try SetupLimits()
        let readers = await Self.readers()
        await Self.showDevices(readers)
        try await examine(dialog)
        if file.exists { try agreeToReplace(dialog) }
        let answers = try SetupAnswers(dialog, readers, within: limits)
        if answers.isTrial, !OwnProgram(name: "countersign-lab").isInstalled {
            Terminal.message("\n\(SetupNext.missingWallet)")
        }
        let ending = try write(answers, to: file, port: limits.standard("http", "port"))
        Terminal.result(output.json ? ending.json.text : ending.text)
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
        let brand = try answers.brand.map { identifier throws(CommandFailure) in
            try reader.makeBrand(identifier, named: answers.look.shop, logo: logo)
        }
        let token = try SetupToken(answers.role.caller, scopes: answers.role.scopes)
        let configuration = SetupConfiguration(
            answers: answers, store: store, logo: logo, token: token, port: port, brand: brand)
        let former = try file.write(configuration.json.text)
        try SetupFile.writeForDaemon(Array("\(answers.json(logo: logo).text)\n".utf8), at: file.answers)
        // Without a file of issuers, only a trial has an issuer, which the printed commands import.
        let hasTrust = answers.trust.map(reader.importTrust) ?? answers.isTrial
        let request = try answers.country.flatMap { country throws(CommandFailure) in
            try reader.makeIdentity(answers.lane, of: answers.look.shop, in: country, beside: config)
        }
        return SetupEnding(
            config: config, former: former, token: token, request: request,
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
        // If bluetoothd does not answer, the checks that follow say so.
        let adapters = (try? await BluetoothDescription.current())?.adapters ?? []
        Terminal.message(
            adapters.isEmpty
                ? "no Bluetooth adapter was found: phones will answer only over NFC"
                : "Bluetooth adapters: \(adapters.count)")
    }

    private static let whatMayStay = """
        You need to repair failed checks before phones can be read, now or later. A warning may stay. For a \
        trial with the software wallet, all findings about pcsc, reader, usb and bluetooth may stay too.
        """

    /// Shows the doctor's failed checks and warnings, and offers to write missing settings files.
    private func examine(_ dialog: SetupDialog) async throws {
        let doctor = try DoctorCommand.parse(["--store", store])
        let checks = await doctor.checksOfComputer
        let wrong = checks.filter { [.failed, .warning].contains($0.outcome) }
        guard !wrong.isEmpty else { return }
        Terminal.message("\n\(DoctorScreen(wrong).text)\n\n\(Self.whatMayStay)")
        let repair = SettingsRepair(of: checks, in: doctor.system, asking: dialog.isAtTerminal)
        guard repair.hasWork else { return }
        // At the terminal the repair itself shows each file and asks.
        if try dialog.isAtTerminal || dialog.agrees(to: .fix) { try repair.run() } else { try repair.show() }
    }
}
