package import RequestPlanner

extension RetentionChoice {
    /// The word for it in arguments and in JSON.
    package var word: String {
        switch self {
        case .none: "nothing"
        case .receipt: "receipt"
        case .ageAndIDNumber: "age+id-number"
        case .consented: "consented"
        }
    }
}
