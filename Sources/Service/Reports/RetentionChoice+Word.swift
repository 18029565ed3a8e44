package import RequestPlanner

extension RetentionChoice {
    package var word: String {
        switch self {
        case .none: "nothing"
        case .receipt: "receipt"
        case .ageAndIDNumber: "age+id-number"
        case .consented: "consented"
        }
    }
}
