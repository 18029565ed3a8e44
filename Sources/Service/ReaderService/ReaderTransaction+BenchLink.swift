internal import MdocModel
internal import MdocSession
package import Transport

extension ReaderTransaction {
    /// Runs over a bench link whose holder has been connected to, and closes it.
    package func run(over channel: any MessageChannel) async -> Presentation {
        var times = PhaseTimes()
        let outcome: Presentation.Outcome
        do throws(PresentationFailure) {
            outcome = try await present(over: channel, times: &times)
        } catch {
            outcome = .failed(error)
        }
        await channel.close()
        return Presentation(outcome: outcome, phases: times.phases)
    }

    private func present(
        over channel: any MessageChannel, times: inout PhaseTimes
    ) async throws(PresentationFailure) -> Presentation.Outcome {
        report(.armed)
        let greeting = try await greeting(from: channel)
        times.end(.engagement)
        report(.engaged)
        var session = try session(greeting.engagement, greeting.handover, key: ReadyKey())
        try await send(&session, over: channel)
        times.end(.request)
        report(.awaitingConsent)
        let message = await answer(from: channel)
        times.end(.consent)
        defer { times.end(.verification) }
        guard case .success(let message) = message else {
            await farewell(session.terminate(), over: channel)
            return .failed(Task.isCancelled ? .cancelled : message.failure ?? .linkLost)
        }
        switch session.receive(message[...], now: .now) {
        case .deliver(let response, let isEnded):
            let outcome = judge(response, in: session)
            if !isEnded { await farewell(session.terminate(), over: channel) }
            return outcome
        case .end(let end, let farewell):
            await self.farewell(.end(end, farewell: farewell), over: channel)
            return Self.outcome(of: end)
        case .transmit: return .failed(.session(.unexpectedMessage))
        }
    }

    private func greeting(
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
            throw Task.isCancelled ? .cancelled : error == .cancelled ? .engagementOverdue : .linkLost
        }
        do throws(BenchLinkError) {
            return try BenchLinkGreeting(frame[...]).engagement()
        } catch {
            throw .benchLink(error)
        }
    }

    private func send(
        _ session: inout ReaderSession, over channel: any MessageChannel
    ) async throws(PresentationFailure) {
        let action: ReaderSession.Action
        do throws(SessionError) {
            action = try session.send(deviceRequest[...], now: .now)
        } catch {
            throw .session(error)
        }
        guard case .transmit(let message, _) = action else { throw .session(.unexpectedMessage) }
        do throws(TransportError) {
            try await channel.send(message)
        } catch {
            throw Task.isCancelled ? .cancelled : .linkLost
        }
    }

    /// The holder's message, which may take the whole time for consent.
    private func answer(from channel: any MessageChannel) async -> Result<[UInt8], PresentationFailure> {
        let deadline = ContinuousClock.now + plan.deadlines.consent
        return await bounded(by: deadline) { () throws(TransportError) in try await channel.receive() }
            .mapError { error in error == .cancelled ? .consentOverdue : .linkLost }
    }

    /// Tells the holder that we end, also when we are told to stop.
    private func farewell(_ action: ReaderSession.Action, over channel: any MessageChannel) async {
        guard case .end(_, let message?) = action else { return }
        let patience = plan.deadlines.farewell
        _ = await bounded(by: .now + patience, grace: patience) { () throws(TransportError) in
            try await channel.send(message)
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}

/// Measures the phases of a presentation, one after the other.
struct PhaseTimes: Sendable {
    private(set) var phases: [PhaseTime] = []
    private var start = ContinuousClock.now

    /// Ends a phase now, or at the given instant.
    mutating func end(_ name: PhaseTime.Name, at instant: ContinuousClock.Instant = .now) {
        phases.append(PhaseTime(name: name, duration: start.duration(to: instant)))
        start = instant
    }

    /// Begins anew, as when a phone comes into the field.
    mutating func restart() {
        phases = []
        start = .now
    }
}
