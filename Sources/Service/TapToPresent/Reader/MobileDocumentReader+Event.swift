internal import ReaderService
internal import Synchronization
internal import Transport

extension MobileDocumentReader {
    /// What happens during a read. Holds nothing personal.
    public enum Event: Hashable, Sendable {
        /// Waiting for a phone. Ask its holder to open the ID first, then to hold the phone to the reader: otherwise an
        /// iPhone shows other cards.
        case armed
        /// A hint for the people at the reader.
        case hint(Hint)
        /// The phone is engaged: the moment to sound a tone.
        case engaged
        /// The request is out; the holder decides on the phone.
        case awaitingConsent
        /// An answer has begun to arrive.
        case receiving
        /// The answer is being checked.
        case verifying
        /// Every check was made; the verdict has the results.
        case judged(MobileDocumentVerdict)
        /// The operator sees the result of a display request and decides.
        case presenting
        /// The read is over and the reader free; nil if it was answered.
        case done(MobileDocumentReaderError?)
    }

    /// What may help.
    public enum Hint: Hashable, Sendable {
        /// The phone shows no wallet: it is locked, or its screen is off.
        case phoneLocked
        /// What lies on the reader is a card, or a phone without an open ID: open the ID, or remove the card.
        case notAnID
        /// The tap broke off: lift the phone, then tap again. The same request waits.
        case tapAgain
        /// The phone stays on the reader and does not answer as it should: lift it, then tap again.
        case liftAndTapAgain
        /// The phone took the request with it: its holder confirms there, then taps again. The same request waits.
        case confirmThenTapAgain
        /// Taps keep failing: the phone's QR code may do better.
        case offerQR
        /// Everything else comes over Bluetooth: the phone may leave the reader.
        case mayLift
        /// The phone has not connected over Bluetooth yet.
        case connecting
        /// The phone still has not connected: ask its holder whether Bluetooth is on.
        case checkBluetooth
        /// The answer comes over NFC: the phone has to stay on the reader.
        case hold
        /// The reader does not answer: unplug it and plug it in again if it does not recover.
        case readerSilent
        /// Bluetooth cannot be used, only NFC; the id of the condition.
        case bluetoothUnavailable(id: String)
        /// Something is remarkable in the phone's messages, such as `session.copies_differ`; the id of the note. It changes
        /// nothing of the verdict.
        case noted(id: String)
    }
}

extension MobileDocumentReader.Event {
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

/// Events for any number of listeners.
final class EventHub: Sendable {
    typealias Event = MobileDocumentReader.Event

    private struct State {
        var listeners: [Int: AsyncStream<Event>.Continuation] = [:]
        var last = 0
    }

    private static let kept = 64

    private let state = Mutex(State())

    deinit {
        for listener in state.withLock({ $0.listeners.values }) { listener.finish() }
    }

    func stream() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(Self.kept))
        let number = state.withLock { state in
            state.last += 1
            state.listeners[state.last] = continuation
            return state.last
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { state in _ = state.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    func send(_ event: Event) {
        for listener in state.withLock({ $0.listeners.values }) { listener.yield(event) }
    }
}
