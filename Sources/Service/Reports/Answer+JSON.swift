internal import JSON
internal import MdocVerification
internal import RequestPlanner

extension DocumentOutcome {
    /// What was asked of this document, by age and by vehicle.
    var answerMembers: [(String, JSONValue)] {
        var ages: [(key: String, answer: ReasonedAnswer)] = []
        var vehicles: [(key: String, answer: ReasonedAnswer)] = []
        var inDate: ReasonedAnswer?
        for (subject, answer) in answers {
            switch subject {
            case .ageOver(let years, _): ages.append(("\(years)", answer))
            case .drive(let vehicle): vehicles.append((vehicle.text, answer))
            case .inDate: inDate = answer
            case .portrait: break
            }
        }
        return [
            ("ageOver", .object(ages.map { ($0.key, .string($0.answer.word.verifyWord)) })),
            ("ageReason", .object(ages.map { ($0.key, .string($0.answer.reason)) })),
            ("mayDrive", .object(vehicles.map { ($0.key, .string($0.answer.word.verifyWord)) })),
            ("mayDriveReason", .object(vehicles.map { ($0.key, .string($0.answer.reason)) })),
            ("inDate", JSONValue(inDate?.word.verifyWord)), ("inDateReason", JSONValue(inDate?.reason)),
        ]
    }
}

extension Answer {
    /// The word in the results of `countersign verify`; receipts and the API say `unknown`.
    fileprivate var verifyWord: String { self == .unknown ? "cannotTell" : rawValue }
}

extension DocumentFamily {
    static func word(of docType: String) -> String? {
        known.first { $0.types.contains { $0.docType == docType } }?.word
    }
}
