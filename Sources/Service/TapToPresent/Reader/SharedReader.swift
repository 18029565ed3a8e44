internal import BlueZTransport
internal import PCSCTransport
internal import ReaderService
internal import Synchronization
internal import Transport

/// An NFC reader and a Bluetooth adapter, shared by all readers of this process that select these devices.
/// One read runs at a time.
final class SharedReader: Sendable {
    typealias Presenting =
        @Sendable (ReaderTransaction) async throws(MobileDocumentReaderError) -> Presentation

    private struct State {
        var isOccupied = false
        /// The task that waits until the previous phone has been notified that its transaction has ended.
        var leaving: Task<Void, Never>?
    }

    private let presenting: Presenting
    private let state = Mutex(State())

    init(_ presenting: @escaping Presenting) {
        self.presenting = presenting
    }

    /// Runs `body` while no other read is in progress, or throws `systemBusy`.
    func occupied<Value>(
        _ body: () async throws(MobileDocumentReaderError) -> Value
    ) async throws(MobileDocumentReaderError) -> Value {
        let isMine = state.withLock { state in
            // If another read is in progress, `isOccupied` is already `true`, and this assignment changes
            // nothing.
            defer { state.isOccupied = true }
            return !state.isOccupied
        }
        guard isMine else { throw .systemBusy(.readInProgress) }
        defer { state.withLock { $0.isOccupied = false } }
        return try await body()
    }

    /// Runs a transaction, after the previous phone has been notified that its transaction has ended.
    func present(
        _ transaction: ReaderTransaction
    ) async throws(MobileDocumentReaderError) -> Presentation {
        await previousHasLeft()
        guard !Task.isCancelled else { throw .cancelled(.taskCancelled) }
        let presentation = try await presenting(transaction)
        // The result is returned immediately. Only the next transaction waits until this phone has been
        // notified.
        let leaving = Task { await presentation.waitUntilLeft() }
        state.withLock { $0.leaving = leaving }
        return presentation
    }

    /// Waits until the previous phone has been notified that its transaction has ended.
    func previousHasLeft() async {
        await state.withLock { $0.leaving }?.value
    }
}

extension SharedReader {
    private struct Place: Hashable {
        let reader: String?
        let adapter: String?
    }

    private static let shared = Mutex<[Place: SharedReader]>([:])

    /// Returns the shared reader for the devices with these names. Within this process, calls with equal
    /// names return the same object.
    static func of(reader: String?, adapter: String?) -> SharedReader {
        shared.withLock { shared in
            let place = Place(reader: reader, adapter: adapter)
            if let sharedReader = shared[place] { return sharedReader }
            let sharedReader = SharedReader(reader: reader, adapter: adapter)
            shared[place] = sharedReader
            return sharedReader
        }
    }

    /// Creates the shared reader for real devices, which are opened with the first transaction.
    private convenience init(reader: String?, adapter: String?) {
        let service = PCSCService()
        // An empty text selects any reader.
        let selector = ReaderSelector(reader ?? "")
        let radio = BlueZRadio(configuration: BlueZConfiguration(adapter: adapter))
        let field = FieldOfReads()
        self.init { transaction throws(MobileDocumentReaderError) in
            // A missing reader is reported before the transaction begins.
            do throws(PCSCTransportError) {
                guard !selector.candidates(among: try await service.readers()).isEmpty else {
                    throw PCSCTransportError.noReader
                }
            } catch {
                throw error == .cancelled
                    ? .cancelled(.taskCancelled) : MobileDocumentReaderError(ReaderFault(error))
            }
            let reader = await field.reader { PCSCContactlessReader(service: service, selector: selector) }
            return await transaction.run(at: reader, radio: radio)
        }
    }
}

/// The owner of the one `PCSCContactlessReader` that all reads use. A new object for each read would not
/// recognise the previous customer's phone if that phone is still on the NFC reader (Q208).
private actor FieldOfReads {
    private var reader: PCSCContactlessReader?

    func reader(_ make: () -> PCSCContactlessReader) -> PCSCContactlessReader {
        let reader = reader ?? make()
        self.reader = reader
        return reader
    }
}
