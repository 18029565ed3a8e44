internal import MdocModel

/// The target of a request: its path and its query, percent-encoded (RFC 3986 2.1).
package enum TargetText {
    /// Whether its bytes, once decoded, are UTF-8 without a NUL. Neither a database nor the name of a file takes other texts.
    package static func isReadable(_ target: String) -> Bool {
        var bytes: [UInt8] = []
        var rest = target.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let decoded = rest.prefix(2).bytesOfHexadecimal, decoded.count == 1 else { return false }
            bytes += decoded
            rest = rest.dropFirst(2)
        }
        return !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
    }
}
