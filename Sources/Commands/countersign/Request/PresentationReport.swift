internal import CBOR
internal import MdocModel
internal import MdocSession
internal import MdocVerification
internal import ReaderService
internal import RequestPlanner

/// What one presentation came to, as a report with its portrait apart.
struct PresentationReport {
    private(set) var report: TransactionReport
    /// The verified portrait, where one came and only one.
    let portrait: ArraySlice<UInt8>?

    /// Throws where there was no reader to begin with.
    ///
    /// - Parameter day: today, in the zone of the premises.
    init(_ presentation: Presentation, asking plan: RequestPlan, on day: FullDate) throws(CommandFailure) {
        (report, portrait) = try Self.judged(presentation.outcome, questions: plan.questions(on: day))
        report.asked = AskedRequest(plan: plan, sent: presentation.request)
        report.phases = presentation.phases.map {
            TransactionReport.Phase(name: $0.name.rawValue, duration: $0.duration)
        }
    }

    private static func judged(
        _ outcome: Presentation.Outcome, questions: [Question]
    ) throws(CommandFailure) -> (TransactionReport, ArraySlice<UInt8>?) {
        switch outcome {
        case .judged(let verdict):
            let report = TransactionReport(verdict, questions: questions, requestCompared: true)
            let portraits = report.documents.compactMap { $0.verified?.portrait }
            return (report, portraits.count == 1 ? portraits.first : nil)
        case .malformed(let error):
            return (.malformed(TransactionError(.responseMisshapen, error.explanation)), nil)
        case .declined:
            let detail = "nothing was returned: the holder declined, or the wallet does not know this reader"
            return (.incomplete(TransactionError(.declined, detail)), nil)
        case .failed(let failure): return (try failure.report(), nil)
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

/// What kind of picture a portrait is, by its first bytes (Q155).
enum PortraitKind: String {
    case jpeg = "JPEG"
    case jpeg2000 = "JPEG 2000, which most programs do not show"
    case unknown = "of no known format"

    init(_ bytes: ArraySlice<UInt8>) {
        if bytes.starts(with: [0xff, 0xd8, 0xff]) {
            self = .jpeg
        } else if bytes.starts(with: [0, 0, 0, 0x0c, 0x6a, 0x50])
            || bytes.starts(with: [0xff, 0x4f, 0xff, 0x51])
        {
            self = .jpeg2000
        } else {
            self = .unknown
        }
    }
}
