import Testing

@testable import Doctor
@testable import countersign

/// Facts about one part of a computer, and what is to be said of them.
struct CheckExpectation<Facts: Sendable>: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let facts: Facts
    let id: DoctorCheck.ID
    let outcome: DoctorCheck.Status
    /// Words of the detail.
    let detail: String
    /// Words of the fix; nil where there is none.
    let fix: String?

    init(
        _ name: String, _ facts: Facts, _ id: DoctorCheck.ID, _ outcome: DoctorCheck.Status,
        _ detail: String,
        fix: String? = nil
    ) {
        testDescription = name
        (self.facts, self.id, self.outcome, self.detail, self.fix) = (facts, id, outcome, detail, fix)
    }

    /// Judges the facts; every check of `ids` is answered, and in their order.
    func expect(
        _ checks: [DoctorCheck], of ids: [DoctorCheck.ID], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(checks.map(\.id) == ids, sourceLocation: sourceLocation)
        let check = try #require(checks.first { $0.id == id }, sourceLocation: sourceLocation)
        #expect(check.outcome == outcome, "\(check.detail.full)", sourceLocation: sourceLocation)
        #expect(check.detail.full.contains(detail), "\(check.detail.full)", sourceLocation: sourceLocation)
        let command = check.remedy?.command.full
        #expect(
            fix.map { command?.contains($0) == true } ?? (command == nil), "\(command ?? "no fix")",
            sourceLocation: sourceLocation)
    }
}
