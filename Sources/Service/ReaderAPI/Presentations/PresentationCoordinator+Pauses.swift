internal import JSON
internal import Logging
internal import ReaderService
internal import ReaderStore
internal import RequestPlanner

/// Why a lane that asks by itself does not ask.
extension PresentationCoordinator {
    /// Says once why no phone is asked, and once that phones are asked again.
    func noteStanding(at name: String, pausedBy problem: APIProblem?) {
        guard let before = standing[name], before.pause != problem else { return }
        standing[name]?.pause = problem
        guard before.pause?.id != problem?.id else { return }
        notify(.laneChanged, ofLane: name)
        if let problem {
            log.warning(
                "a standing order is paused",
                metadata: ["lane": "\(name)", "problem": "\(problem.id.rawValue)"])
        } else {
            log.notice("a standing order is resumed", metadata: ["lane": "\(name)"])
        }
    }

    /// Before phones are asked again, what was missing has to be there.
    func checkPause(of name: String) async throws(APIProblem) {
        switch standing[name]?.pause?.id {
        case .recordsUnavailable: try await archive?.probe()
        case .readerUnavailable: if let problem = await readiness(ofLane: name)?.problem { throw problem }
        default: break
        }
    }

    /// What the lane asks by itself, and whether it does; null where it waits for orders.
    func standingDescription(ofLane name: String, _ readiness: LaneReadiness) -> JSONValue {
        guard let state = standing[name], let preset = lanes[name]?.standing else { return .null }
        let problem = state.pause ?? readiness.problem
        let reason = problem.map {
            ["id": .string($0.id.rawValue), "text": .string($0.detail)] as JSONValue
        }
        return [
            "intent": .string(preset.intent.description), "retention": .string(preset.retention.name),
            "isPaused": .boolean(problem != nil), "reason": reason ?? .null,
        ]
    }
}

extension LaneReadiness {
    /// Why no phone can be asked; nil if one can.
    fileprivate var problem: APIProblem? {
        if case .unavailable(let fault) = self { .readerUnavailable(fault) } else { nil }
    }
}
