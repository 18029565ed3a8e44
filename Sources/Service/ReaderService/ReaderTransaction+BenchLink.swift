internal import MdocModel
internal import MdocSession
package import Transport

extension ReaderTransaction {
    /// Runs over a bench link whose holder has been connected to, and closes it.
    package func run(over channel: any MessageChannel) async -> Presentation {
        let presentation = await timed { course throws(PresentationFailure) in
            Ending(try await present(over: channel, &course))
        }
        await channel.close()
        return presentation
    }

    private func present(
        over channel: any MessageChannel, _ course: inout Course
    ) async throws(PresentationFailure) -> Presentation.Outcome {
        var key = ReadyKey()
        key.prepare()
        report(.armed)
        let greeting = try await greeting(from: channel)
        course.times.end(.engagement)
        report(.engaged)
        var inquiry = try inquiry(greeting.engagement, greeting.handover, key: &key)
        while true {
            let message: [UInt8]
            do throws(PresentationFailure) {
                message = try await ask(&inquiry, over: channel, &course)
            } catch {
                await sendTermination(inquiry.terminate(), over: channel)
                throw Task.isCancelled ? .cancelled : error
            }
            course.times.end(.consent)
            report(.receiving)
            let step = try receive(message, in: &inquiry, now: .now, &course)
            guard case .end(let outcome, let terminationMessage) = step else { continue }
            await self.sendTermination(terminationMessage, over: channel)
            return outcome
        }
    }

    /// Sends the next request; the answer to it.
    private func ask(
        _ inquiry: inout Inquiry, over channel: any MessageChannel, _ course: inout Course
    ) async throws(PresentationFailure) -> [UInt8] {
        try await send(try await inquiry.message(signedWithin: plan.deadlines.signing), over: channel)
        course.request = inquiry.sent
        course.times.end(.request)
        report(.awaitingConsent)
        return try await answer(from: channel)
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
            if Task.isCancelled { throw .cancelled }
            throw error == .cancelled ? .engagementOverdue(lastTap: nil) : PresentationFailure(error)
        }
        do throws(BenchLinkError) {
            return try BenchLinkGreeting(frame[...]).engagement()
        } catch {
            throw .benchLink(error)
        }
    }

    private func send(
        _ message: [UInt8], over channel: any MessageChannel
    ) async throws(PresentationFailure) {
        do throws(TransportError) {
            try await channel.send(message)
        } catch {
            throw Task.isCancelled ? .cancelled : .linkLost
        }
    }

    /// The holder's message, which may take the whole time for consent.
    private func answer(from channel: any MessageChannel) async throws(PresentationFailure) -> [UInt8] {
        let deadline = ContinuousClock.now + plan.deadlines.consent
        let received = await bounded(by: deadline) { () throws(TransportError) in
            try await channel.receive()
        }
        do throws(TransportError) {
            return try received.get()
        } catch {
            throw error == .cancelled ? .consentOverdue : PresentationFailure(error)
        }
    }

    /// Tells the holder that we end, also when we are told to stop.
    private func sendTermination(_ message: [UInt8]?, over channel: any MessageChannel) async {
        guard let message else { return }
        let timeout = plan.deadlines.termination
        _ = await bounded(by: .now + timeout, grace: timeout) { () throws(TransportError) in
            try await channel.send(message)
        }
    }
}

extension PresentationFailure {
    /// What a broken link means.
    fileprivate init(_ error: TransportError) {
        if case .frameTooLong(let length, let limit) = error {
            self = .messageTooLong(announced: length, limit: limit)
        } else {
            self = .linkLost
        }
    }
}
