internal import Transport
internal import MdocModel
internal import ReaderService
internal import Reports
internal import RequestPlanner

extension PresentationReport {
    /// The report of a command; where there was no reader to begin with, the command ends.
    static func ended(
        _ presentation: Presentation, asking plan: RequestPlan, on day: FullDate
    ) throws(CommandFailure) -> PresentationReport {
        do throws(ReaderFault) {
            return try PresentationReport(presentation, asking: plan, on: day)
        } catch {
            throw .unavailable(error.advice)
        }
    }

    /// The report for a person, with what became of the portrait and how long each phase took.
    var text: String {
        var lines = [report.text(elements: .names)]
        if let portrait {
            let kind = PortraitKind(portrait)
            lines.append("  portrait: received, \(portrait.count) bytes, \(kind.rawValue)")
        }
        if !report.phases.isEmpty {
            let times = report.phases.map { phase in
                "\(phase.name) \((phase.duration.milliseconds * 10).rounded() / 10) ms"
            }
            lines.append("  time: " + times.joined(separator: ", "))
        }
        return lines.joined(separator: "\n")
    }
}
