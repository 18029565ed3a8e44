import CBOR
import Testing
import VectorFiles

@Suite("Limits of CBOR")
struct CBORLimitTests {
    @Test(
        "Q196 Items nest as deep as the limit and no deeper",
        arguments: [
            ("arrays", "81", "00"), ("maps by value", "a100", "00"), ("maps by key", "a1", "0000"),
            ("tags", "c0", "00"),
            ("arrays of indefinite length", "9f", "00ff"), ("maps of indefinite length", "bf00", "00ff"),
        ])
    func depth(_ name: String, opening: String, content: String) throws {
        func nested(_ count: Int) -> [UInt8] {
            let open = String(repeating: opening, count: count)
            // Each level by key has its value behind it, each open level its break.
            let close: String =
                switch name {
                case "maps by key": String(repeating: "00", count: count - 1)
                case "arrays of indefinite length", "maps of indefinite length":
                    String(repeating: "ff", count: count - 1)
                default: ""
                }
            return [UInt8](hex: open + content + close)
        }
        _ = try CBORItem.parse(nested(16)[...])
        let error = #expect(throws: CBORError.self) { try CBORItem.parse(nested(17)[...]) }
        guard case .tooDeep(at: let offset) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(offset == 16 * opening.count / 2)
        _ = try CBORItem.parse(nested(17)[...], limits: CBORLimits(depth: 17))
        #expect(throws: CBORError.tooDeep(at: opening.count / 2)) {
            try CBORItem.parse(nested(2)[...], limits: CBORLimits(depth: 1))
        }
    }

    @Test(
        "Q196 CBOR with a hundred thousand levels is refused at the depth limit and does not overflow the stack",
        arguments: ["81", "9f", "c0", "d818", "bf"])
    func bomb(_ opening: String) {
        let bytes = [UInt8](hex: String(repeating: opening, count: 100_000))
        let error = #expect(throws: CBORError.self) { try CBORItem.parse(bytes[...]) }
        guard case .tooDeep = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("Q154 An item may be as long as the limit, and not a byte longer")
    func size() throws {
        let limits = CBORLimits(bytes: 100)
        let bytes = [0x58, 98] + [UInt8](repeating: 7, count: 98)
        _ = try CBORItem.parse(bytes[...], limits: limits)
        let longer = [0x58, 99] + [UInt8](repeating: 7, count: 99)
        #expect(throws: CBORError.tooLong(limit: 100)) { try CBORItem.parse(longer[...], limits: limits) }
        #expect(CBORLimits.standard.bytes == 1 << 20)
        #expect(CBORLimits.standard.depth == 16)
    }

    @Test(
        "A count or length that cannot be is refused at once",
        arguments: [
            "9b7fffffffffffffff00", "9bffffffffffffffff00", "bb7fffffffffffffff0000",
            "bbffffffffffffffff0000",
            "bb80000000000000000000", "9a0000000300 00", "5b8000000000000000 00", "7bffffffffffffffff 61",
            "5bfffffffffffffff7 00", "5f5bffffffffffffffff 00ff", "ba00000002 000000",
            "d8185bffffffffffffffff",
        ])
    func huge(_ hex: String) {
        let bytes = [UInt8](hex: hex)
        #expect(throws: CBORError.truncated(at: bytes.count)) { try CBORItem.parse(bytes[...]) }
    }
}
