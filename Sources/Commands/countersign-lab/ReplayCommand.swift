internal import ArgumentParser
internal import BlueZTransport
internal import CommandLineInterface
internal import FieldTrace
internal import JSON
internal import MdocWallet
internal import SoftwarePhone
internal import Transport

/// The command `countersign-lab replay`. It acts as the phone that a field trace recorded.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Act as the phone that a field trace recorded.",
        usage:
            "countersign-lab replay TRACE --card tcp://127.0.0.1:35963 [--ble] [--presentation N] [--root FILE]",
        discussion: """
            Taps a virtual reader of vsmartcard-vpcd like the phone that `countersign request --field-trace` recorded: \
            with the same handover, limits, response times and status words. The replayed phone leaves when the recorded phone \
            left. It presents a test licence, as `countersign-lab wallet` does.

            The answer comes over NFC, even if the traced phone used Bluetooth: then only the taps are as in the trace. \
            With --ble the answer comes over a Bluetooth adapter of this computer. The replayed phone then connects after \
            the same time or never, answers after the same time, and leaves after the same number of fragments.

            If a file has several presentations, the last is replayed unless --presentation selects another. After the last \
            tap the phone stays on the reader. If the reader powers it up again, the replay of that tap begins again.

            EXAMPLES:
              countersign-lab replay failed.jsonl --card tcp://127.0.0.1:35963 --root iaca.der

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("The field trace.", valueName: "trace"))
    var trace: String

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Tap the virtual reader whose card port has this address.", valueName: "tcp://host:port"))
    var card: EndpointArgument

    @Flag(name: .long, help: "Answer over Bluetooth, with an adapter of this computer.")
    var ble = false

    @Option(
        name: .long, help: ArgumentHelp("The Bluetooth adapter (default: the first).", valueName: "hci0"))
    var adapter: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The number of the presentation in the file (default: the last).", valueName: "number"))
    var presentation: Int?

    @Option(
        name: .long,
        help: ArgumentHelp("Write the test issuer's root to this file, in DER.", valueName: "file"))
    var root: String?

    @OptionGroup var clock: ClockArguments

    func validate() throws {
        guard ble || adapter == nil else { throw ValidationError("--adapter needs --ble.") }
    }

    func run() async throws {
        let phone = try traced()
        let presented = try PresentedWallet(replaying: phone, overNFC: !ble, at: try clock.now())
        if let root { try OutputFile.write(presented.issuer.root, to: root) }
        let replay = try ReplayPhone(phone, presented.wallet, at: try card.loopbackAddress)
        // `interruptible` takes no closure that throws, so the closure returns an error as a `Result`.
        let replayed = await interruptible { () -> Result<Void, CommandFailure> in
            do throws(CommandFailure) {
                return .success(try await play(replay, with: presented.wallet, by: phone.air))
            } catch {
                return .failure(error)
            }
        }
        replay.lift()
        try replayed.get()
    }

    /// Performs the taps and, with `--ble`, serves the sessions over Bluetooth.
    private func play(
        _ replay: ReplayPhone, with wallet: Wallet, by script: AirScript?
    ) async throws(CommandFailure) {
        guard ble else { return try await replay.run() }
        let radio = BlueZRadio(configuration: BlueZConfiguration(adapter: adapter))
        let air = WalletAir(radio: radio, wallet: wallet, taps: replay.engagements, script: script)
        // While the taps are performed, the wallet also serves over Bluetooth, to any number of readers (0
        // means no limit), until the task is cancelled. A failure over Bluetooth does not end the taps.
        let serving = Task { try? await air.run(readers: 0) }
        defer { serving.cancel() }
        try await replay.run()
    }

    /// Reads the phone of the chosen presentation from the trace.
    private func traced() throws(CommandFailure) -> TracedPhone {
        let bytes = try InputFile.read(trace, limit: FieldTrace.mostBytes)
        do throws(FieldTraceError) {
            let phone = TracedPhone(try FieldTrace.parse(bytes[...]).presentation(presentation))
            guard !phone.taps.isEmpty else { throw .noTap }
            return phone
        } catch {
            throw .malformed("\(Terminal.safe(trace)): \(error.explanation)")
        }
    }
}
