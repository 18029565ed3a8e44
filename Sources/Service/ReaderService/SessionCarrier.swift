internal import ErrorMapping

/// What carries the messages of one session with a phone: an NFC transfer, a Bluetooth link or the bench link.
protocol SessionCarrier {
    /// Why there is no answer.
    associatedtype End: Error

    /// When the message of the last exchange was sent; nil if it was not.
    var sent: ContinuousClock.Instant? { get }
    /// Whether a part of that message may have reached the phone.
    var mayBeSent: Bool { get }

    /// Sends a message and waits for the phone's. Reports that the holder is asked, and that the answer begins.
    mutating func exchange(
        _ message: [UInt8], report: @escaping @Sendable (PresentationEvent) -> Void
    ) async throws(End) -> CarriedAnswer

    /// Notifies the phone that the session ends, also after cancellation. A nil message means that the phone ended
    /// the session.
    ///
    /// - Returns: what still happens with the phone while the outcome may be shown (Q76).
    mutating func terminate(sending message: [UInt8]?) async -> Task<Void, Never>?

    /// The end for a failure that another exchange would not repair.
    static func end(_ failure: PresentationFailure) -> End
}

enum CarriedAnswer {
    /// `began` is when its first byte came; nil if the carrier does not know.
    case message([UInt8], began: ContinuousClock.Instant?)
    /// It ended the transfer without a message.
    case ended
}

extension SessionCarrier {
    var mayBeSent: Bool { sent != nil }
}

extension SessionCarrier where End == PresentationFailure {
    static func end(_ failure: PresentationFailure) -> PresentationFailure { failure }
}

extension ReaderTransaction {
    /// Sends request after request until an answer ends the presentation, and notifies the phone that the session
    /// ends.
    func complete<Carrier: SessionCarrier>(
        _ exchange: inout RequestExchange, over carrier: inout Carrier, _ progress: inout Progress
    ) async throws(Carrier.End) -> Ending {
        do throws(Carrier.End) {
            while true {
                guard case .message(let message, let began) = try await ask(&exchange, &carrier, &progress)
                else {
                    return Ending(.declined, leaving: await carrier.terminate(sending: nil))
                }
                let consented = began ?? .now
                progress.times.end(.consent, at: max(consented, progress.times.latest))
                if began != nil { progress.times.end(.transfer) }
                // Consent ended when the answer began. The time for the rest of the transfer has a separate
                // deadline.
                let step = try mapping(
                    receive(message, in: &exchange, now: consented, &progress), Carrier.end)
                guard case .end(let outcome, let terminationMessage) = step else { continue }
                return Ending(outcome, leaving: await carrier.terminate(sending: terminationMessage))
            }
        } catch {
            await carrier.terminate(sending: exchange.terminate())?.value
            throw error
        }
    }

    private func ask<Carrier: SessionCarrier>(
        _ exchange: inout RequestExchange, _ carrier: inout Carrier, _ progress: inout Progress
    ) async throws(Carrier.End) -> CarriedAnswer {
        let request: [UInt8]
        do throws(PresentationFailure) {
            request = try await exchange.message(signedWithin: plan.deadlines.signing)
        } catch {
            throw Carrier.end(error)
        }
        let result: Result<CarriedAnswer, Carrier.End>
        do throws(Carrier.End) {
            result = .success(try await carrier.exchange(request, report: report))
        } catch {
            result = .failure(error)
        }
        if carrier.mayBeSent { progress.request = exchange.sent }
        if let sent = carrier.sent { progress.times.end(.request, at: sent) }
        return try result.get()
    }
}
