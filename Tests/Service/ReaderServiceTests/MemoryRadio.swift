import Deadlines
import NDEF
import Synchronization
import Transport

/// Bluetooth without a radio: whatever is served or looked for, the one phone is there.
final class MemoryRadio: BluetoothLERadio {
    /// The phone's end of a link that is up and started, until it is over.
    private let phone: @Sendable (MemoryLink) async -> Void

    /// Whether it answers nobody.
    private let isSilent: Bool

    /// Why it is not there; nil if it is.
    private let missing: RadioFault?

    /// How many links to it the phone still leaves before it hears the start.
    private let leaving: Mutex<Int>

    /// Returns when the phone may connect.
    private let connecting: @Sendable () async -> Void

    init(
        isSilent: Bool = false, missing: RadioFault? = nil, leaving: Int = 0, settings: RadioFault? = nil,
        refusal: RadioFault? = nil,
        connecting: @escaping @Sendable () async -> Void = {},
        _ phone: @escaping @Sendable (MemoryLink) async -> Void
    ) {
        self.isSilent = isSilent
        self.missing = missing
        self.leaving = Mutex(leaving)
        self.connecting = connecting
        self.settings = settings
        self.refusal = Mutex(refusal)
        self.phone = phone
    }

    /// What is wrong with its settings.
    private let settings: RadioFault?

    /// The fault with which it refuses to serve.
    let refusal: Mutex<RadioFault?>

    func settingsFault() async -> RadioFault? { settings }

    /// How often something was advertised.
    let served = Mutex(0)

    /// How often it was made ready.
    let prepared = Mutex(0)

    func prepare() async throws(BluetoothLEError) {
        prepared.withLock { $0 += 1 }
        try await checkReadiness()
    }

    func checkReadiness() async throws(BluetoothLEError) {
        if let missing { throw .radioUnavailable(missing) }
        guard isSilent else { return }
        await untilCancelled()
        throw .cancelled
    }
    func waitUntilReady() async throws(BluetoothLEError) {}

    func serve(_ service: GATTService) async throws(BluetoothLEError) -> any BluetoothLEServer {
        served.withLock { $0 += 1 }
        if let refusal = refusal.withLock({ $0 }) { throw .radioUnavailable(refusal) }
        return Server(radio: self)
    }

    /// mdoc central client mode: the phone connects and starts.
    private struct Server: BluetoothLEServer {
        let radio: MemoryRadio

        func setIdent(_ ident: [UInt8]) async {}
        func close() async {}

        func link() async throws(BluetoothLEError) -> any BluetoothLELink {
            await radio.connecting()
            let (ours, theirs) = MemoryLink.pair()
            Task { await radio.phone(theirs) }
            return ours
        }
    }

    /// mdoc peripheral server mode: the phone hears the start first.
    func connect(
        to service: GATTService, choosing choice: ChannelChoice?
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        await connecting()
        let (theirs, ours) = MemoryLink.pair()
        let leaves = leaving.withLock {
            $0 -= 1
            return $0 >= 0
        }
        if leaves {
            await theirs.close()
            return ours
        }
        Task {
            guard (try? await theirs.receive()) == .state([1]) else { return }
            await phone(theirs)
        }
        return ours
    }

    func connect(
        to uuid: BluetoothUUID, psm: UInt16
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        throw .serviceIncomplete
    }
}

/// One end of a link in memory.
actor MemoryLink: BluetoothLELink {
    nonisolated let kind: BluetoothLELinkKind
    let packetLimit = 244
    private let channel: InMemoryChannel
    private var receiving: Task<Result<[UInt8], TransportError>, Never>?

    private init(_ kind: BluetoothLELinkKind, _ channel: InMemoryChannel) {
        self.kind = kind
        self.channel = channel
    }

    static func pair() -> (server: MemoryLink, client: MemoryLink) {
        let (one, other) = InMemoryChannel.pair()
        return (MemoryLink(.server, one), MemoryLink(.client, other))
    }

    /// The first byte of what goes through the channel tells data from the state.
    private enum Mark {
        static let data: UInt8 = 0
        static let state: UInt8 = 1
    }

    func receive() async throws(BluetoothLEError) -> BluetoothLEPacket {
        let channel = channel
        let task = Task { () -> Result<[UInt8], TransportError> in
            do throws(TransportError) { return .success(try await channel.receive()) } catch {
                return .failure(error)
            }
        }
        receiving = task
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        receiving = nil
        switch result {
        case .success(let packet):
            return packet[0] == Mark.state ? .state(Array(packet[1...])) : .data(Array(packet[1...]))
        case .failure(.cancelled): throw .cancelled
        case .failure: throw .linkLost
        }
    }

    func interrupt() async {
        receiving?.cancel()
    }

    func send(_ head: PacketHead, _ body: ArraySlice<UInt8>) async throws(BluetoothLEError) {
        let prefix: [UInt8] = if case .byte(let byte) = head { [byte] } else { [] }
        try await put([Mark.data] + prefix + body)
    }

    func signal(_ state: UInt8) async throws(BluetoothLEError) {
        try await put([Mark.state, state])
    }

    private func put(_ packet: [UInt8]) async throws(BluetoothLEError) {
        do throws(TransportError) { try await channel.send(packet) } catch {
            throw error == .cancelled ? .cancelled : .linkLost
        }
    }

    func close() async {
        await channel.close()
    }
}
