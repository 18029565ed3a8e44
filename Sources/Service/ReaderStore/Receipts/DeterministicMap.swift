internal import CBOR

/// A CBOR map with text keys in the order of RFC 8949 4.2.1, so that equal contents have equal encodings.
struct DeterministicMap {
    private var members: [(key: [UInt8], value: [UInt8])] = []

    mutating func set(_ key: String, _ write: (inout CBOREncoder) -> Void) {
        members.append((CBOREncoder.encode { $0.text(key) }, CBOREncoder.encode(write)))
    }

    mutating func set(_ key: String, text: String) {
        set(key) { $0.text(text) }
    }

    mutating func set(_ key: String, integer: Int64) {
        set(key) { $0.integer(integer) }
    }

    mutating func set(_ key: String, bytes: [UInt8]) {
        set(key) { $0.byteString(bytes) }
    }

    mutating func set(_ key: String, array items: [[UInt8]]) {
        set(key) { encoder in
            encoder.array(count: items.count)
            for item in items { encoder.encoded(item) }
        }
    }

    /// Returns the encoded map. All keys must be different.
    func encoded() -> [UInt8] {
        let ordered = members.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        return CBOREncoder.encode { encoder in
            encoder.map(count: ordered.count)
            for member in ordered {
                encoder.encoded(member.key)
                encoder.encoded(member.value)
            }
        }
    }

    static func encode(_ body: (inout DeterministicMap) -> Void) -> [UInt8] {
        var map = DeterministicMap()
        body(&map)
        return map.encoded()
    }
}
