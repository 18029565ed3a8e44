package import Accessories
internal import JSON
internal import Logging

/// Tries of accessories: the operator looks whether a contact closes or a scanner reads, without a presentation.
///
/// A try needs a user of this computer with the scope `admin`. Nothing of it is stored, and no receipt mentions it. A
/// program that connects later, or a daemon that starts again, never repeats a try.
extension PresentationCoordinator {
    /// Tries an accessory, and waits for the end.
    ///
    /// - Throws: `accessoryUnknown`; `tryRefused` or `tooManyTries`, and then nothing happens; `tryUnanswered` if the
    ///   end is not known; `shuttingDown`.
    package func tryAccessory(
        _ name: String, by caller: KnownCaller
    ) async throws(PresentationServiceError) -> (action: TryAction, result: TryResult) {
        guard caller.scopes.contains(.admin) else { throw .accessoryUnknown }
        // A pulse opens a door. Tokens with this scope are also given to programs that read the metrics.
        guard case .user = caller.credential, !caller.isPage else { throw .tryRefused(.notAtComputer) }
        guard let accessory = desk[name] else { throw .accessoryUnknown }
        guard !isEnding else { throw .shuttingDown }
        guard let action = accessory.tryAction, let lane = accessory.lane else {
            throw .tryRefused(.kind(AccessoryReport(accessory, state: desk.state(of: accessory)).kind))
        }
        guard let stream = desk.stream(serving: accessory) else {
            throw .tryRefused(.notReady(desk.state(of: accessory)))
        }
        if let refusal = refusalOfTry(atLane: lane) { throw .tryRefused(refusal) }
        let attempt = AccessoryTry(
            number: Int64.random(in: 1...JSONValue.largestExactInteger), accessory: name, lane: lane,
            action: action)
        let results = try tries.begin(attempt, by: stream, at: .now)
        log.notice(
            "an operator tries an accessory",
            metadata: ["accessory": "\(name)", "action": "\(action.rawValue)", "caller": "\(caller.name)"])
        desk.announce(attempt, to: stream)
        expire(attempt, at: .now + accessory.tryTime)
        for await result in results {
            log.notice(
                "the try of an accessory has ended",
                metadata: ["accessory": "\(name)", "result": "\(result.kind.rawValue)"])
            return (action, result)
        }
        log.warning(
            "the end of the try of an accessory is not known", metadata: ["accessory": "\(name)"])
        throw .tryUnanswered(action)
    }

    /// Permits the caller's program to close the contact of a try, once.
    ///
    /// - Throws: `accessoryUnknown`; `tryNotDue` if the try is unknown or over its time, was permitted before, or the
    ///   lane is in use meanwhile.
    package func giveTry(
        _ number: Int64, ofAccessory name: String, by caller: KnownCaller
    ) throws(PresentationServiceError) {
        let attempt = try attempt(number, ofAccessory: name, by: caller)
        guard !isEnding, refusalOfTry(atLane: attempt.lane) == nil, tries.give(number, at: .now) else {
            // The program closes nothing after this refusal, so the end is known. A try that was permitted before stays.
            _ = tries.finish(number, with: .refused)
            throw .tryNotDue
        }
    }

    /// Receives the end of a try from the program of its accessory.
    ///
    /// - Throws: `accessoryUnknown`; `tryNotDue` if the try is unknown, or cannot end in this way.
    package func finishTry(
        _ number: Int64, ofAccessory name: String, as result: TryResult, by caller: KnownCaller
    ) throws(PresentationServiceError) {
        _ = try attempt(number, ofAccessory: name, by: caller)
        guard tries.finish(number, with: result) else { throw .tryNotDue }
    }

    /// The try with this number, if its event went to the caller.
    private func attempt(
        _ number: Int64, ofAccessory name: String, by caller: KnownCaller
    ) throws(PresentationServiceError) -> AccessoryTry {
        let accessory = try accessory(name, of: caller)
        guard let stream = desk.key(of: caller),
            let attempt = tries.attempt(number, of: accessory.name, by: stream)
        else { throw .tryNotDue }
        return attempt
    }

    /// The reason why no accessory of a lane is tried now, or `nil` if the lane is not in use. A lane whose
    /// standing order waits for a phone is not in use, until a phone comes.
    private func refusalOfTry(atLane name: String) -> TryRefusal? {
        if let record = book.latest(at: name),
            TryRefusal.isInUse(
                record.state, isUnasked: isUnasked(record.id), hasCode: gate.isWaiting(record.id))
        {
            return .presentation
        }
        return dueOutputs.hasOutput(atLane: name) ? .output : nil
    }

    private func expire(_ attempt: AccessoryTry, at deadline: ContinuousClock.Instant) {
        Task { [weak self] in
            try? await Task.sleep(until: deadline, clock: .continuous)
            await self?.expireTry(attempt.number)
        }
    }

    /// Ends a try whose end was not reported in time.
    private func expireTry(_ number: Int64) { tries.abandon(number) }
}

/// The reason why an accessory is not tried.
package enum TryRefusal: Equatable, Sendable {
    /// The caller is a token or a page, and not a user of this computer.
    case notAtComputer
    /// Accessories of this kind are not tried. The value is the word of the configuration file.
    case kind(String)
    /// The device cannot act, or its program is not connected.
    case notReady(AccessoryState)
    /// A presentation is in progress at the lane.
    case presentation
    /// An output of the lane is due, or its end is not reported yet.
    case output
    /// The accessory is being tried already.
    case inProgress

    /// Whether a presentation keeps the accessories of its lane from being tried.
    ///
    /// - Parameters:
    ///   - isUnasked: whether the presentation is that of a standing order, and has asked no phone yet.
    ///   - hasCode: whether a scanned code waits for the lane.
    static func isInUse(_ state: PresentationState, isUnasked: Bool, hasCode: Bool) -> Bool {
        !state.isOver && (state != .armed || !isUnasked || hasCode)
    }
}
