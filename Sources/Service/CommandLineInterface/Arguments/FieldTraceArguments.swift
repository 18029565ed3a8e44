package import ArgumentParser
internal import FieldTrace
package import ReaderService

/// Where the field trace of a presentation goes.
package struct FieldTraceArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write what happened between reader and phone to this file: times, status words and outcomes, nothing of a person. It is there to be sent.",
            valueName: "file"))
    package var fieldTrace: String?

    package init() {}

    /// Opens the file; nil if none is wanted.
    package func start(_ plan: PresentationPlan) async throws(CommandFailure) -> FieldTraceFile? {
        guard let fieldTrace else { return nil }
        let file = try await FieldTraceFile(fieldTrace)
        file.recorder.begin(plan)
        return file
    }
}
