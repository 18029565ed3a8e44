internal import ArgumentParser
internal import ErrorMapping
internal import FieldTrace
internal import JSON
package import MdocModel
package import MdocTrust
internal import MdocVerification
package import PCSCTransport
internal import PortraitDecoding
internal import ReaderService
internal import Reports
internal import RequestPlanner
internal import Transport

/// `--age-over`, an option of the `demo` commands.
package struct AgeArguments: ParsableArguments {
    @Option(name: .long, help: "The age to ask about, 0 to 99.")
    package var ageOver = 21

    package init() {}

    package func validate() throws {
        guard (0...99).contains(ageOver) else {
            throw ValidationError("--age-over needs an age from 0 to 99.")
        }
    }
}

/// An age check with a portrait at a PC/SC reader: the work of the `demo` commands. Test documents are
/// accepted, and the printed report contains a remark on this.
package struct AgeCheck {
    private let age: AgeArguments
    private let retrieval: RetrievalArguments
    private let fieldTrace: FieldTraceArguments
    private let output: OutputArguments
    private let now: Timestamp

    package init(
        _ age: AgeArguments, retrieval: RetrievalArguments, fieldTrace: FieldTraceArguments,
        output: OutputArguments, at now: Timestamp
    ) {
        self.age = age
        self.retrieval = retrieval
        self.fieldTrace = fieldTrace
        self.output = output
        self.now = now
    }

    /// Reads the phone at the reader and prints the report.
    ///
    /// - Parameters:
    ///   - trust: The trusted issuers.
    ///   - tap: Called when everything is ready for a phone. `countersign-lab demo` starts the software
    ///     wallet here.
    ///   - lift: Called when the phone is not needed any more, even if `tap` failed. `countersign-lab demo`
    ///     stops the software wallet here.
    /// - Returns: The exit status of the command.
    package func run(
        at reader: DemoReader, trusting trust: TrustStore,
        tap: @escaping @Sendable () async throws(CommandFailure) -> Void = {},
        lift: () -> Void = {}
    ) async throws(CommandFailure) -> ExitStatus {
        let asked = try asked
        // A copy, so that the clock's closure does not capture `self` with all options.
        let now = now
        let plan = PresentationPlan(
            question: PresentationQuestion(.planned(asked)),
            trust: trust, policy: try PolicyFile.trial.settings(), retrieval: retrieval.plan,
            requestVersion: retrieval.requestVersion, clock: WallClock { now })
        let fieldTrace = try await fieldTrace.start(plan)
        let contactless = PCSCContactlessReader(
            service: reader.service, selector: .name(containing: reader.name))
        let field: any ContactlessReader =
            fieldTrace.map { TracingReader(contactless, $0.recorder) } ?? contactless
        let radio = await retrieval.radio(fieldTrace)
        // The closure for `interruptible` must not throw, so it returns a failure as part of its result.
        let presentation = await interruptible { () -> Result<Presentation, CommandFailure> in
            do throws(CommandFailure) {
                try await tap()
            } catch {
                return .failure(error)
            }
            let transaction = ReaderTransaction(plan) { event in
                Terminal.message(event.text)
                fieldTrace?.recorder.observe(event)
            }
            return .success(await transaction.run(at: field, radio: radio))
        }
        // `lift` is called before the result is read, because the software wallet must be stopped even after
        // a failure.
        lift()
        let ended = try presentation.get()
        fieldTrace?.end(ended)
        var report = try TransactionReport.ended(ended, asking: asked, on: WallClock.localDay(at: now))
        await report.decodePortraits(by: .installed)
        if output.json {
            Terminal.result(report.json(portrait: .size).text)
        } else {
            Terminal.result(report.presentationText(elements: .names), in: report.colour)
        }
        // The report is shown immediately (Q76). The command exits only after the phone has been notified of
        // the end.
        await ended.waitUntilLeft()
        return report.exitStatus
    }

    /// The plan of the request: an age, and a portrait for a person to compare.
    private var asked: RequestPlan {
        get throws(CommandFailure) {
            let intent = RequestIntent(.age, [.ageOver(age.ageOver), .portrait(isCompared: true)])
            // `.none`: the request says that no element is retained.
            return try mapping(RequestPlan(intent, keeping: .none), \RequestPlannerError.failure)
        }
    }
}

/// A PC/SC reader of this computer that an age check can use.
package struct DemoReader {
    package let service: PCSCService
    package let name: String

    /// Returns the first contactless reader of the wanted kind, or `nil` if there is no such reader.
    ///
    /// - Parameter isVirtual: Whether a virtual reader is wanted instead of a real reader.
    package static func first(isVirtual: Bool) async throws(PCSCTransportError) -> DemoReader? {
        let service = PCSCService()
        let all = try await Progress.during("Asking pcscd") { () async throws(PCSCTransportError) in
            try await service.readers()
        }
        return ReaderSelector.any.candidates(among: all)
            // vsmartcard-vpcd names its readers `Virtual PCD`.
            .first { $0.name.hasPrefix("Virtual PCD") == isVirtual }
            .map { DemoReader(service: service, name: $0.name) }
    }
}
