internal import ISO7816
internal import MdocSession
internal import NDEF
internal import Synchronization

/// The NFC data transfer with the phone of one tap, and the carrier of its session (ISO/IEC 18013-5,
/// 8.3.3.1.2).
struct NFCRetrieval: Sendable {
    /// The instants at which the last ENVELOPE of a message was sent and answered. Between these two instants
    /// the holder decides whether to consent (Q54).
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

        /// Prepares for the next message and its answer, and forgets the instants of the previous message.
        func begin(_ begun: @escaping @Sendable () -> Void) {
            state.withLock { $0 = State(begun: begun) }
        }

        /// Records the last ENVELOPE of a message, and ignores other commands.
        func record(_ exchange: CardDriver.Exchange) {
            // ENVELOPE has INS C3. CLA 00, without the bit for chaining, marks the last ENVELOPE of a
            // message.
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
    /// The time in which a message in progress may complete after cancellation.
    private let grace: Duration
    private let turn = Turn()
    /// The instant at which the last answered message was sent.
    private(set) var sent: ContinuousClock.Instant?
    /// Whether the transfer is between two messages, so that the phone still listens.
    private var isIdle = false
    /// Whether an empty message means that the phone ends the exchange, as in NFC v2.
    private let endsEmpty: Bool

    /// Creates the transfer with a phone that was engaged by classic handover or QR code.
    ///
    /// - Parameter carrier: the sizes of APDUs that the phone announced; `nil` if it announced none.
    init(_ driver: CardDriver, within carrier: NFCCarrier?, settings: NFCTransferSettings) {
        self.init(
            driver,
            NFCTransferReader(
                limits: driver.card.readerLimits, carrier: carrier ?? NFCCarrier(), settings: settings),
            endsEmpty: false)
    }

    /// Creates the transfer after an NFC v2 engagement. That engagement has already selected the application
    /// for the transfer.
    init(_ driver: CardDriver, engaged machine: NFCTransferReader) {
        self.init(driver, machine, endsEmpty: true)
        // The application is selected already, so the phone listens.
        isIdle = true
    }

    private init(_ driver: CardDriver, _ machine: NFCTransferReader, endsEmpty: Bool) {
        self.machine = machine
        self.endsEmpty = endsEmpty
        grace = driver.grace
        var observed = driver
        // `run` gives the whole message a grace period, so a single command needs no grace period.
        observed.grace = .zero
        let turn = turn
        observed.observe = { turn.record($0) }
        self.driver = observed
    }

    /// Selects the data transfer application.
    ///
    /// - Parameter isFirst: whether this is the first command to this phone. If so, a phone without the
    ///   application may be locked (Q1).
    mutating func select(isFirst: Bool) async throws(TapEnd) {
        do throws(TapEnd) {
            guard case .selected = try await run(machine.start(now: .now)) else {
                throw .failed(.session(.unexpectedMessage))
            }
        } catch .failed(.transfer(let reason)) where isFirst && reason.fault == .status(.notFound) {
            throw .noWallet(reason)
        }
    }

    /// Performs the machine's actions until the machine delivers its result. After cancellation the message
    /// in progress may complete within the grace period, because a phone cannot be notified of the end in the
    /// middle of a message (Q77).
    private mutating func run(_ action: NFCTransferReader.Action) async throws(TapEnd) -> NFCTransferDelivery
    {
        isIdle = false
        let (machine, driver) = (machine, driver)
        // The driver ends each command at the machine's deadline, so `bounded` gets no deadline.
        let result = await bounded(by: nil, grace: grace) { () throws(CardDriver.End) in
            var machine = machine
            let delivery = try await driver.run(&machine, from: action)
            return (machine, delivery)
        }
        do throws(CardDriver.End) {
            let delivery: NFCTransferDelivery
            (self.machine, delivery) = try result.get()
            isIdle = true
            // The machine is stored already, so `terminate` can still notify the phone.
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
        // Reported before sending, because the holder decides while the last ENVELOPE is open (Q54).
        report(.awaitingConsent)
        guard case .message(let answer) = try await run(machine.send(message[...], now: .now)) else {
            throw .failed(.session(.unexpectedMessage))
        }
        sent = turn.instants?.sent
        if endsEmpty, answer.isEmpty { return .ended }
        // The instants are set, because the answer came to an ENVELOPE that was recorded.
        return .message(answer, began: turn.instants?.answered ?? .now)
    }

    /// Sends the termination message if the phone listens. The phone's answer to this message is ignored.
    mutating func terminate(sending message: [UInt8]?) async -> Task<Void, Never>? {
        guard isIdle, let message else { return nil }
        // The phone ends the session with this message, so nothing is sent after it.
        isIdle = false
        let first = machine.send(message[...], now: .now)
        let (machine, driver) = (machine, driver)
        _ = await bounded(by: .now + grace, grace: grace) { () throws(CardDriver.End) in
            var machine = machine
            _ = try await driver.run(&machine, from: first)
        }
        return nil
    }

    /// Always true, because an ENVELOPE without an answer may have reached the phone.
    var mayBeSent: Bool { true }

    static func end(_ failure: PresentationFailure) -> TapEnd { .failed(failure) }
}
