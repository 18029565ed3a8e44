/// The answer to a question of yes or no. Absence, what cannot be read and what contradicts itself make it unknown.
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
