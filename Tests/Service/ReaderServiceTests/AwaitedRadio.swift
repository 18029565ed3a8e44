import Deadlines
import NDEF
import Transport

/// Bluetooth without a radio, in mdoc central client mode: a phone comes when a test lets it.
actor AwaitedRadio: BluetoothLERadio {
    /// What was served, in its order, and what of it still is.
    private(set) var uuids: [BluetoothUUID] = []
    private(set) var open: Set<BluetoothUUID> = []
    private var waiting: (number: Int, continuation: CheckedContinuation<MemoryLink?, Never>)?
    private var links = 0

    func settingsFault() async -> RadioFault? { nil }
    func checkReadiness() async throws(BluetoothLEError) {}
    func prepare() async throws(BluetoothLEError) {}
    func waitUntilReady() async throws(BluetoothLEError) {}

    func serve(_ service: GATTService) async throws(BluetoothLEError) -> any BluetoothLEServer {
        uuids.append(service.uuid)
        open.insert(service.uuid)
        return Server(radio: self, uuid: service.uuid)
    }

    func connect(
        to service: GATTService, choosing choice: ChannelChoice?
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        throw .serviceIncomplete
    }

    func connect(to uuid: BluetoothUUID, psm: UInt16) async throws(BluetoothLEError) -> any BluetoothLELink {
        throw .serviceIncomplete
    }

    private var isAwaited: Bool { waiting != nil }

    private func hasServed(_ count: Int) -> Bool { uuids.count >= count && isAwaited }

    /// Returns once so many services were served and a link is waited for.
    func served(_ count: Int) async throws {
        try await until("service \(count)", every: .milliseconds(1)) {
            await self.hasServed(count)
        }
    }

    /// The phone's end of a link to what is served now; nil if nobody waits for one in time.
    func connect(after limit: Duration) async -> MemoryLink? {
        try? await until("a wait", within: limit, every: .milliseconds(1)) { await self.isAwaited }
        guard let waiting else { return nil }
        let (ours, theirs) = MemoryLink.pair()
        self.waiting = nil
        waiting.continuation.resume(returning: ours)
        return theirs
    }

    private func link(to uuid: BluetoothUUID) async throws(BluetoothLEError) -> any BluetoothLELink {
        links += 1
        let number = links
        let link: MemoryLink? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: nil)
                } else {
                    waiting = (number, continuation)
                }
            }
        } onCancel: {
            Task { await self.giveUp(number) }
        }
        guard let link else { throw .cancelled }
        close(uuid)
        return link
    }

    private func giveUp(_ number: Int) {
        guard let waiting, waiting.number == number else { return }
        self.waiting = nil
        waiting.continuation.resume(returning: nil)
    }

    private func close(_ uuid: BluetoothUUID) {
        open.remove(uuid)
    }

    private struct Server: BluetoothLEServer {
        let radio: AwaitedRadio
        let uuid: BluetoothUUID

        func setIdent(_ ident: [UInt8]) async {}
        func close() async { await radio.close(uuid) }

        func link() async throws(BluetoothLEError) -> any BluetoothLELink {
            try await radio.link(to: uuid)
        }
    }
}
