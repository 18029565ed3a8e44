internal import ISO7816
internal import MdocSession
internal import NDEF
internal import Synchronization

/// The NFC data transfer of one tap.
struct NFCRetrieval: Sendable {
    struct Answer {
        let message: [UInt8]
        let requestSent: ContinuousClock.Instant
        let answerBegan: ContinuousClock.Instant
    }

    /// When the last ENVELOPE of a message went out and when its answer came: between them lies consent (Q54).
    private final class Turn: Sendable {
        struct State {
            var instants: (sent: ContinuousClock.Instant, answered: ContinuousClock.Instant)?
            /// Who is to be told that the answer begins.
            var begun: (@Sendable () -> Void)?
        }

        private let state = Mutex(State())

        var instants: (sent: ContinuousClock.Instant, answered: ContinuousClock.Instant)? {
            state.withLock { $0.instants }
        }

        func begin(_ begun: @escaping @Sendable () -> Void) {
            state.withLock { $0 = State(begun: begun) }
        }

        func note(_ exchange: CardDriver.Exchange) {
            guard exchange.command.starts(with: [0x00, 0xc3]) else { return }
            let begun = state.withLock { state in
                state.instants = (exchange.sent, .now)
                return exchange.isAnswered ? state.begun.take() : nil
            }
            begun?()
        }
    }

    private var machine: NFCTransferReader
    private let driver: CardDriver
    /// How long what is under way may still take once we are told to stop.
    private let grace: Duration
    private let turn = Turn()
    /// Whether the phone is between two messages and still listens.
    private var isIdle = false

    /// - Parameter carrier: the limits the phone gave, if it did.
    init(_ driver: CardDriver, _ carrier: NFCCarrier?, _ settings: NFCTransferSettings) {
        machine = NFCTransferReader(
            limits: driver.card.readerLimits, carrier: carrier ?? NFCCarrier(), settings: settings)
        grace = driver.grace
        var observed = driver
        observed.grace = .zero
        let turn = turn
        observed.observe = { turn.note($0) }
        self.driver = observed
    }

    /// Selects the data transfer application.
    ///
    /// - Parameter isFirst: whether nothing was said to this phone before: one without the application may then be
    ///   locked (Q1).
    mutating func select(isFirst: Bool) async throws(TapEnd) {
        do throws(TapEnd) {
            guard case .selected = try await run(machine.start(now: .now)) else {
                throw .failed(.session(.unexpectedMessage))
            }
        } catch .failed(.transfer(let reason)) where isFirst && reason.fault == .status(.notFound) {
            throw .noWallet(reason)
        }
    }

    /// Sends one message and waits for the answer; `begun` is called when that begins.
    mutating func send(
        _ message: [UInt8], begun: @escaping @Sendable () -> Void
    ) async throws(TapEnd) -> Answer {
        turn.begin(begun)
        guard case .message(let answer) = try await run(machine.send(message[...], now: .now)) else {
            throw .failed(.session(.unexpectedMessage))
        }
        let instants = turn.instants ?? (.now, .now)
        return Answer(message: answer, requestSent: instants.sent, answerBegan: instants.answered)
    }

    /// Runs until the delivery. When we are told to stop, what is under way may end within the grace, since a phone
    /// in mid-message cannot be told.
    private mutating func run(_ action: NFCTransferReader.Action) async throws(TapEnd) -> NFCTransferDelivery
    {
        isIdle = false
        let (machine, driver) = (machine, driver)
        let result = await bounded(by: nil, grace: grace) { () throws(CardDriver.End) in
            var machine = machine
            let delivery = try await driver.run(&machine, from: action)
            return (machine, delivery)
        }
        do throws(CardDriver.End) {
            let delivery: NFCTransferDelivery
            (self.machine, delivery) = try result.get()
            isIdle = true
            if Task.isCancelled { throw .stopped }
            return delivery
        } catch {
            throw TapEnd(retrieving: error)
        }
    }

    /// Tells the phone that we end, where it listens; what it says to that does not matter any more.
    mutating func sendTermination(_ message: [UInt8]?, within timeout: Duration) async {
        guard isIdle, let message else { return }
        isIdle = false
        let first = machine.send(message[...], now: .now)
        let (machine, driver) = (machine, driver)
        _ = await bounded(by: .now + timeout, grace: timeout) { () throws(CardDriver.End) in
            var machine = machine
            _ = try await driver.run(&machine, from: first)
        }
    }
}
