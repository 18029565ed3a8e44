internal import JSON
internal import Logging
internal import MdocModel
package import ReaderService
internal import ReaderStore
internal import RequestPlanner
internal import Transport

/// Lanes that ask the next phone by themselves.
///
/// Such a presentation belongs to its lane. It is written down when a phone is engaged and before that is asked anything: one
/// that nobody taps leaves no record. A till's order takes its turn, unless a phone is being asked.
extension PresentationCoordinator {
    /// Whose presentations those of a standing order are; no token and no user has such a name.
    package static func owner(ofStanding lane: String) -> String { "lane:\(lane)" }

    /// How long one wait for a phone takes at most: a reader that is lost is noticed at its end.
    private static let longestWait = Duration.seconds(10)
    /// Between two looks whether the lane is free.
    private static let look = Duration.milliseconds(200)
    /// Between two tries where something is missing.
    private static let shortestPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(15)

    /// Starts the standing orders of all lanes.
    package func startStanding() {
        for name in laneNames { startStanding(at: name) }
    }

    func startStanding(at name: String) {
        guard let preset = lanes[name]?.standing, !standing.contains(lane: name), !isEnding else { return }
        standing.insert(lane: name, task: Task { await self.keepAsking(preset, at: name) })
    }

    private func keepAsking(_ preset: Preset, at name: String) async {
        var pause = Self.shortestPause
        while !Task.isCancelled, !isEnding {
            guard isFree(lane: name) else {
                try? await Task.sleep(for: Self.look, clock: .continuous)
                continue
            }
            do throws(PresentationServiceError) {
                try await askNext(preset, at: name)
                pause = Self.shortestPause
            } catch {
                noteStanding(at: name, pausedBy: error)
                try? await Task.sleep(for: pause, clock: .continuous)
                pause = min(pause * 2, Self.longestPause)
            }
        }
    }

    /// One customer: waits for a phone, as long as that takes, and follows it to its end.
    private func askNext(_ preset: Preset, at name: String) async throws(PresentationServiceError) {
        try await checkPause(of: name)
        let order = PresentationOrder(preset, lane: name, reference: nil)
        var (record, plan) = try await prepare(
            order, by: Self.owner(ofStanding: name), at: try namedLane(for: order))
        guard !Task.isCancelled, isFree(lane: name), let lane = lanes[name]?.lane else { return }
        let id = record.id
        perform(try book.insert(record))
        standing.wait(in: id, at: name)
        noteStanding(at: name, pausedBy: nil)
        while true {
            plan.deadlines.engagement = min(plan.deadlines.engagement, Self.longestWait)
            plan.admission = { [weak self] in await self?.admit(id, at: name) ?? false }
            await follow(id, plan, at: lane)
            guard let failure = standing.waitAgain(in: id, at: name) else { return }
            do throws(PresentationServiceError) {
                if let problem = failure.problem { throw problem }
                let (renewed, newPlan) = try await prepare(
                    order, by: Self.owner(ofStanding: name), at: try namedLane(for: order))
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

    private func follow(_ id: PresentationID, _ plan: PresentationPlan, at lane: Lane) async {
        await start(.running, of: id) { await $0.run(id, plan, at: lane) }.value
    }

    /// A phone is engaged: whether it may be asked. Only what is written down is.
    private func admit(_ id: PresentationID, at name: String) async -> Bool {
        guard standing.isWaiting(in: id, at: name) else {
            // Another tap of a phone that was admitted.
            return book[id].map { $0.state != .cancelled } ?? false
        }
        guard !isEnding, let record = book[id] else { return false }
        standing.endWait(at: name)
        do throws(PresentationServiceError) {
            try await keepBegun(record)
            noteStanding(at: name, pausedBy: nil)
            return true
        } catch {
            noteStanding(at: name, pausedBy: error)
            standing.wait(in: id, at: name)
            withdrawStanding(at: name)
            return false
        }
    }

    /// Whether what ended is a presentation like any other: a phone was asked, or was there and could not be.
    ///
    /// - Parameter failure: why no answer was judged; nil if one was.
    func isAsked(_ id: PresentationID, failure: PresentationFailure?) async -> Bool {
        guard let record = book[id], !standing.isYielding(id, at: record.lane) else { return false }
        guard isUnasked(id) else { return true }
        guard let failure, !failure.isOfPhone else { return await admit(id, at: record.lane) }
        standing.fail(failure, in: id, at: record.lane)
        return false
    }

    /// Whether it is one of a standing order in which no phone was asked yet.
    func isUnasked(_ id: PresentationID) -> Bool { standing.isUnasked(id) }

    private func withdrawStanding(at name: String) {
        guard let id = standing.withdraw(at: name) else { return }
        perform(book.withdraw(id))
        notify(.laneChanged, ofLane: name)
    }
}

/// The turns of a lane that asks by itself.
extension PresentationCoordinator {
    /// Whether the lane may ask the next phone: nothing runs there, nobody takes its turn, and the
    /// result before was shown.
    private func isFree(lane name: String) -> Bool {
        guard standing.hasTurn(lane: name, at: .now), !book.isBusy(lane: name) else { return false }
        // One that was cancelled may still be notifying its phone.
        return book.latest(at: name).flatMap { tasks[.running, $0.id] } == nil
    }

    /// Takes the lane's next turn from its standing order, unless a phone is being asked. `release` gives it back.
    func hold(lane name: String) async {
        guard let id = standing.hold(lane: name) else { return }
        if book.cancel(id) { await lanes[name]?.lane.cancel() }
        await tasks[.running, id]?.value
        perform(book.withdraw(id))
        standing.endYielding(id, at: name)
    }

    func release(lane name: String) {
        standing.release(lane: name)
    }

    /// A customer is served: the result stays for a while before the lane asks the next.
    func rest(lane name: String) {
        guard let page = lanes[name]?.page else { return }
        standing.rest(lane: name, for: .seconds(page.resultSeconds), from: .now)
    }
}

/// The reasons why a lane that asks by itself does not ask.
extension PresentationCoordinator {
    /// Says once why no phone is asked, and once that phones are asked again.
    private func noteStanding(at name: String, pausedBy problem: PresentationServiceError?) {
        guard standing.pause(lane: name, by: problem) else { return }
        notify(.laneChanged, ofLane: name)
        if let problem {
            log.warning(
                "a standing order is paused",
                metadata: ["lane": "\(name)", "problem": "\(problem.name)"])
        } else {
            log.notice("a standing order is resumed", metadata: ["lane": "\(name)"])
        }
    }

    /// Before phones are asked again, what was missing has to be there.
    private func checkPause(of name: String) async throws(PresentationServiceError) {
        switch standing.pause(of: name) {
        case .recordsUnavailable: try await archive?.probe()
        case .readerUnavailable: if let problem = await readiness(ofLane: name)?.problem { throw problem }
        default: break
        }
    }

    /// What a lane asks by itself, and why it does not ask now; nil if it waits for orders.
    package func standingOrder(
        ofLane name: String, _ readiness: LaneReadiness
    ) -> (preset: Preset, pause: PresentationServiceError?)? {
        guard standing.contains(lane: name), let preset = lanes[name]?.standing else { return nil }
        return (preset, standing.pause(of: name) ?? readiness.problem)
    }
}

extension LaneReadiness {
    /// Why no phone can be asked; nil if one can.
    fileprivate var problem: PresentationServiceError? {
        if case .unavailable(let fault) = self { .readerUnavailable(.reader(fault)) } else { nil }
    }
}

extension PresentationFailure {
    /// What is wrong with the devices of the lane; nil if nothing is.
    fileprivate var problem: PresentationServiceError? {
        switch self {
        case .readerUnavailable(let fault): .readerUnavailable(.reader(fault))
        case .radioUnavailable(let fault): .readerUnavailable(.radio(fault))
        default: nil
        }
    }

    /// Whether a phone was engaged; a bank card or a wallet that is closed is not.
    fileprivate var isOfPhone: Bool {
        switch self {
        case .readerUnavailable, .radioUnavailable, .engagementOverdue, .cancelled: false
        default: true
        }
    }
}

extension PresentationRecord {
    /// The same presentation, asked again.
    fileprivate init(renewing id: PresentationID, with other: Self) {
        self.init(
            id: id, owner: other.owner, order: other.order, plan: other.plan, further: other.further,
            lane: other.lane, created: other.created, brand: other.brand, basis: other.basis)
    }
}
