internal import ErrorMapping
internal import Transport
internal import MdocModel
internal import ReaderService
internal import Reports
internal import RequestPlanner

extension TransactionReport {
    /// The report of a command; where there was no reader to begin with, the command ends.
    static func ended(
        _ presentation: Presentation, asking plan: RequestPlan, on day: FullDate
    ) throws(CommandFailure) -> TransactionReport {
        try mapping(TransactionReport(presentation, asking: plan, on: day)) { (error: ReaderFault) in
            CommandFailure.unavailable(error.advice)
        }
    }

    /// The report for a person, with what became of the portrait and how long each phase took.
    func presentationText(elements: ElementDisplay) -> String {
        var lines = [text(elements: elements)]
        if let portrait {
            let kind = PortraitKind(portrait)
            lines.append("  portrait: received, \(portrait.count) bytes, \(kind.rawValue)")
        }
        if !phases.isEmpty {
            let times = phases.map { phase in
                "\(phase.name) \((phase.duration.milliseconds * 10).rounded() / 10) ms"
            }
            lines.append("  time: " + times.joined(separator: ", "))
        }
        return lines.joined(separator: "\n")
    }
}
