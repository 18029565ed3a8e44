/// The content of bluetoothd's `main.conf`, parsed by the rules of GLib's key files as bluetoothd does.
///
/// A file has groups in brackets, `key=value` entries, and comments on separate lines. The last value of a
/// key counts. A line of any other kind makes bluetoothd refuse the whole file.
package struct MainConfiguration: Equatable, Sendable {
    /// The maximum length of a file in bytes. Debian's file has 12,000 bytes.
    package static let limit = 65_535

    private var values: [String: [String: String]] = [:]

    /// Creates an empty configuration, which stands for a missing file.
    package init() {}

    /// Parses a file.
    ///
    /// - Throws: `malformed` at the first line that bluetoothd refuses, `tooLong`.
    package init(parsing text: [UInt8]) throws(MainConfigurationError) {
        guard text.count <= Self.limit else { throw .tooLong }
        var group: String?
        for (index, line) in text.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            // A line may end with CR LF, and may begin with spaces.
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

    /// Returns the value of a key without leading space. As in bluetoothd, a value has no comment after it:
    /// the line `Cache = no # why` gives the value `no # why`, not `no`.
    package func value(of key: String, in group: String) -> String? {
        values[group]?[key]
    }

    /// Returns the name of a group if the line begins a group, as `[General]` does; otherwise `nil`.
    private static func group(_ line: ArraySlice<UInt8>) -> String? {
        let line = line.dropLastSpaces()
        guard line.count > 2, line.first == UInt8(ascii: "["), line.last == UInt8(ascii: "]") else {
            return nil
        }
        let name = line.dropFirst().dropLast()
        let hasBracket = name.contains { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }
        return hasBracket ? nil : String(decoding: name, as: UTF8.self)
    }

    /// Returns the key and value of a line such as `Key = value`; `nil` for any other line.
    private static func entry(_ line: ArraySlice<UInt8>) -> (key: String, value: String)? {
        guard let sign = line.firstIndex(of: UInt8(ascii: "=")), sign > line.startIndex else { return nil }
        let value = line[(sign + 1)...].drop(while: \.isSpace)
        return (
            String(decoding: line[..<sign].dropLastSpaces(), as: UTF8.self),
            String(decoding: value, as: UTF8.self)
        )
    }
}

/// An error in bluetoothd's configuration file.
package enum MainConfigurationError: Error, Equatable, Sendable {
    /// A line is neither a group, an entry nor a comment, or an entry comes before the first group. The value
    /// is the number of the line, counted from 1.
    case malformed(line: Int)
    /// The file is longer than ``MainConfiguration/limit`` and was not parsed.
    case tooLong
}

extension BidirectionalCollection<UInt8> {
    /// Returns the bytes without white space at the end.
    func dropLastSpaces() -> SubSequence {
        self[..<(lastIndex { !$0.isSpace }.map(index(after:)) ?? startIndex)]
    }
}

extension UInt8 {
    /// Whether GLib treats the byte as white space.
    fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0d).contains(self) }
}
