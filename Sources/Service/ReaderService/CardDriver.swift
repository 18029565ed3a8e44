internal import MdocSession
internal import Transport

/// A machine that speaks APDUs.
protocol NFCMachine {
    associatedtype Delivery: Sendable
    var deadline: ContinuousClock.Instant? { get }
    mutating func receive(_ response: ArraySlice<UInt8>, now: ContinuousClock.Instant) -> NFCAction<Delivery>
    mutating func expire(now: ContinuousClock.Instant) -> NFCAction<Delivery>
}

extension NFCEngagementReader: NFCMachine {}
extension NFCTransferReader: NFCMachine {}
extension NFCVersion2EngagementReader: NFCMachine {}

/// Does what an NFC machine asks: carries its commands to a card, and waits.
struct CardDriver: Sendable {
    let card: any ContactlessCard
    /// How long a command in progress may still take after cancellation.
    var grace: Duration

    enum End: Error {
        case machine(NFCEndReason)
        case readerUnavailable(ReaderFault)
        /// Cancelled, between two commands.
        case stopped
    }

    /// Called after each command: for timing and traces.
    var observe: @Sendable (Exchange) -> Void = { _ in }

    /// One command, as reported to `observe`.
    struct Exchange {
        let command: ArraySlice<UInt8>
        let sent: ContinuousClock.Instant
        let isAnswered: Bool
    }

    /// Runs the machine on from `action` until it delivers.
    func run<Machine: NFCMachine>(
        _ machine: inout Machine, from action: NFCAction<Machine.Delivery>
    ) async throws(End) -> Machine.Delivery {
        var action = action
        while true {
            switch action {
            case .deliver(let delivery): return delivery
            case .end(let reason): throw .machine(reason)
            case .wait(let instant):
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

    /// The answer; nil if none came by the deadline. Empty if the card was removed, so that the machine names its
    /// phase. Cancellation does not interrupt a command before the grace period is over.
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
            case .cardLost, .cardMute: return []
            case .readerUnavailable(let fault): throw .readerUnavailable(fault)
            case .cancelled:
                if Task.isCancelled { throw .stopped }
                return nil
            }
        }
    }
}
