internal import ArgumentParser
internal import CommandLineInterface
internal import MdocTrust
internal import MdocWallet
internal import PCSCTransport
internal import PKIX
internal import Reports
internal import SoftwarePhone
internal import Transport

/// The command `countersign-lab demo`. It runs an age check with a software wallet at a virtual reader.
/// The script `Hardware/try` runs this command last if no PC/SC reader is plugged in.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run a whole age check with a software wallet: over 21, with a portrait.",
        discussion: """
            A software wallet taps a virtual reader (Hardware/VirtualBench/with-pcscd, or vsmartcard-vpcd) through the \
            real pcscd. Only the wallet's test issuer is trusted, so the answer is from a test document. With a real \
            reader and a real phone, use `countersign demo`.

            EXAMPLES:
              countersign-lab demo
              countersign-lab demo --age-over 18 --json

            \(ExitStatus.table())
            """)

    @OptionGroup var age: AgeArguments

    @OptionGroup(title: "The software wallet")
    var wallet: WalletArguments

    @Option(
        name: .long,
        help: ArgumentHelp("The card port of the virtual reader.", valueName: "tcp://host:port"))
    var card = EndpointArgument.virtualCard

    @OptionGroup var retrieval: RetrievalArguments
    @OptionGroup var fieldTrace: FieldTraceArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let now = try clock.now()
        let presented = try wallet.presented(at: now)
        let reader = try await reader()
        let phone = try WalletPhone(
            presented.wallet, handover: wallet.handoverAtReader, at: try card.loopbackAddress)
        let check = AgeCheck(age, retrieval: retrieval, fieldTrace: fieldTrace, output: output, at: now)
        let status = try await check.run(
            at: reader, trusting: try Self.trust(presented.issuer.root),
            tap: { () async throws(CommandFailure) in try await phone.tap() }, lift: phone.lift)
        throw ExitCode(status.rawValue)
    }

    /// Makes a trust store with the test issuer's root alone.
    private static func trust(_ root: [UInt8]) throws(CommandFailure) -> TrustStore {
        guard let certificate = try? Certificate(der: root[...]), let anchor = try? TrustAnchor(certificate)
        else {
            throw .unavailable("the test issuer's root cannot be read")
        }
        return TrustStore(anchors: [anchor])
    }

    /// Returns the first virtual reader.
    private func reader() async throws(CommandFailure) -> DemoReader {
        do throws(PCSCTransportError) {
            if let reader = try await DemoReader.first(isVirtual: true) { return reader }
        } catch {
            throw .unavailable(ReaderFault(error).advice)
        }
        throw WalletPhone.noVirtualReader
    }
}

extension EndpointArgument {
    /// The address of the first slot of vpcd (the driver of virtual cards) as the package vsmartcard-vpcd
    /// configures it.
    fileprivate static let virtualCard = EndpointArgument(host: "127.0.0.1", port: VirtualCard.defaultPort)
}
