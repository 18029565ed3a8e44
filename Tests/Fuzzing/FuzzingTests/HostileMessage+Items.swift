import CBOR
import TestCredentials

extension HostileMessage {
    private static func item(
        _ name: String, _ make: @escaping @Sendable (Int) -> [UInt8]
    ) -> HostileMessage {
        HostileMessage(name, readItem, make)
    }

    /// Plain CBOR.
    static let items = [
        item("an array of integers") { Encoded.array((0..<$0).map(Encoded.number)) },
        item("a map of keys in order") { Encoded.keyed((0..<$0).map { (Encoded.number($0), [0]) }) },
        item("a map of keys in reverse") {
            Encoded.keyed((0..<$0).reversed().map { (Encoded.number($0), [0]) })
        },
        item("a map of texts that differ at their end") { count in
            Encoded.map((0..<16).map { (String(repeating: "a", count: 16 * count) + "\($0)", [0]) })
        },
        item("a map of integers in nine bytes") {
            Encoded.keyed((0..<$0).map { (Encoded.longNumber($0), [0]) })
        },
        item("a map as the key of a map, and so on, with integers in nine bytes") { count in
            let keys = [UInt8](repeating: 0xa1, count: 15)
            let innermost = Encoded.keyed((0..<count).map { (Encoded.longNumber($0), [0]) })
            return keys + innermost + [UInt8](repeating: 0, count: 15)
        },
        item("an array in an array, and so on") { count in
            [UInt8](repeating: 0x81, count: 15) + Encoded.array((0..<count).map(Encoded.number))
        },
        item("a byte string of empty chunks") { [0x5f] + [UInt8](repeating: 0x40, count: 16 * $0) + [0xff] },
        item("a text of one-letter chunks") { [0x7f] + [UInt8](repeating: 0x61, count: 16 * $0) + [0xff] },
        item("a map of texts in chunks") { count in
            Encoded.keyed((0..<count).map { ([0x7f] + "\($0)".utf8.flatMap { [0x61, $0] } + [0xff], [0]) })
        },
        item("arrays without length") { [0x9f] + [UInt8](repeating: 0x80, count: 4 * $0) + [0xff] },
        item("tags") { Encoded.array([0xc0, 0xc0, 0xc0, 0x60], count: $0) },
    ]
}

/// Reads the item and every item in it, and writes it in diagnostic notation.
private func readItem(_ bytes: [UInt8]) {
    guard let item = try? CBORItem.parse(bytes[...]) else { return }
    visit(item)
    _ = item.diagnostic()
}

private func visit(_ item: CBORItem) {
    switch item.value {
    case .array(let items): for item in items { visit(item) }
    case .map(let members):
        for member in members {
            visit(member.key)
            visit(member.value)
        }
    case .tagged(_, let content): visit(content)
    default: return
    }
}
