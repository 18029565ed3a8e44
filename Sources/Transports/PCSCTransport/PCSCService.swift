internal import CPCSCLite
internal import Glibc

/// The PC/SC readers of this computer as pcscd reports them: their list, their events, and connections to
/// their cards.
///
/// The service has one context of pcscd for each reader in use, and one for each stream of events (Q135).
package actor PCSCService {
    private let configuration: PCSCConfiguration
    /// The slot of the thread that lists the readers. The slot belongs to no reader, so it has no name.
    private let listing = ReaderSlot(name: "")
    /// The slots of the readers in use, by name.
    private var slots: [String: ReaderSlot] = [:]
    /// The properties of readers by name. The driver of each reader is queried only once, because the
    /// reader's thread cannot call the driver while it waits for the card.
    private var properties: [String: ReaderProperties] = [:]

    package init(configuration: PCSCConfiguration = PCSCConfiguration()) {
        self.configuration = configuration
    }

    /// Returns the events from now on, beginning with the readers and cards that are present.
    ///
    /// The stream is for one consumer. The stream ends when the consumer's task is cancelled or the stream is
    /// released. At most the newest 1024 unread events are kept.
    package nonisolated func events() -> AsyncStream<ReaderEvent> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1024)) { continuation in
            let monitor = ReaderMonitor(
                emit: { continuation.yield($0) }, ended: { continuation.finish() })
            continuation.onTermination = { _ in monitor.stop() }
            monitor.start()
        }
    }

    /// Returns the names of the current readers in pcscd's order, possibly none. Does not call the readers'
    /// drivers.
    ///
    /// - Throws: `serviceNotRunning`, `accessDenied`, `cancelled` or another error of pcscd.
    package func names() async throws(PCSCTransportError) -> [String] {
        try await listing.run { thread throws(PCSCTransportError) in
            // The context is closed after each list, because the number of pcscd's clients is limited (Q135).
            defer { thread.close() }
            return try thread.readerNames()
        }
    }

    /// Returns the current readers in pcscd's order, possibly none.
    ///
    /// - Throws: `serviceNotRunning`, `accessDenied`, `cancelled` or another error of pcscd.
    package func readers() async throws(PCSCTransportError) -> [ReaderDescription] {
        let names = try await names()
        // Readers that were unplugged are forgotten.
        slots = slots.filter { names.contains($0.key) }
        properties = properties.filter { names.contains($0.key) }
        var readers: [ReaderDescription] = []
        for name in names {
            do throws(PCSCTransportError) {
                readers.append(try await describe(name))
            } catch .readerMissing {
                // The reader was unplugged after it had been listed.
                continue
            }
        }
        return readers
    }

    /// Describes one reader. If the driver cannot be asked now because the reader is in use, is blocked or
    /// has a mute card, the description has only the name, and the limits that every reader can handle.
    ///
    /// - Throws: `readerMissing`, `serviceNotRunning`, `accessDenied`, `cancelled` or another error of pcscd.
    package func describe(_ name: String) async throws(PCSCTransportError) -> ReaderDescription {
        if properties[name] == nil {
            do throws(PCSCTransportError) {
                properties[name] = try await readProperties(of: name, within: Self.answerTime)
            } catch  where [.readerInUse, .readerBlocked, .cardMute].contains(error) {
                // The properties stay unknown, and the next call asks the driver again.
            }
        }
        return ReaderDescription(
            name: name, properties: properties[name] ?? ReaderProperties(), configuration: configuration)
    }

    /// Connects to the card on a reader and keeps other programs from using it.
    ///
    /// - Throws: `noCard`, `cardMute`, `readerInUse`, `readerMissing`, `serviceNotRunning`, `cancelled`.
    package func connect(to reader: ReaderDescription) async throws(PCSCTransportError) -> PCSCCard {
        let slot = slot(reader.name)
        let thread = try await slot.currentThread()
        let connection = try await slot.run(on: thread) { thread throws(PCSCTransportError) in
            try thread.connect(to: reader.name)
        }
        return PCSCCard(slot: slot, thread: thread, connection: connection, limits: reader.limits)
    }

    /// Whether pcscd lists a reader. `true` also if pcscd cannot be asked, because that does not show that
    /// the reader was unplugged.
    package func isListed(_ name: String) async -> Bool {
        (try? await names())?.contains(name) ?? true
    }

    /// Whether a reader's driver answers within 2 s. A refusal is an answer too (Q212). `false` also if the
    /// task is cancelled.
    package func answers(_ name: String) async -> Bool {
        do throws(PCSCTransportError) {
            _ = try await readProperties(of: name, within: Self.answerTime)
            return true
        } catch {
            return error != .cancelled && error != .readerBlocked
        }
    }

    /// The maximum wait for a driver's answer about its reader.
    private static let answerTime = Duration.seconds(2)

    /// Reads a reader's properties from its driver. A call that does not return in time is abandoned, and its
    /// thread waits for the reader.
    ///
    /// - Throws: `readerBlocked` if the driver did not answer in time, `cancelled`, and errors of pcscd.
    private func readProperties(
        of name: String, within limit: Duration
    ) async throws(PCSCTransportError) -> ReaderProperties {
        let slot = slot(name)
        // The call has a separate task, so that the timer can cancel it. Only a cancellation abandons a call
        // that does not return.
        let call = Task { () -> Result<ReaderProperties, PCSCTransportError> in
            do throws(PCSCTransportError) {
                return .success(
                    try await slot.run { thread throws(PCSCTransportError) in
                        try thread.properties(of: name)
                    })
            } catch {
                return .failure(error)
            }
        }
        let timer = Task {
            try await Task.sleep(for: limit)
            call.cancel()
        }
        defer { timer.cancel() }
        let result = await withTaskCancellationHandler {
            await call.value
        } onCancel: {
            call.cancel()
        }
        // The timer cancelled the call, not the caller.
        if case .failure(.cancelled) = result, !Task.isCancelled { throw .readerBlocked }
        return try result.get()
    }

    /// Sends commands to a reader itself while no card is on it (Q126).
    ///
    /// - Returns: the answers up to the first command that the driver refused.
    /// - Throws: `readerInUse` if a card is present, `readerMissing`, `serviceNotRunning`, `cancelled` or
    ///   another error of pcscd.
    package func command(
        _ commands: [[UInt8]], to reader: String
    ) async throws(PCSCTransportError) -> [[UInt8]] {
        try await slot(reader).run { thread throws(PCSCTransportError) in
            try thread.command(commands, to: reader)
        }
    }

    /// Returns the slot of a reader, which is created at first use.
    private func slot(_ name: String) -> ReaderSlot {
        if let slot = slots[name] { return slot }
        let slot = ReaderSlot(name: name)
        slots[name] = slot
        return slot
    }
}

extension PCSCService {
    /// The path of the socket on which pcscd listens if the environment contains no other path.
    private static let usualSocket = "/run/pcscd/pcscd.comm"

    /// Whether this computer has a pcscd that runs, or that systemd starts for the first client.
    package static var isInstalled: Bool {
        let named = unsafe getenv("PCSCLITE_CSOCK_NAME").map { unsafe String(cString: $0) }
        return unsafe access(named ?? usualSocket, F_OK) == 0
    }
}

/// The settings of an installation for its readers.
package struct PCSCConfiguration: Equatable, Sendable {
    /// The maximum number of data bytes in one extended command or answer. A value above 4096 is safe only
    /// with a reader that is known to handle longer APDUs (Q137).
    package var extendedData: Int
    /// The maximum number of bytes to request in one short answer: 256, or 255 for readers that fail at
    /// exactly 256 (Q121).
    package var shortResponseData: Int

    package init(extendedData: Int = 4096, shortResponseData: Int = 256) {
        self.extendedData = min(max(extendedData, 256), 65_526)
        self.shortResponseData = min(max(shortResponseData, 1), 256)
    }
}

/// The client library of pcscd.
package enum PCSCLibrary {
    /// The version of PC/SC lite with which this program was built. The library does not report its version
    /// at run time.
    package static let version = PCSCLITE_VERSION_NUMBER
}
