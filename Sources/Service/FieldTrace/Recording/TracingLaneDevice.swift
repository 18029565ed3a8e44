package import MdocModel
package import PCSCTransport
package import ReaderService
package import Transport

/// A lane's device whose presentations are recorded. What it asks phones with is to be a tracing reader and radio of the
/// same recorder.
package struct TracingLaneDevice: LaneDevice {
    private let device: any LaneDevice
    private let recorder: FieldTraceRecorder
    private let readers: PCSCService

    package init(_ device: any LaneDevice, _ recorder: FieldTraceRecorder, _ readers: PCSCService) {
        self.device = device
        self.recorder = recorder
        self.readers = readers
    }

    package func run(_ transaction: ReaderTransaction) async -> Presentation {
        await recorded(transaction) { await device.run($0) }
    }

    package func run(
        _ transaction: ReaderTransaction, scanned engagement: DeviceEngagement
    ) async -> Presentation {
        await recorded(transaction) { await device.run($0, scanned: engagement) }
    }

    private func recorded(
        _ transaction: ReaderTransaction, _ run: (ReaderTransaction) async -> Presentation
    ) async -> Presentation {
        recorder.begin(transaction.plan)
        let (recorder, readers) = (recorder, readers)
        await recorder.describeReaders(of: readers)
        let watch = Task { await recorder.watchReaders(of: readers) }
        defer { watch.cancel() }
        let presentation = await run(transaction.reporting(to: recorder.observe))
        recorder.end(presentation)
        return presentation
    }

    package func readiness() async -> LaneReadiness {
        await device.readiness()
    }

    package func radioFault() async -> RadioFault? {
        await device.radioFault()
    }
}
