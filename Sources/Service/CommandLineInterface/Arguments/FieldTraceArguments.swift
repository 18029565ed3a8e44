package import ArgumentParser
package import FieldTrace
internal import PCSCTransport
package import ReaderService
internal import SystemPackage
internal import Transport

/// `--field-trace`: the file that receives the field trace of a presentation. A field trace records what
/// happened between reader and phone, without personal data.
package struct FieldTraceArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write a field trace to this file: times, status words and outcomes between reader and phone. It contains no personal data, so you can send it to others.",
            valueName: "file"))
    package var fieldTrace: String?

    package init() {}

    /// Opens the file and begins the trace of `plan`.
    ///
    /// - Returns: The trace, or `nil` without `--field-trace`.
    package func start(_ plan: PresentationPlan) async throws(CommandFailure) -> FieldTraceFile? {
        guard let fieldTrace else { return nil }
        let file = try await FieldTraceFile(fieldTrace)
        file.recorder.begin(plan)
        return file
    }
}

/// A field trace that is written to a file line by line. If the program is killed, the file has all lines
/// that were recorded before.
package final class FieldTraceFile: Sendable {
    package let recorder: FieldTraceRecorder
    private let file: FileDescriptor
    private let watch: Task<Void, Never>

    package init(_ path: String) async throws(CommandFailure) {
        let file = try OutputFile.open(path)
        self.file = file
        // A line that cannot be written is lost, because a full disk must not end the presentation.
        let recorder = try await FieldTraceRecorder.ofThisComputer { line in _ = try? file.writeAll(line) }
        self.recorder = recorder
        let service = PCSCService()
        await recorder.describeReaders(of: service)
        watch = Task { await recorder.watchReaders(of: service) }
    }

    deinit {
        try? file.close()
    }

    /// Records the result of the presentation and stops watching the PC/SC readers.
    package func end(_ presentation: Presentation) {
        watch.cancel()
        recorder.end(presentation)
    }
}

extension FieldTraceRecorder {
    /// Creates a recorder whose header has the versions of this computer's programs and libraries.
    package static func ofThisComputer(
        _ write: @escaping @Sendable ([UInt8]) -> Void
    ) async throws(CommandFailure) -> FieldTraceRecorder {
        do throws(FieldTraceError) {
            return try FieldTraceRecorder(await FieldTraceHeader.ofThisComputer(), write: write)
        } catch {
            throw .unavailable(error.explanation)
        }
    }
}
