import CBOR
import TestCredentials

extension Encoded {
    /// A map whose keys are not texts.
    static func keyed(_ members: [(key: [UInt8], value: [UInt8])]) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.map(count: members.count)
            for member in members { encoder.encoded(member.key + member.value) }
        }
    }

    /// A map of `count` texts.
    static func texts(_ count: Int, value: [UInt8] = [0x00]) -> [UInt8] {
        map((0..<count).map { ("\($0)", value) })
    }

    static func number(_ value: Int) -> [UInt8] { unsigned(UInt64(value)) }

    /// An integer in nine bytes, however small.
    static func longNumber(_ value: Int) -> [UInt8] {
        [0x1b] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func array(_ item: [UInt8], count: Int) -> [UInt8] {
        array([[UInt8]](repeating: item, count: count))
    }

    /// A letter with many marks, which Unicode puts in order before it compares.
    static func marked(_ count: Int) -> [UInt8] {
        let marks = (0..<count).map { $0.isMultiple(of: 2) ? "\u{0301}" : "\u{0323}" as Unicode.Scalar }
        return text("a" + String(String.UnicodeScalarView(marks)))
    }
}
