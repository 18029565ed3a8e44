/// The rules for the parts of a topic that come from a configuration (MQTT 3.1.1, section 4.7).
package enum MQTTTopic {
    /// The maximum length of a configured part of a topic, in bytes.
    package static let longestName = 128

    /// Returns whether a text can be the beginning of topics: one or more levels, separated by `/`.
    package static func isName(_ text: String) -> Bool {
        text.utf8.count <= longestName
            && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { isLevel($0) }
    }

    /// Returns whether a text can be one level: at least one printable ASCII character, without spaces, the
    /// separator `/`, the wildcards `+` and `#`, and the sign `$` of the broker's own topics.
    package static func isLevel(_ text: some StringProtocol) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (0x21...0x7e).contains(byte) && !"/+#$".utf8.contains(byte)
            }
    }

    /// Returns a text in the characters that Home Assistant allows in the parts of a discovery topic:
    /// letters, digits, `-` and `_`. Every other byte, and `_` itself, becomes `_` and two hexadecimal
    /// digits. Different texts therefore have different results, and no result contains `__`.
    static func discoveryPart(_ text: String) -> String {
        var part = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                part.unicodeScalars.append(Unicode.Scalar(byte))
            default: part += "_" + byte.twoHexadecimalDigits
            }
        }
        return part
    }
}

extension UInt8 {
    /// The byte as two hexadecimal digits in lower case.
    var twoHexadecimalDigits: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}
