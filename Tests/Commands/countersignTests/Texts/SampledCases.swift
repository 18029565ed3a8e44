/// An enum with one sample of each of its cases. The switch of a conformance has no default, so that a new case does
/// not compile until its sample is there.
protocol SampledCases {
    /// The first sample for nil, else that of the case after this one; nil after the last.
    static func sample(after previous: Self?) -> Self?
}

extension SampledCases {
    /// All of them. A circle ends at the limit, and shows as a duplicate text.
    static var samples: [Self] {
        var samples: [Self] = []
        while samples.count < 100, let next = sample(after: samples.last) { samples.append(next) }
        return samples
    }
}

/// What a phone, a list or a user may have sent, with what would steer a terminal.
enum Received {
    static let name = "CN=Utopia\u{1b}[31m"
    static let type = "org.example.utopia\u{1b}[31m"
    static let path = "/store/file\u{1b}[31m"
}
