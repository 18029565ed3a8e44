import Testing

/// A message made to be expensive: `count` of something that a parser might compare each with each, copy again and
/// again, or make much of.
struct HostileMessage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let read: @Sendable ([UInt8]) -> Void
    let make: @Sendable (_ count: Int) throws -> [UInt8]

    init(
        _ name: String, _ read: @escaping @Sendable ([UInt8]) -> Void,
        _ make: @escaping @Sendable (Int) throws -> [UInt8]
    ) {
        testDescription = name
        self.read = read
        self.make = make
    }

    static let all =
        items + documents + mobileSecurityObjects + deviceSigned + engagements + presentations
        + certificates + lists
}
