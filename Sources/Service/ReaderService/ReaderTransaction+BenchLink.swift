internal import ErrorMapping
internal import MdocModel
internal import MdocSession
package import Transport

extension ReaderTransaction {
    /// Runs the presentation over a bench link, which is a TCP connection to a software wallet, and closes
    /// the link.
    package func run(over channel: any MessageChannel) async -> Presentation {
        let presentation = await run { running throws(PresentationFailure) in
            try await running.present(over: channel)
        }
        await channel.close()
        return presentation
    }

    /// Waits for the wallet's first frame, which contains the engagement.
    fileprivate func greeting(
        from channel: any MessageChannel
    ) async throws(PresentationFailure) -> (engagement: DeviceEngagement, handover: Handover) {
        let deadline = ContinuousClock.now + plan.deadlines.engagement
        let received = await bounded(by: deadline) { () throws(TransportError) in
            try await channel.receive()
        }
        let frame: [UInt8]
        do throws(TransportError) {
            frame = try received.get()
        } catch {
            if Task.isCancelled { throw .cancelled }
            // `cancelled` without a cancelled task means that the deadline has passed.
            throw error == .cancelled ? .engagementOverdue(lastTap: nil) : PresentationFailure(error)
        }
        return try mapping(BenchLinkGreeting(frame[...]).engagement(), PresentationFailure.benchLink)
    }
}

extension RunningTransaction {
    /// Waits for the wallet's engagement on the bench link, sends the requests, and judges the answers.
    fileprivate mutating func present(
        over channel: any MessageChannel
    ) async throws(PresentationFailure) -> Presentation {
        // The session's key is made now, when no phone has to wait for it (Q190).
        prepareKey()
        report(.armed)
        let greeting = try await transaction.greeting(from: channel)
        endPhase(.engagement, at: .now)
        report(.engaged)
        var exchange = try newExchange(greeting.engagement, greeting.handover)
        var carrier = BenchLinkCarrier(channel: channel, deadlines: plan.deadlines)
        return try await complete(&exchange, over: &carrier)
    }
}

/// The carrier of a session over the bench link.
private struct BenchLinkCarrier: SessionCarrier {
    let channel: any MessageChannel
    let deadlines: PresentationDeadlines
    private(set) var sent: ContinuousClock.Instant?

    /// Sends a message and waits for the wallet's message, for at most the time for consent.
    mutating func exchange(
        _ message: [UInt8], report: @escaping @Sendable (PresentationEvent) -> Void
    ) async throws(PresentationFailure) -> CarriedAnswer {
        sent = nil
        do throws(TransportError) {
            try await channel.send(message[...])
        } catch {
            throw Task.isCancelled ? .cancelled : .linkLost
        }
        sent = .now
        report(.awaitingConsent)
        let received = await bounded(by: .now + deadlines.consent) { [channel] () throws(TransportError) in
            try await channel.receive()
        }
        do throws(TransportError) {
            let answer = try received.get()
            report(.receiving)
            return .message(answer, began: nil)
        } catch {
            if Task.isCancelled { throw .cancelled }
            // `cancelled` without a cancelled task means that the deadline has passed.
            throw error == .cancelled ? .consentOverdue : PresentationFailure(error)
        }
    }

    func terminate(sending message: [UInt8]?) async -> Task<Void, Never>? {
        guard let message else { return nil }
        // If the wallet does not accept the message in time, the closed link tells the wallet that the
        // session has ended.
        _ = await bounded(by: .now + deadlines.termination, grace: deadlines.termination) {
            [channel] () throws(TransportError) in
            try await channel.send(message[...])
        }
        return nil
    }
}

extension PresentationFailure {
    /// The failure of a presentation whose bench link failed.
    fileprivate init(_ error: TransportError) {
        if case .frameTooLong(let length, let limit) = error {
            self = .messageTooLong(announced: length, limit: limit)
        } else {
            self = .linkLost
        }
    }
}
