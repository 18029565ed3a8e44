internal import JSON
internal import Logging
package import ReaderService
internal import ReaderStore
internal import RequestPlanner

/// Why a lane that asks by itself does not ask.
extension PresentationCoordinator {
    /// Says once why no phone is asked, and once that phones are asked again.
    func noteStanding(at name: String, pausedBy problem: PresentationServiceError?) {
        guard let before = standing[name], before.pause != problem else { return }
        standing[name]?.pause = problem
        guard before.pause?.name != problem?.name else { return }
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
    func checkPause(of name: String) async throws(PresentationServiceError) {
        switch standing[name]?.pause {
        case .recordsUnavailable: try await archive?.probe()
        case .readerUnavailable: if let problem = await readiness(ofLane: name)?.problem { throw problem }
        default: break
        }
    }

    /// What a lane asks by itself, and why it does not ask now; nil if it waits for orders.
    package func standingOrder(
        ofLane name: String, _ readiness: LaneReadiness
    ) -> (preset: Preset, pause: PresentationServiceError?)? {
        guard let state = standing[name], let preset = lanes[name]?.standing else { return nil }
        return (preset, state.pause ?? readiness.problem)
    }
}

extension LaneReadiness {
    /// Why no phone can be asked; nil if one can.
    fileprivate var problem: PresentationServiceError? {
        if case .unavailable(let fault) = self { .readerUnavailable(.reader(fault)) } else { nil }
    }
}
