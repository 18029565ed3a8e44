internal import ArgumentParser
internal import ErrorMapping
internal import FieldTrace
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import MdocVerification
internal import MdocWallet
internal import PKIX
internal import PCSCTransport
internal import PortraitDecoding
internal import ReaderService
internal import Reports
internal import RequestPlanner
internal import Transport

/// `countersign demo`: what `Hardware/try` ends in.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "One whole age check: over 21, with a portrait.",
        discussion: """
            With a virtual reader (Hardware/VirtualBench/with-pcscd) a software wallet taps it, through the real \
            pcscd, and only its test issuer is trusted: the answer is that of a test document. With a real reader a real phone is waited for; its issuer is \
            not trusted then, and the answer says so: real roots are given to `request --trust`.

            EXAMPLES:
              countersign demo
              countersign demo --age-over 18 --json

            \(ExitStatus.table())
            """)

    @Option(name: .long, help: "The age to ask about.")
    var ageOver = 21

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

    func validate() throws {
        guard (0...99).contains(ageOver) else { throw ValidationError("--age-over takes 0 to 99.") }
    }

    func run() async throws {
        let now = try clock.now()
        let presented = try wallet.presented(at: now)
        let reader = try await reader()
        let phone =
            reader.isVirtual
            ? try WalletPhone(
                presented.wallet, handover: wallet.handoverAtReader, at: try card.loopbackAddress) : nil
        let asked = try asked
        let policy = try PolicyFile.trial.settings()
        let plan = PresentationPlan(
            question: PresentationQuestion(.planned(asked)),
            trust: try Self.trust(presented.issuer.root), policy: policy, retrieval: retrieval.plan,
            requestVersion: retrieval.requestVersion, clock: WallClock { now })
        let fieldTrace = try await fieldTrace.start(plan)
        let contactless = PCSCContactlessReader(
            service: reader.service, selector: .name(containing: reader.name))
        let field: any ContactlessReader =
            fieldTrace.map { TracingReader(contactless, $0.recorder) } ?? contactless
        let radio = await retrieval.radio(fieldTrace)
        let presentation = await interruptible { () -> Result<Presentation, CommandFailure> in
            do throws(CommandFailure) {
                try await phone?.tap()
            } catch {
                return .failure(error)
            }
            let transaction = ReaderTransaction(plan) { event in
                Terminal.note(event.text)
                fieldTrace?.recorder.observe(event)
            }
            return .success(await transaction.run(at: field, radio: radio))
        }
        phone?.lift()
        if case .success(let ended) = presentation { fieldTrace?.end(ended) }
        var report = try TransactionReport.ended(
            try presentation.get(), asking: asked, on: WallClock.localDay(at: now))
        await report.decodePortraits(by: .installed)
        if output.json {
            Terminal.result(report.json(portrait: .size).text)
        } else {
            Terminal.result(report.presentationText(elements: .names), in: report.colour)
        }
        try? await presentation.get().left()
        throw ExitCode(report.exitStatus.rawValue)
    }

    private var asked: RequestPlan {
        get throws(CommandFailure) {
            let intent = RequestIntent(.age, [.ageOver(ageOver), .portrait(isCompared: true)])
            return try mapping(RequestPlan(intent, keeping: .none), \RequestPlannerError.failure)
        }
    }

    private static func trust(_ root: [UInt8]) throws(CommandFailure) -> TrustStore {
        guard let certificate = try? Certificate(der: root[...]), let anchor = try? TrustAnchor(certificate)
        else {
            throw .unavailable("the test issuer's root cannot be read")
        }
        return TrustStore(anchors: [anchor])
    }

    /// The most promising reader; a virtual one where there is no other.
    private func reader() async throws(CommandFailure) -> DemoReader {
        let service = PCSCService()
        do throws(PCSCTransportError) {
            let all = try await Progress.during("Asking pcscd") { () async throws(PCSCTransportError) in
                try await service.readers()
            }
            let readers = ReaderSelector.any.candidates(among: all)
            let real = readers.first { !$0.name.hasPrefix("Virtual PCD") }
            guard let reader = real ?? readers.first else { throw PCSCTransportError.noReader }
            return DemoReader(service: service, name: reader.name, isVirtual: real == nil)
        } catch {
            throw .unavailable(ReaderFault(error).advice)
        }
    }
}

private struct DemoReader {
    let service: PCSCService
    let name: String
    let isVirtual: Bool
}

extension EndpointArgument {
    /// vpcd's first slot, as its package configures it.
    fileprivate static let virtualCard = EndpointArgument(host: "127.0.0.1", port: VirtualCard.defaultPort)
}
