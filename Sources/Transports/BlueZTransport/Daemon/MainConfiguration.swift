/// The contents of `main.conf`, read as bluetoothd reads it, by GLib's key file rules: groups in brackets,
/// `key=value`, comments on separate lines. The last value counts. Any other line makes bluetoothd refuse the whole
/// file.
package struct MainConfiguration: Equatable, Sendable {
    /// The longest file that is read, in bytes; Debian's has 12 thousand.
    package static let limit = 65_535

    private var values: [String: [String: String]] = [:]

    /// bluetoothd's settings if there is no file.
    package init() {}

    package init(parsing text: [UInt8]) throws(MainConfigurationError) {
        guard text.count <= Self.limit else { throw .tooLong }
        var group: String?
        for (index, line) in text.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            let line = (line.last == 0x0d ? line.dropLast() : line).drop(while: \.isSpace)
            if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
            if let name = Self.group(line) {
                group = name
            } else if let group, let (key, value) = Self.entry(line) {
                values[group, default: [:]][key] = value
            } else {
                throw .malformed(line: index + 1)
            }
        }
    }

    /// The value of a key, without the space before it and with what follows: `no # why` is no `no`.
    package func value(of key: String, in group: String) -> String? {
        values[group]?[key]
    }

    private static func group(_ line: ArraySlice<UInt8>) -> String? {
        let line = line.dropLastSpaces()
        guard line.count > 2, line.first == UInt8(ascii: "["), line.last == UInt8(ascii: "]") else {
            return nil
        }
        let name = line.dropFirst().dropLast()
        let hasBracket = name.contains { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }
        return hasBracket ? nil : String(decoding: name, as: UTF8.self)
    }

    private static func entry(_ line: ArraySlice<UInt8>) -> (key: String, value: String)? {
        guard let sign = line.firstIndex(of: UInt8(ascii: "=")), sign > line.startIndex else { return nil }
        let value = line[(sign + 1)...].drop(while: \.isSpace)
        return (
            String(decoding: line[..<sign].dropLastSpaces(), as: UTF8.self),
            String(decoding: value, as: UTF8.self)
        )
    }
}

package enum MainConfigurationError: Error, Equatable, Sendable {
    /// A line, counted from 1, that is not a group, an entry or a comment, or an entry before the first group.
    case malformed(line: Int)
    /// Longer than any such file; it was not read.
    case tooLong
}

extension BidirectionalCollection<UInt8> {
    /// Without the white space at the end.
    func dropLastSpaces() -> SubSequence {
        self[..<(lastIndex { !$0.isSpace }.map(index(after:)) ?? startIndex)]
    }
}

extension UInt8 {
    /// What GLib takes for white space.
    fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0d).contains(self) }
}
