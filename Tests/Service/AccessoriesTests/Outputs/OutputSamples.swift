import Accessories

/// Values that the tests of outputs share.
enum OutputSamples {
    static func output(
        _ number: Int64 = 17, lane: String = "gate", outcome: AccessoryOutcome = .allow, isTest: Bool = false,
        age: Int? = 21, code: String = "042137"
    ) -> DueOutput {
        DueOutput(
            number: number, accessory: "lock", lane: lane, presentation: "0f", outcome: outcome,
            isTest: isTest, age: age, code: code)
    }

    static let standIn = StandInDate(year: 1977, month: 7, day: 4)

    /// The bytes of a text of hexadecimal digits and spaces.
    static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.filter { $0 != " " }.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
