internal import ArgumentParser
internal import CommandLineInterface
internal import MdocTrust
internal import PCSCTransport
internal import Reports
internal import Transport

/// `countersign demo`: an age check with a real phone at a real PC/SC reader.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Check the age of a phone's holder once: over 21, with a portrait.",
        discussion: """
            Waits for a phone at a contactless reader. This command trusts no issuer, so the report \
            rejects every answer because its issuer is unknown. To trust an issuer, use `request --trust`. \
            If you have no reader or phone, `countersign-lab demo` runs the same check with a virtual reader \
            and a software wallet.

            EXAMPLES:
              countersign demo
              countersign demo --age-over 18 --json

            \(ExitStatus.table())
            """)

    @OptionGroup var age: AgeArguments
    @OptionGroup var retrieval: RetrievalArguments
    @OptionGroup var fieldTrace: FieldTraceArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let check = AgeCheck(
            age, retrieval: retrieval, fieldTrace: fieldTrace, output: output, at: try clock.now())
        // The demo trusts no issuer, so that it works without a trust store.
        let status = try await check.run(at: try await reader(), trusting: TrustStore(anchors: []))
        throw ExitCode(status.rawValue)
    }

    /// Returns the first PC/SC reader. Virtual readers are for `countersign-lab demo`.
    private func reader() async throws(CommandFailure) -> DemoReader {
        do throws(PCSCTransportError) {
            guard let reader = try await DemoReader.first(isVirtual: false) else { throw .noReader }
            return reader
        } catch {
            let fault = ReaderFault(error)
            // The demo of `countersign-lab` is suggested only if no reader is plugged in. For every other
            // fault, the advice already says how to repair it.
            let other = fault.id == .noReader ? "; countersign-lab demo shows a check without a reader" : ""
            throw .unavailable(fault.advice + other)
        }
    }
}
