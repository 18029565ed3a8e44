internal import Transport
internal import CBOR
internal import JSON
internal import MdocModel
internal import MdocVerification
internal import ReaderService
internal import Reports
internal import RequestPlanner

/// What remains of a presentation once it is judged.
struct PresentationEnding {
    let state: PresentationState
    let result: PresentationResult
    let report: TransactionReport?
    /// As the phone sent it, in whatever format.
    let portrait: ArraySlice<UInt8>?
    let name: ShownPerson.Name?
    let phases: [PhaseTime]

    init(_ presentation: Presentation, asking plan: RequestPlan, by basis: JudgingBasis, at now: Timestamp) {
        do throws(ReaderFault) {
            let day = WallClock.localDay(at: now)
            let presented = try PresentationReport(presentation, asking: plan, on: day)
            self.init(presented, by: basis, phases: presentation.phases, at: now)
        } catch {
            self.init(unavailable: error)
        }
    }

    private init(
        _ presented: PresentationReport, by basis: JudgingBasis, phases: [PhaseTime], at now: Timestamp
    ) {
        let report = presented.report
        state = PresentationState(report)
        result = PresentationResult(report, by: basis, at: now)
        self.report = report
        portrait = presented.portrait
        name = ShownPerson.Name(report)
        self.phases = phases
    }

    init(unavailable fault: ReaderFault) {
        state = .failed
        result = PresentationResult(fault)
        report = nil
        portrait = nil
        name = nil
        phases = []
    }

    /// The documents with their elements, as the command line writes them; a portrait is its size.
    var documents: JSONValue? {
        guard case .object(let members)? = report?.json(portrait: .size) else { return nil }
        return members.first { name, _ in name == "documents" }?.1
    }
}

extension ShownPerson.Name {
    /// What the issuer signed of it, where it was asked for and one document came.
    fileprivate init?(_ report: TransactionReport) {
        guard report.documents.count == 1, let document = report.documents.first?.verified else { return nil }
        given = document.text("given_name")
        family = document.text("family_name")
        guard given != nil || family != nil else { return nil }
    }
}

extension VerifiedDocument {
    fileprivate func text(_ identifier: String) -> String? {
        let element = elements.first { $0.name.identifier == identifier && $0.signedBy == .issuer }
        return element.flatMap { try? $0.value.text() }.map { Terminal.safe($0, limit: 150) }
    }
}
