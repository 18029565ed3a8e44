package import FieldTrace
internal import PCSCTransport
package import ReaderService
internal import SystemPackage
internal import Transport

/// A field trace that is written to a file line by line, so that nothing is lost if the program is ended.
package final class FieldTraceFile: Sendable {
    package let recorder: FieldTraceRecorder
    private let file: FileDescriptor
    private let watch: Task<Void, Never>

    package init(_ path: String) async throws(CommandFailure) {
        let file = try OutputFile.open(path)
        self.file = file
        let recorder = try await FieldTraceRecorder.ofThisComputer { line in _ = try? file.writeAll(line) }
        self.recorder = recorder
        let service = PCSCService()
        await recorder.describeReaders(of: service)
        watch = Task { await recorder.watchReaders(of: service) }
    }

    deinit {
        try? file.close()
    }

    package func end(_ presentation: Presentation) {
        watch.cancel()
        recorder.end(presentation)
    }
}

extension FieldTraceRecorder {
    /// Begins a trace with the versions of this computer.
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
