internal import JSON
internal import Logging
internal import MdocModel
package import ReaderService
internal import ReaderStore
internal import RequestPlanner
internal import Transport

/// Standing orders: lanes that begin a presentation for each phone in turn, without a caller's order.
///
/// The presentations of such a lane belong to the lane and not to a caller. A presentation of this kind is
/// written to the store when a phone has begun the exchange, before the request is sent. A presentation
/// without a phone therefore leaves no record. An order of a till ends the wait for a phone, but does not
/// interrupt an exchange with a phone.
extension PresentationCoordinator {
    /// The name of the owner of the presentations that a lane begins by itself (its standing order). No token
    /// and no user can have this name.
    package static func owner(ofStanding lane: String) -> String { "lane:\(lane)" }

    /// The longest single wait for a phone. A lost reader is noticed when the wait ends.
    private static let longestWait = Duration.seconds(10)
    /// The pause between two checks of whether the lane is free.
    private static let checkInterval = Duration.milliseconds(200)
    /// The first and shortest pause after an attempt failed. The pause doubles up to `longestPause`.
    private static let shortestPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(15)

    /// Starts the standing orders of all lanes that have one.
    package func startStanding() {
        for name in laneNames { startStanding(at: name) }
    }

    func startStanding(at name: String) {
        guard let preset = lanes[name]?.standing, !standing.contains(lane: name), !isEnding else { return }
        standing.insert(lane: name, task: Task { await self.keepAsking(preset, at: name) })
    }

    /// Sends the preset's request to one phone after the other, until the daemon ends or the lane is
    /// removed. After each failed attempt, the pause before the next attempt is longer.
    private func keepAsking(_ preset: Preset, at name: String) async {
        var pause = Self.shortestPause
        while !Task.isCancelled, !isEnding {
            // The lane becomes free when a presentation ends, when a result was shown long enough, or when an
            // order does not use the lane that it had reserved (`OrderTurns`). A check at short intervals
            // notices all three cases.
            guard isFree(lane: name) else {
                try? await Task.sleep(for: Self.checkInterval, clock: .continuous)
                continue
            }
            do throws(PresentationServiceError) {
                try await askNext(preset, at: name)
                pause = Self.shortestPause
            } catch {
                reportPause(at: name, by: error)
                await waitToRetry(at: name, for: pause, after: error)
                pause = min(pause * 2, Self.longestPause)
            }
        }
    }

    /// Waits before the next attempt at a lane. The wait ends early if a required output, which was the reason for
    /// the failure, can act again.
    private func waitToRetry(
        at name: String, for pause: Duration, after problem: PresentationServiceError
    ) async {
        guard case .accessoryNotReady = problem else {
            try? await Task.sleep(for: pause, clock: .continuous)
            return
        }
        let end = ContinuousClock.now + pause
        while !Task.isCancelled, ContinuousClock.now < end, accessoryFault(atLane: name) != nil {
            try? await Task.sleep(for: Self.checkInterval, clock: .continuous)
        }
    }

    /// Checks that every required output of a lane can act, so that nobody proves an age to a door that cannot
    /// open.
    ///
    /// - Throws: `accessoryNotReady`.
    private func checkOutputs(of name: String) throws(PresentationServiceError) {
        if let problem = accessoryFault(atLane: name) { throw problem }
    }

    /// Serves one customer: waits for a phone without a time limit, and then follows the presentation to its
    /// end.
    private func askNext(_ preset: Preset, at name: String) async throws(PresentationServiceError) {
        try checkOutputs(of: name)
        try await checkPause(of: name)
        let order = try PresentationOrder(preset, lane: name, reference: nil)
        var (record, plan) = try await prepare(
            order, by: Self.owner(ofStanding: name), at: try namedLane(for: order))
        // While the request was prepared, an order may have reserved the right to serve the next phone
        // (the turn), or a reload of the configuration may have removed the lane.
        guard !Task.isCancelled, isFree(lane: name), let lane = lanes[name]?.lane else { return }
        let id = record.id
        perform(try book.insert(record))
        standing.wait(in: id, at: name)
        reportPause(at: name, by: nil)
        while true {
            // One long wait is cut into short ones, since a lost reader is noticed only at the end of a wait.
            plan.deadlines.engagement = min(plan.deadlines.engagement, Self.longestWait)
            plan.admission = { [weak self] in await self?.admit(id, at: name) ?? false }
            await follow(id, plan, at: lane)
            guard let failure = standing.waitAgain(in: id, at: name) else { return }
            do throws(PresentationServiceError) {
                if let problem = failure.problem { throw problem }
                try checkOutputs(of: name)
                // Prepared again for each wait, so that the next phone is judged with the current trust,
                // policy and time.
                let (renewed, newPlan) = try await prepare(
                    order, by: Self.owner(ofStanding: name), at: try namedLane(for: order))
                // An order may have reserved the turn while the next wait was prepared.
                guard standing.isWaiting(in: id, at: name) else { return }
                record = PresentationRecord(renewing: id, with: renewed)
                plan = newPlan
                perform(book.renew(record))
            } catch {
                withdrawStanding(at: name)
                throw error
            }
        }
    }

    /// Runs the presentation at its lane, as a task of the presentation, until the presentation has ended or
    /// the wait for a phone is over.
    private func follow(_ id: PresentationID, _ plan: PresentationPlan, at lane: Lane) async {
        await start(.running, of: id) { await $0.run(id, plan, at: lane) }.value
    }

    /// Decides whether the request may be sent to a phone that has begun the exchange. The presentation is
    /// written to the store first.
    private func admit(_ id: PresentationID, at name: String) async -> Bool {
        guard standing.isWaiting(in: id, at: name) else {
            // The phone was admitted at an earlier tap of this presentation.
            return book[id].map { $0.state != .cancelled } ?? false
        }
        guard !isEnding, let record = book[id] else { return false }
        standing.endWait(at: name)
        do throws(PresentationServiceError) {
            try checkOutputs(of: name)
            try await writeBegun(record)
            reportPause(at: name, by: nil)
            return true
        } catch {
            reportPause(at: name, by: error)
            // `withdrawStanding` removes a presentation only while its lane waits for a phone.
            standing.wait(in: id, at: name)
            withdrawStanding(at: name)
            return false
        }
    }

    /// Returns whether an ended presentation gets an outcome. A presentation gets an outcome if its
    /// request was sent to a phone, or if a phone was there and the request could not be sent. A standing
    /// order's presentation without a phone gets no outcome.
    ///
    /// If the phone failed before the lane called `admit`, this function calls `admit`. If no phone came, it
    /// records `failure` as the reason why the wait ended.
    ///
    /// - Parameter failure: the reason why no response was judged; `nil` if a response was judged.
    func isAsked(_ id: PresentationID, failure: PresentationFailure?) async -> Bool {
        guard let record = book[id], !standing.isYielding(id, at: record.lane) else { return false }
        guard isUnasked(id) else { return true }
        // The phone began the exchange, and failed before the lane called `admit`. The presentation is
        // recorded like any other.
        guard let failure, !failure.isOfPhone else { return await admit(id, at: record.lane) }
        standing.fail(failure, in: id, at: record.lane)
        return false
    }

    /// Whether a lane began the presentation by itself (a standing order), and the presentation is waiting
    /// for a phone.
    func isUnasked(_ id: PresentationID) -> Bool { standing.isUnasked(id) }

    /// Removes the lane's presentation that is still waiting for a phone, and notifies the listeners.
    private func withdrawStanding(at name: String) {
        guard let id = standing.withdraw(at: name) else { return }
        perform(book.withdraw(id))
        notify(.laneChanged, ofLane: name)
    }
}

/// The turns at a lane with a standing order. A turn is the right to serve the next phone there.
extension PresentationCoordinator {
    /// Whether the lane may serve the next phone without an order: no presentation is running there, no
    /// order has reserved the right to serve the next phone, and the last result was shown long enough.
    private func isFree(lane name: String) -> Bool {
        guard standing.hasTurn(lane: name, at: .now), !book.isBusy(lane: name) else { return false }
        // A cancelled presentation may still be notifying its phone.
        return book.latest(at: name).flatMap { tasks[.running, $0.id] } == nil
    }

    /// Reserves the lane's next turn, the right to serve the next phone. The lane then does not begin
    /// another presentation by itself, and stops waiting for a phone. An exchange with a phone is not
    /// interrupted. `releaseTurn` gives the turn back.
    func reserveTurn(lane name: String) async {
        guard let id = standing.reserveTurn(lane: name) else { return }
        // The presentation leaves no record, because its request was not sent to any phone.
        if book.cancel(id) { await lanes[name]?.lane.cancel() }
        await tasks[.running, id]?.value
        perform(book.withdraw(id))
        standing.endYielding(id, at: name)
    }

    /// Gives back the turn (the right to serve the next phone) that `reserveTurn` reserved.
    func releaseTurn(lane name: String) {
        standing.releaseTurn(lane: name)
    }

    /// Lets a customer's result stay on the page for a time. Only then does a lane with a standing order wait
    /// for the next phone.
    func rest(lane name: String) {
        guard let page = lanes[name]?.page else { return }
        standing.rest(lane: name, for: .seconds(page.resultSeconds), from: .now)
    }
}

/// The reasons why the standing order of a lane is paused.
extension PresentationCoordinator {
    /// Logs that a lane's standing order is paused or resumed, and notifies the lane's listeners. Failures of
    /// the same kind in a row are reported once.
    private func reportPause(at name: String, by problem: PresentationServiceError?) {
        guard standing.recordPause(lane: name, by: problem) else { return }
        notify(.laneChanged, ofLane: name)
        if let problem {
            log.warning(
                "a standing order is paused",
                metadata: ["lane": "\(name)", "problem": "\(problem.name)"])
        } else {
            log.notice("a standing order is resumed", metadata: ["lane": "\(name)"])
        }
    }

    /// Checks that the reason for a pause is gone, before the lane waits for phones again.
    private func checkPause(of name: String) async throws(PresentationServiceError) {
        switch standing.pause(of: name) {
        case .recordsUnavailable: try await archive?.probe()
        case .readerUnavailable: if let problem = await readiness(ofLane: name)?.problem { throw problem }
        // Any other reason, such as missing trust, is found again by `checkOutputs` or `prepare`.
        default: break
        }
    }

    /// The preset that a lane repeats by itself (its standing order), and the reason for a pause. Returns
    /// `nil` if the lane waits for orders.
    package func standingOrder(
        ofLane name: String, _ readiness: LaneReadiness
    ) -> (preset: Preset, pause: PresentationServiceError?)? {
        guard standing.contains(lane: name), let preset = lanes[name]?.standing else { return nil }
        return (preset, standing.pause(of: name) ?? readiness.problem)
    }
}

extension LaneReadiness {
    /// The reason why no presentation can run at the lane, or `nil` if one can run.
    fileprivate var problem: PresentationServiceError? {
        if case .unavailable(let fault) = self { .readerUnavailable(.reader(fault)) } else { nil }
    }
}

extension PresentationFailure {
    /// The fault of the lane's devices, or `nil` if the failure has another cause.
    fileprivate var problem: PresentationServiceError? {
        switch self {
        case .readerUnavailable(let fault): .readerUnavailable(.reader(fault))
        case .radioUnavailable(let fault): .readerUnavailable(.radio(fault))
        default: nil
        }
    }

    /// Whether the failure came after a phone had begun the exchange. A bank card or a phone without an open
    /// wallet does not begin the exchange.
    fileprivate var isOfPhone: Bool {
        switch self {
        case .readerUnavailable, .radioUnavailable, .engagementOverdue, .cancelled: false
        default: true
        }
    }
}

extension PresentationRecord {
    /// Creates a copy of `other` with the id of a presentation whose request was not sent to a phone yet.
    fileprivate init(renewing id: PresentationID, with other: Self) {
        self.init(
            id: id, owner: other.owner, order: other.order, plan: other.plan, further: other.further,
            lane: other.lane, created: other.created, brand: other.brand, basis: other.basis,
            consentLimit: other.consentLimit)
    }
}
