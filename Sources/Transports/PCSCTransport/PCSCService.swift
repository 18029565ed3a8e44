internal import CPCSCLite
internal import Glibc

/// The readers of this computer through pcscd: what there is, what happens to them, and connections to cards.
///
/// Holds one context per reader used, and one while events are watched (Q135).
package actor PCSCService {
    private let configuration: PCSCConfiguration
    private let listing = ReaderSlot(name: "")
    private var slots: [String: ReaderSlot] = [:]
    /// What drivers have reported. They are asked once: a thread cannot answer while its card is busy.
    private var properties: [String: ReaderProperties] = [:]

    package init(configuration: PCSCConfiguration = PCSCConfiguration()) {
        self.configuration = configuration
    }

    /// What happens from now on, beginning with the readers and cards that are present.
    ///
    /// For one consumer. Watching ends when the consumer's task is cancelled or the stream is released. The newest
    /// 1024 unread events are kept.
    package nonisolated func events() -> AsyncStream<ReaderEvent> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1024)) { continuation in
            let monitor = ReaderMonitor(
                emit: { continuation.yield($0) }, ended: { continuation.finish() })
            continuation.onTermination = { _ in monitor.stop() }
            monitor.start()
        }
    }

    /// The names of the readers there are now, in pcscd's order. No driver is asked.
    ///
    /// - Throws: `serviceNotRunning`, `accessDenied`, `cancelled` and the like; no reader is an empty list.
    package func names() async throws(PCSCTransportError) -> [String] {
        try await listing.run { thread throws(PCSCTransportError) in
            defer { thread.close() }
            return try thread.readerNames()
        }
    }

    /// The readers there are now, in pcscd's order.
    ///
    /// - Throws: `serviceNotRunning`, `accessDenied`, `cancelled` and the like; no reader is an empty list.
    package func readers() async throws(PCSCTransportError) -> [ReaderDescription] {
        let names = try await names()
        slots = slots.filter { names.contains($0.key) }
        properties = properties.filter { names.contains($0.key) }
        var readers: [ReaderDescription] = []
        for name in names {
            do throws(PCSCTransportError) {
                readers.append(try await describe(name))
            } catch .readerMissing {
                continue
            }
        }
        return readers
    }

    /// One reader. One whose driver cannot be asked now, because it is held or busy, is described by its name alone
    /// and gets the limits every reader can do.
    ///
    /// - Throws: `readerMissing`, `serviceNotRunning`, `accessDenied`, `cancelled` and the like.
    package func describe(_ name: String) async throws(PCSCTransportError) -> ReaderDescription {
        if properties[name] == nil {
            do throws(PCSCTransportError) {
                properties[name] = try await learned(of: name, within: Self.answerTime)
            } catch  where [.readerInUse, .readerBlocked, .cardMute].contains(error) {}
        }
        return ReaderDescription(
            name: name, properties: properties[name] ?? ReaderProperties(), configuration: configuration)
    }

    /// Connects to the card on a reader, alone.
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

    /// Whether pcscd still has a reader. If pcscd cannot be asked, it counts as there.
    package func lists(_ name: String) async -> Bool {
        (try? await names())?.contains(name) ?? true
    }

    /// Whether a reader's driver answers in time; one that refuses does (Q212).
    package func answers(_ name: String) async -> Bool {
        do throws(PCSCTransportError) {
            _ = try await learned(of: name, within: Self.answerTime)
            return true
        } catch {
            return error != .cancelled && error != .readerBlocked
        }
    }

    /// For a driver's answer about its reader.
    private static let answerTime = Duration.seconds(2)

    /// What a reader's driver reports. A call that does not return is left to its thread.
    ///
    /// - Throws: `readerBlocked` when the time is over, `cancelled`, and what pcscd refuses.
    private func learned(
        of name: String, within limit: Duration
    ) async throws(PCSCTransportError) -> ReaderProperties {
        let slot = slot(name)
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
        if case .failure(.cancelled) = result, !Task.isCancelled { throw .readerBlocked }
        return try result.get()
    }

    /// Has a reader without a card carry out commands itself (Q126).
    ///
    /// - Returns: their answers, until its driver refused one.
    /// - Throws: `readerInUse` if a card is there, `readerMissing`, `serviceNotRunning`, `cancelled` and the like.
    package func command(
        _ commands: [[UInt8]], to reader: String
    ) async throws(PCSCTransportError) -> [[UInt8]] {
        try await slot(reader).run { thread throws(PCSCTransportError) in
            try thread.command(commands, to: reader)
        }
    }

    private func slot(_ name: String) -> ReaderSlot {
        if let slot = slots[name] { return slot }
        let slot = ReaderSlot(name: name)
        slots[name] = slot
        return slot
    }
}

extension PCSCService {
    /// Where pcscd listens, unless its environment names another place.
    private static let usualSocket = "/run/pcscd/pcscd.comm"

    /// Whether this computer has a pcscd, running or waiting for its first client.
    package static var isInstalled: Bool {
        let named = unsafe getenv("PCSCLITE_CSOCK_NAME").map { unsafe String(cString: $0) }
        return unsafe access(named ?? usualSocket, F_OK) == 0
    }
}

/// What an installation may change about readers.
package struct PCSCConfiguration: Equatable, Sendable {
    /// Most bytes of data in one extended command or answer; 4096 unless an installation knows its reader (Q137).
    package var extendedData: Int
    /// Most bytes to ask for in one short answer; 255 for readers that fail at exactly 256 (Q121).
    package var shortResponseData: Int

    package init(extendedData: Int = 4096, shortResponseData: Int = 256) {
        self.extendedData = min(max(extendedData, 256), 65_526)
        self.shortResponseData = min(max(shortResponseData, 1), 256)
    }
}

/// The library through which pcscd is reached.
package enum PCSCLibrary {
    /// The version of PC/SC lite that this program was built against; the library does not report one at run time.
    package static let version = PCSCLITE_VERSION_NUMBER
}
