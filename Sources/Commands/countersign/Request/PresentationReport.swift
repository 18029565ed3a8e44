internal import CBOR
internal import MdocModel
internal import MdocSession
internal import MdocVerification
internal import ReaderService

/// What one presentation came to, as a report with its portrait apart.
struct PresentationReport {
    private(set) var report: TransactionReport
    /// The verified portrait, where one came and only one.
    let portrait: ArraySlice<UInt8>?

    /// Throws where there was no reader to begin with.
    init(_ presentation: Presentation, questions: [AgeQuestion]) throws(CommandFailure) {
        (report, portrait) = try Self.judged(presentation.outcome, questions: questions)
        report.phases = presentation.phases.map {
            TransactionReport.Phase(name: $0.name.rawValue, duration: $0.duration)
        }
    }

    private static func judged(
        _ outcome: Presentation.Outcome, questions: [AgeQuestion]
    ) throws(CommandFailure) -> (TransactionReport, ArraySlice<UInt8>?) {
        switch outcome {
        case .judged(let verdict):
            let report = TransactionReport(verdict, questions: questions, requestCompared: true)
            let portraits = report.documents.compactMap { $0.verified?.portrait }
            return (report, portraits.count == 1 ? portraits.first : nil)
        case .malformed(let error):
            return (.malformed(TransactionError(.responseMisshapen, error.explanation)), nil)
        case .declined:
            return (
                .incomplete(TransactionError(.declined, "the holder declined: nothing was returned")), nil
            )
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

extension VerifiedDocument {
    fileprivate var portrait: ArraySlice<UInt8>? {
        elements.first { $0.name.identifier == "portrait" && $0.signedBy == .issuer }
            .flatMap { try? $0.value.byteString() }
    }
}
