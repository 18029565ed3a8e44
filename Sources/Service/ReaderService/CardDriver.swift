internal import MdocSession
internal import Transport

/// A state machine of the NFC protocol. The machine receives response APDUs and the current time, and returns
/// actions.
protocol NFCMachine {
    associatedtype Delivery: Sendable
    var deadline: ContinuousClock.Instant? { get }
    mutating func receive(_ response: ArraySlice<UInt8>, now: ContinuousClock.Instant) -> NFCAction<Delivery>
    mutating func expire(now: ContinuousClock.Instant) -> NFCAction<Delivery>
}

extension NFCEngagementReader: NFCMachine {}
extension NFCTransferReader: NFCMachine {}
extension NFCVersion2EngagementReader: NFCMachine {}

/// The driver of an NFC machine: sends the machine's commands to a card, passes the answers to the machine,
/// and waits when the machine's action is a wait.
///
/// The machine is an argument of `run(_:from:)`, so the driver holds no state of the protocol. The driver
/// runs in the task of the presentation.
///
/// - A command that has no answer by the machine's deadline is cancelled, and the machine decides what
///   follows.
/// - A card that was removed gives an empty answer. The machine then ends with a reason that contains its
///   last phase.
/// - A cancelled task stops between two commands. A command in progress has `grace` to complete.
///
/// The driver never repeats a command and never interprets an answer.
struct CardDriver: Sendable {
    let card: any ContactlessCard
    /// The time in which a command in progress may complete after cancellation.
    var grace: Duration

    /// The reason why an NFC state machine ended without a result.
    enum End: Error {
        case machine(NFCEndReason)
        case readerUnavailable(ReaderFault)
        /// The task was cancelled: between two commands, or in a command that did not complete within
        /// `grace`.
        case stopped
    }

    /// Called after each command, whether it was answered or not.
    var observe: @Sendable (Exchange) -> Void = { _ in }

    /// A command that was sent, as it is passed to `observe`.
    struct Exchange {
        let command: ArraySlice<UInt8>
        let sent: ContinuousClock.Instant
        let isAnswered: Bool
    }

    /// Performs the machine's actions, beginning with `action`, until the machine delivers its result.
    func run<Machine: NFCMachine>(
        _ machine: inout Machine, from action: NFCAction<Machine.Delivery>
    ) async throws(End) -> Machine.Delivery {
        var action = action
        while true {
            switch action {
            case .deliver(let delivery): return delivery
            case .end(let reason): throw .machine(reason)
            case .wait(let instant):
                // Only a cancelled task ends the sleep early.
                guard (try? await Task.sleep(until: instant, clock: .continuous)) != nil else {
                    throw .stopped
                }
                action = machine.expire(now: .now)
            case .transmit(let command):
                guard !Task.isCancelled else { throw .stopped }
                if let response = try await exchange(command, by: machine.deadline) {
                    action = machine.receive(response[...], now: .now)
                } else {
                    action = machine.expire(now: .now)
                }
            }
        }
    }

    /// Sends a command and returns its answer: `nil` if no answer came by the deadline, empty if the card was
    /// removed.
    private func exchange(
        _ command: [UInt8], by deadline: ContinuousClock.Instant?
    ) async throws(End) -> [UInt8]? {
        let sent = ContinuousClock.now
        let card = card
        let result = await bounded(by: deadline, grace: grace) { () throws(ContactlessError) in
            try await card.exchange(command[...])
        }
        let isAnswered = if case .success = result { true } else { false }
        observe(Exchange(command: command[...], sent: sent, isAnswered: isAnswered))
        do throws(ContactlessError) {
            return try result.get()
        } catch {
            switch error {
            // No response APDU is empty, so the machine ends with the fault `cardLost` and its last phase.
            case .cardLost, .cardMute: return []
            case .readerUnavailable(let fault): throw .readerUnavailable(fault)
            case .cancelled:
                if Task.isCancelled { throw .stopped }
                // The deadline ended this command. The caller's task is not cancelled.
                return nil
            }
        }
    }
}
