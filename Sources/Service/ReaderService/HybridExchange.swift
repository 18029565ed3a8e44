internal import MdocSession
internal import Synchronization

/// The messages of one NFC v2 session over NFC and Bluetooth at once (draft of the second edition): each goes out on both
/// with the same bytes, and the first copy of each answer is used. One bearer is enough.
///
/// Answers are counted on each bearer: a second copy is compared with the first, and dropped. One that differs is noted, and
/// changes nothing: the first is judged by its keys and signatures, and nobody else's copy may undo that.
actor HybridExchange {
    typealias Bearer = PresentationNote.Bearer

    /// Why a bearer carries nothing more.
    private enum BearerEnd {
        /// The phone ended it without a message.
        case ended
        case failed(TapEnd)
    }

    private typealias Queue = AsyncStream<[UInt8]>.Continuation

    /// How long NFC may take for the termination message.
    private static let terminationTime: Duration = .milliseconds(500)
    /// How long a second copy may still come over Bluetooth after the end: the next customer waits for it.
    private static let copyTime: Duration = .seconds(2)

    private var queues: [Bearer: Queue] = [:]
    private var tasks: [Bearer: Task<Void, Never>] = [:]
    private var ends: [Bearer: BearerEnd] = [:]
    private var counts: [Bearer: Int] = [:]
    private var answers: [(bytes: [UInt8], began: ContinuousClock.Instant?)] = []
    private var asked = 0
    private var waiter: CheckedContinuation<Void, Never>?
    private var terminationMessage: [UInt8]?
    private var isOver = false
    private var isConnected = false
    private let noted: @Sendable (PresentationNote) -> Void

    init(noted: @escaping @Sendable (PresentationNote) -> Void) {
        self.noted = noted
    }

    /// Begins on both: `connect` makes the link, while NFC is used already.
    func start(
        _ retrieval: NFCRetrieval,
        connect: @escaping @Sendable () async -> Result<LinkCarrier, PresentationFailure>
    ) {
        let nfc = queue(for: .nfc)
        tasks[.nfc] = Task { await serve(.nfc, over: retrieval, messages: nfc) { $0 } }
        let bluetooth = queue(for: .bluetooth)
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

    private func queue(for bearer: Bearer) -> AsyncStream<[UInt8]> {
        let (stream, queue) = AsyncStream.makeStream(of: [UInt8].self)
        queues[bearer] = queue
        return stream
    }

    private func connected() {
        isConnected = true
    }

    /// One message at a time: over NFC the next waits until the ENVELOPE before it is answered. Whatever ends it, the
    /// bearer is left as any other is: a link is closed.
    private func serve<Carrier: SessionCarrier & Sendable>(
        _ bearer: Bearer, over carrier: Carrier, messages: AsyncStream<[UInt8]>,
        tapEnd: (Carrier.End) -> TapEnd
    ) async {
        var carrier = carrier
        serving: for await message in messages {
            if isOver { break }
            do throws(Carrier.End) {
                switch try await carrier.exchange(message, report: { _ in }) {
                case .message(let answer, let began): take(answer, began, from: bearer)
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

    private func take(_ answer: [UInt8], _ began: ContinuousClock.Instant?, from bearer: Bearer) {
        let number = counts[bearer, default: 0]
        counts[bearer] = number + 1
        guard number == answers.count else {
            if answers[number].bytes != answer { noted(.copiesDiffer(second: bearer)) }
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

    /// Sends a message on both bearers and waits for the first copy of the answer.
    func exchange(_ message: [UInt8]) async throws(TapEnd) -> CarriedAnswer {
        let number = asked
        asked += 1
        for queue in queues.values { queue.yield(message) }
        await withTaskCancellationHandler {
            while answers.count <= number, ends.count < 2, !Task.isCancelled {
                await withCheckedContinuation { waiter = $0 }
            }
        } onCancel: {
            Task { await wake() }
        }
        guard answers.count <= number else {
            return .message(answers[number].bytes, began: answers[number].began)
        }
        if Task.isCancelled { throw .failed(.cancelled) }
        return try ending()
    }

    /// What it means that neither carries anything more.
    private func ending() throws(TapEnd) -> CarriedAnswer {
        switch (ends[.nfc], ends[.bluetooth]) {
        case (.ended, _), (_, .ended): return .ended
        case (.failed(.broken), .failed(.failed(.connectionOverdue))): throw .unconnected
        case (.failed(.broken), .failed(let end)): throw end
        case (.failed(let end), _), (nil, .failed(let end)): throw end
        case (nil, nil): throw .failed(.session(.unexpectedMessage))
        }
    }

    /// Notifies the phone of the end on both bearers; over NFC for half a second at most.
    ///
    /// - Returns: what still happens over Bluetooth.
    func terminate(sending message: [UInt8]?) async -> Task<Void, Never>? {
        terminationMessage = message
        isOver = true
        for queue in queues.values { queue.finish() }
        if !isConnected { tasks[.bluetooth]?.cancel() }
        if let nfc = tasks[.nfc] { await Self.end(of: nfc, within: Self.terminationTime) }
        return tasks[.bluetooth].map { bluetooth in
            Task { await Self.end(of: bluetooth, within: Self.copyTime) }
        }
    }

    private static func end(of task: Task<Void, Never>, within time: Duration) async {
        let timer = Task {
            try await Task.sleep(for: time, clock: .continuous)
            task.cancel()
        }
        await task.value
        timer.cancel()
    }
}

/// A session over both bearers.
struct HybridCarrier: SessionCarrier {
    let exchange: HybridExchange
    private(set) var sent: ContinuousClock.Instant?

    init(_ exchange: HybridExchange) {
        self.exchange = exchange
    }

    mutating func exchange(
        _ message: [UInt8], report: @escaping @Sendable (PresentationEvent) -> Void
    ) async throws(TapEnd) -> CarriedAnswer {
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
