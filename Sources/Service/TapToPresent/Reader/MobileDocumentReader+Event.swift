internal import ReaderService
internal import Synchronization
internal import Transport

extension MobileDocumentReader {
    /// A step or a hint during a read. Contains no personal data.
    public enum Event: Hashable, Sendable {
        /// The reader waits for a phone. Ask the holder to open the ID before holding the phone to the
        /// reader: an iPhone without an open ID shows other cards.
        case armed
        /// A hint for the holder or the operator.
        case hint(Hint)
        /// The phone's engagement was read. An app can sound a tone now.
        case engaged
        /// The request was sent, and the holder decides on the phone.
        case awaitingConsent
        /// The phone's answer has begun to arrive.
        case receiving
        /// The phone's answer is being checked.
        case verifying
        /// All checks have ended. The verdict contains the results of the checks.
        case judged(MobileDocumentVerdict)
        /// The display shows the result of a display request, and the operator decides.
        case presenting
        /// The read has ended and the reader is free. The error is `nil` if the request was answered.
        case done(MobileDocumentReaderError?)
    }

    /// Advice for the holder or the operator.
    public enum Hint: Hashable, Sendable {
        /// The phone shows no wallet: it is locked, or its screen is off.
        case phoneLocked
        /// A card is on the reader, or a phone without an open ID. Open the ID, or remove the card.
        case notAnID
        /// The tap ended too early: lift the phone, then tap again. The reader keeps the request.
        case tapAgain
        /// The phone is on the reader and answers incorrectly: lift it, then tap again.
        case liftAndTapAgain
        /// The phone received the request and was lifted before the holder decided. The holder confirms on
        /// the phone, then taps again.
        case confirmThenTapAgain
        /// Several taps have failed. Offer to scan the phone's QR code instead.
        case offerQR
        /// The rest of the exchange uses Bluetooth: the phone may leave the reader.
        case mayLift
        /// The phone has not connected over Bluetooth yet.
        case connecting
        /// The phone still has not connected: ask its holder whether Bluetooth is on.
        case checkBluetooth
        /// The answer comes over NFC: the phone has to stay on the reader.
        case hold
        /// The NFC reader does not answer. If it does not recover, unplug it and plug it in again.
        case readerSilent
        /// Bluetooth cannot be used, only NFC. `id` names the cause.
        case bluetoothUnavailable(id: String)
        /// A notable property of the phone's messages, such as `session.copies_differ`; `id` names it. The
        /// verdict does not depend on it.
        case noted(id: String)
    }
}

extension MobileDocumentReader.Event {
    /// Converts an event of the transaction with the phone.
    init(_ event: PresentationEvent) {
        self =
            switch event {
            case .armed: .armed
            case .phoneLocked: .hint(.phoneLocked)
            case .notAnID: .hint(.notAnID)
            case .tapAgain: .hint(.tapAgain)
            case .liftAndTapAgain: .hint(.liftAndTapAgain)
            case .confirmThenTapAgain: .hint(.confirmThenTapAgain)
            case .offerQR: .hint(.offerQR)
            case .bluetoothUnavailable(let fault): .hint(.bluetoothUnavailable(id: fault.id.rawValue))
            case .readerSilent: .hint(.readerSilent)
            case .engaged: .engaged
            case .mayLift: .hint(.mayLift)
            case .connecting: .hint(.connecting)
            case .checkBluetooth: .hint(.checkBluetooth)
            case .hold: .hint(.hold)
            case .awaitingConsent: .awaitingConsent
            case .receiving: .receiving
            case .verifying: .verifying
            case .noted(let note): .hint(.noted(id: note.id.rawValue))
            }
    }
}

/// A distributor of events to any number of listeners.
final class EventHub: Sendable {
    typealias Event = MobileDocumentReader.Event

    private struct State {
        var listeners: [Int: AsyncStream<Event>.Continuation] = [:]
        var last = 0
    }

    /// The maximum number of unread events that are kept for each listener.
    private static let kept = 64

    private let state = Mutex(State())

    deinit {
        for listener in state.withLock({ $0.listeners.values }) { listener.finish() }
    }

    /// Returns a new stream of the events that are sent after this call. The stream's end removes its
    /// listener.
    func stream() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(Self.kept))
        let number = state.withLock { state in
            state.last += 1
            state.listeners[state.last] = continuation
            return state.last
        }
        // Weak, because the hub's release must end its streams (`deinit`).
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { state in _ = state.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    func send(_ event: Event) {
        for listener in state.withLock({ $0.listeners.values }) { listener.yield(event) }
    }
}
