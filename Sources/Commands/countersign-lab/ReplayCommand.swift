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
            Taps a virtual reader of vsmartcard-vpcd as the phone did that `countersign request --field-trace` met: with its \
            handover, its limits, the times of its answers, its status words, and the moments at which it left. What it \
            shows is a test licence, as the wallet's of `countersign-lab wallet`.

            It answers over NFC, also where the traced phone used Bluetooth: the taps are then those of the trace, and the \
            answer is not. With --ble it answers over Bluetooth by an adapter of this computer: it connects as late as the phone did, \
            or not at all, reads as long, and leaves after as many fragments of its answer.

            A file may hold several presentations: --presentation takes one by its number, else the last is replayed. \
            After its last tap the phone stays as it was, and repeats that tap.

            EXAMPLES:
              countersign-lab replay failed.jsonl --card tcp://127.0.0.1:35963 --root iaca.der

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("The field trace.", valueName: "trace"))
    var trace: String

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Tap the virtual reader at this address, its card port.", valueName: "tcp://host:port"))
    var card: EndpointArgument

    @Flag(name: .long, help: "Answer over Bluetooth, by an adapter of this computer.")
    var ble = false

    @Option(
        name: .long, help: ArgumentHelp("The Bluetooth adapter, by default the first.", valueName: "hci0"))
    var adapter: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The presentation of the file, by its number; by default the last.", valueName: "number"))
    var presentation: Int?

    @Option(name: .long, help: ArgumentHelp("Write the test issuer's root here, DER.", valueName: "file"))
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

    private func play(
        _ replay: ReplayPhone, with wallet: Wallet, by script: AirScript?
    ) async throws(CommandFailure) {
        guard ble else { return try await replay.run() }
        let radio = BlueZRadio(configuration: BlueZConfiguration(adapter: adapter))
        let air = WalletAir(radio: radio, wallet: wallet, taps: replay.engagements, script: script)
        let serving = Task { try? await air.run(readers: 0) }
        defer { serving.cancel() }
        try await replay.run()
    }

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
