internal import CBOR

/// Encoded CBOR put together by hand.
package enum Encoded {
    package static func map(_ members: [(String, [UInt8])]) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.map(count: members.count)
            for (key, value) in members {
                encoder.text(key)
                encoder.encoded(value)
            }
        }
    }

    package static func array(_ items: [[UInt8]]) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.array(count: items.count)
            for item in items { encoder.encoded(item) }
        }
    }

    package static func text(_ text: String) -> [UInt8] { CBOREncoder.encode { $0.text(text) } }
    package static func bytes(_ bytes: [UInt8]) -> [UInt8] { CBOREncoder.encode { $0.byteString(bytes) } }
    package static func unsigned(_ value: UInt64) -> [UInt8] { CBOREncoder.encode { $0.unsigned(value) } }
    package static func boolean(_ value: Bool) -> [UInt8] { CBOREncoder.encode { $0.boolean(value) } }

    package static func tagged(_ tag: UInt64, _ item: [UInt8]) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.tag(tag)
            encoder.encoded(item)
        }
    }

    package static func embedded(_ content: [UInt8]) -> [UInt8] { tagged(24, bytes(content)) }

    /// A tdate.
    package static func instant(_ text: String) -> [UInt8] { tagged(0, Self.text(text)) }

    /// A full-date.
    package static func day(_ text: String) -> [UInt8] { tagged(1004, Self.text(text)) }
}
