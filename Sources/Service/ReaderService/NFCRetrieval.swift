internal import ISO7816
internal import MdocSession
internal import NDEF
internal import Synchronization

/// The NFC data transfer of one tap.
struct NFCRetrieval: Sendable {
    /// When the last ENVELOPE of a message was sent and when its answer came: consent happens between them (Q54).
    private final class Turn: Sendable {
        struct State {
            var instants: (sent: ContinuousClock.Instant, answered: ContinuousClock.Instant)?
            /// Called when the answer begins.
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
    /// How long an operation in progress may still take after cancellation.
    private let grace: Duration
    private let turn = Turn()
    /// When the last message that was answered had been sent.
    private(set) var sent: ContinuousClock.Instant?
    /// Whether the phone is between two messages and still listens.
    private var isIdle = false
    /// Whether an empty message is the phone's way to end the exchange.
    private let endsEmpty: Bool

    /// - Parameter carrier: the limits the phone gave, if it did.
    init(_ driver: CardDriver, within carrier: NFCCarrier?, settings: NFCTransferSettings) {
        self.init(
            driver,
            NFCTransferReader(
                limits: driver.card.readerLimits, carrier: carrier ?? NFCCarrier(), settings: settings),
            endsEmpty: false)
    }

    /// Goes on with the application that an NFC v2 engagement selected.
    init(_ driver: CardDriver, engaged machine: NFCTransferReader) {
        self.init(driver, machine, endsEmpty: true)
        isIdle = true
    }

    private init(_ driver: CardDriver, _ machine: NFCTransferReader, endsEmpty: Bool) {
        self.machine = machine
        self.endsEmpty = endsEmpty
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

    /// Runs until the delivery. After cancellation, an operation in progress may complete within the grace period,
    /// since a phone cannot be notified in the middle of a message.
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
}

extension NFCRetrieval: SessionCarrier {
    mutating func exchange(
        _ message: [UInt8], report: @escaping @Sendable (PresentationEvent) -> Void
    ) async throws(TapEnd) -> CarriedAnswer {
        turn.begin { report(.receiving) }
        sent = nil
        report(.awaitingConsent)
        guard case .message(let answer) = try await run(machine.send(message[...], now: .now)) else {
            throw .failed(.session(.unexpectedMessage))
        }
        sent = turn.instants?.sent
        if endsEmpty, answer.isEmpty { return .ended }
        return .message(answer, began: turn.instants?.answered ?? .now)
    }

    /// Says it where the phone listens; what it answers does not matter any more.
    mutating func terminate(sending message: [UInt8]?) async -> Task<Void, Never>? {
        guard isIdle, let message else { return nil }
        isIdle = false
        let first = machine.send(message[...], now: .now)
        let (machine, driver) = (machine, driver)
        _ = await bounded(by: .now + grace, grace: grace) { () throws(CardDriver.End) in
            var machine = machine
            _ = try await driver.run(&machine, from: first)
        }
        return nil
    }

    /// An ENVELOPE whose answer did not come may have arrived.
    var mayBeSent: Bool { true }

    static func end(_ failure: PresentationFailure) -> TapEnd { .failed(failure) }
}
