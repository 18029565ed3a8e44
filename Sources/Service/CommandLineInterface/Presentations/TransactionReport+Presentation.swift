internal import ErrorMapping
internal import Transport
package import MdocModel
internal import PortraitImage
package import ReaderService
package import Reports
package import RequestPlanner

extension ImageFormat {
    /// The format, with a remark on one that is hard to look at (Q155).
    fileprivate var name: String {
        self == .jpeg2000 ? "JPEG 2000, which most programs do not show" : rawValue
    }
}

extension TransactionReport {
    /// The report of a command; where there was no reader to begin with, the command ends.
    package static func ended(
        _ presentation: Presentation, asking plan: RequestPlan, on day: FullDate
    ) throws(CommandFailure) -> TransactionReport {
        try mapping(TransactionReport(presentation, asking: plan, on: day)) { (error: ReaderFault) in
            CommandFailure.unavailable(error.advice)
        }
    }

    /// The report for a person, with what became of the portrait and how long each phase took.
    package func presentationText(elements: ElementDisplay) -> String {
        var lines = [text(elements: elements)]
        if let portrait {
            let format = ImageFormat(portrait)?.name ?? "of no known format"
            lines.append("  portrait: received, \(portrait.count) bytes, \(format)")
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
