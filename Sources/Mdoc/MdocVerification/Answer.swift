/// The answer to a yes-or-no question. It is unknown if the evidence is missing, unreadable or contradictory.
package enum Answer: String, CaseIterable, Sendable {
    case yes, no, unknown
}

extension AgeAnswer {
    package var answer: Answer {
        switch self {
        case .yes: .yes
        case .no: .no
        case .cannotTell: .unknown
        }
    }
}

extension DrivingAnswer {
    package var answer: Answer {
        switch self {
        case .yes: .yes
        case .no: .no
        case .cannotTell: .unknown
        }
    }
}

extension InDateAnswer {
    package var answer: Answer {
        switch self {
        case .yes: .yes
        case .no: .no
        case .cannotTell: .unknown
        }
    }
}
