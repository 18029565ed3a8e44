internal import MdocSession
internal import Synchronization

/// The messages of one NFC v2 session, exchanged over NFC and Bluetooth at the same time (draft of the second
/// edition of ISO/IEC 18013-5).
///
/// Each message is sent with the same bytes on both bearers, and the first copy of each answer is used. One
/// working bearer is enough. NFC is used from the start. Bluetooth joins when its link is made, and then
/// sends the messages that wait for it.
///
/// Answers are counted on each bearer, so that the second copy of an answer is compared with the first and
/// then dropped. A second copy that differs is recorded and changes nothing, because otherwise anybody in
/// radio range could spoil an answer. The first copy is decrypted and verified like every answer.
///
/// The exchange ends in one of these ways:
/// - The phone ends the session on one bearer.
/// - Both bearers fail; `ending()` chooses the failure to report.
/// - `terminate(sending:)` notifies the phone. The next customer waits for Bluetooth no longer than
///   `copyTime`.
actor HybridExchange {
    typealias Bearer = PresentationNote.Bearer

    /// The reason why a bearer (NFC or Bluetooth) carries no more messages.
    private enum BearerEnd {
        /// The phone ended the transfer on this bearer without a message.
        case ended
        case failed(TapEnd)
    }

    private typealias Queue = AsyncStream<[UInt8]>.Continuation

    /// The maximum time for sending the termination message over NFC.
    private static let terminationTime: Duration = .milliseconds(500)
    /// The maximum time to wait for Bluetooth after the end of the session. In this time, the second copy of
    /// the last answer may still come over Bluetooth. The next customer's presentation begins after the wait.
    private static let copyTime: Duration = .seconds(2)

    private var queues: [Bearer: Queue] = [:]
    private var tasks: [Bearer: Task<Void, Never>] = [:]
    private var ends: [Bearer: BearerEnd] = [:]
    /// The number of answers that came over each bearer.
    private var counts: [Bearer: Int] = [:]
    /// The first copy of each answer, with the instant at which the answer began to arrive, if the bearer
    /// reports that instant.
    private var answers: [(bytes: [UInt8], began: ContinuousClock.Instant?)] = []
    /// The number of messages that were sent.
    private var asked = 0
    /// The call of `exchange` that waits for an answer.
    private var waiter: CheckedContinuation<Void, Never>?
    private var terminationMessage: [UInt8]?
    private var isOver = false
    private var isConnected = false
    private let onNote: @Sendable (PresentationNote) -> Void

    init(onNote: @escaping @Sendable (PresentationNote) -> Void) {
        self.onNote = onNote
    }

    /// Starts the exchange on both bearers. NFC is used while `connect` makes the Bluetooth link.
    func start(
        _ retrieval: NFCRetrieval,
        connect: @escaping @Sendable () async -> Result<LinkCarrier, PresentationFailure>
    ) {
        let nfc = makeQueue(for: .nfc)
        // The NFC carrier throws a `TapEnd`, so its error needs no conversion.
        tasks[.nfc] = Task { await serve(.nfc, over: retrieval, messages: nfc) { $0 } }
        let bluetooth = makeQueue(for: .bluetooth)
        tasks[.bluetooth] = Task {
            do throws(PresentationFailure) {
                let carrier = try await connect().get()
                connected()
                await serve(.bluetooth, over: carrier, messages: bluetooth) { .failed($0) }
            } catch {
                end(.bluetooth, .failed(.failed(error)))
            }
        }
    }

    /// Creates the queue of a bearer. `exchange` puts each message into both queues.
    private func makeQueue(for bearer: Bearer) -> AsyncStream<[UInt8]> {
        let (stream, queue) = AsyncStream.makeStream(of: [UInt8].self)
        queues[bearer] = queue
        return stream
    }

    private func connected() {
        isConnected = true
    }

    /// Carries the messages of one bearer, one after another, because over NFC the next message waits for the
    /// answer to the previous ENVELOPE. At the end the carrier is terminated in any case, which closes a
    /// Bluetooth link.
    ///
    /// - Parameter tapEnd: turns the carrier's own error into the end of the tap.
    private func serve<Carrier: SessionCarrier & Sendable>(
        _ bearer: Bearer, over carrier: Carrier, messages: AsyncStream<[UInt8]>,
        tapEnd: (Carrier.End) -> TapEnd
    ) async {
        var carrier = carrier
        serving: for await message in messages {
            // A message that still waits must not be sent after the end of the session.
            if isOver { break }
            do throws(Carrier.End) {
                // `HybridCarrier` reports the progress, once for both bearers.
                switch try await carrier.exchange(message, report: { _ in }) {
                case .message(let answer, let began): accept(answer, began: began, from: bearer)
                case .ended:
                    end(bearer, .ended)
                    break serving
                }
            } catch {
                end(bearer, .failed(tapEnd(error)))
                break
            }
        }
        await carrier.terminate(sending: terminationMessage)?.value
    }

    /// Keeps the first copy of an answer, and compares the second copy with it.
    private func accept(_ answer: [UInt8], began: ContinuousClock.Instant?, from bearer: Bearer) {
        let number = counts[bearer, default: 0]
        counts[bearer] = number + 1
        guard number == answers.count else {
            // The first copy of this answer has already come over the other bearer.
            if answers[number].bytes != answer { onNote(.copiesDiffer(second: bearer)) }
            return
        }
        answers.append((answer, began))
        wake()
    }

    private func end(_ bearer: Bearer, _ reason: BearerEnd) {
        ends[bearer] = reason
        wake()
    }

    private func wake() {
        waiter.take()?.resume()
    }

    /// Sends a message on both bearers and waits for the first copy of its answer.
    func exchange(_ message: [UInt8]) async throws(TapEnd) -> CarriedAnswer {
        let number = asked
        asked += 1
        for queue in queues.values { queue.yield(message) }
        await withTaskCancellationHandler {
            // An answer can still come over one bearer, so the end of the other bearer does not end the wait.
            while answers.count <= number, ends.count < 2, !Task.isCancelled {
                await withCheckedContinuation { waiter = $0 }
            }
        } onCancel: {
            // The cancellation handler is synchronous and runs outside the actor, so a task calls `wake`.
            Task { await wake() }
        }
        guard answers.count <= number else {
            return .message(answers[number].bytes, began: answers[number].began)
        }
        if Task.isCancelled { throw .failed(.cancelled) }
        return try ending()
    }

    /// Returns the result of an exchange after both bearers have ended without an answer.
    private func ending() throws(TapEnd) -> CarriedAnswer {
        switch (ends[.nfc], ends[.bluetooth]) {
        case (.ended, _), (_, .ended): return .ended
        // A phone may be lifted at any time. If Bluetooth has failed too, its failure is therefore reported,
        // and not the tap that broke off.
        case (.failed(.broken), .failed(.failed(.connectionOverdue))): throw .unconnected
        case (.failed(.broken), .failed(let end)): throw end
        case (.failed(let end), _), (nil, .failed(let end)): throw end
        // Not reached, because `exchange` waits until both bearers have ended.
        case (nil, nil): throw .failed(.session(.unexpectedMessage))
        }
    }

    /// Notifies the phone of the end of the session on both bearers. Waits at most half a second for NFC.
    ///
    /// - Returns: the task that ends the transfer over Bluetooth while the outcome is already shown (Q76).
    func terminate(sending message: [UInt8]?) async -> Task<Void, Never>? {
        terminationMessage = message
        isOver = true
        for queue in queues.values { queue.finish() }
        // A link that is still being made would only delay the end, so the attempt is cancelled.
        if !isConnected { tasks[.bluetooth]?.cancel() }
        if let nfc = tasks[.nfc] { await Self.wait(for: nfc, within: Self.terminationTime) }
        return tasks[.bluetooth].map { bluetooth in
            Task { await Self.wait(for: bluetooth, within: Self.copyTime) }
        }
    }

    /// Waits for a task, and cancels it after `time`.
    private static func wait(for task: Task<Void, Never>, within time: Duration) async {
        let timer = Task {
            try await Task.sleep(for: time, clock: .continuous)
            task.cancel()
        }
        await task.value
        timer.cancel()
    }
}

/// The carrier of a session over NFC and Bluetooth at the same time.
struct HybridCarrier: SessionCarrier {
    let exchange: HybridExchange
    private(set) var sent: ContinuousClock.Instant?

    init(_ exchange: HybridExchange) {
        self.exchange = exchange
    }

    mutating func exchange(
        _ message: [UInt8], report: @escaping @Sendable (PresentationEvent) -> Void
    ) async throws(TapEnd) -> CarriedAnswer {
        // The bearers send in separate tasks, which do not report the instant of sending.
        sent = .now
        report(.awaitingConsent)
        let answer = try await exchange.exchange(message)
        report(.receiving)
        return answer
    }

    func terminate(sending message: [UInt8]?) async -> Task<Void, Never>? {
        await exchange.terminate(sending: message)
    }

    static func end(_ failure: PresentationFailure) -> TapEnd { .failed(failure) }
}
