/// What `main.conf` says, read as bluetoothd reads it, by GLib's key file rules: groups in brackets, `key=value`, a
/// comment is a line of its own, what comes last counts, and one line that is none of these makes it refuse the whole
/// file.
package struct MainConfiguration: Equatable, Sendable {
    /// The longest file that is read, in bytes; Debian's has 12 thousand.
    package static let limit = 65_535

    private var values: [String: [String: String]] = [:]

    /// What bluetoothd has when there is no file.
    package init() {}

    /// - Throws: ``MainConfigurationError``.
    package init(parsing text: [UInt8]) throws(MainConfigurationError) {
        guard text.count <= Self.limit else { throw .tooLong }
        var group: String?
        for (index, bytes) in text.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            let line = String(decoding: bytes.last == 0x0d ? bytes.dropLast() : bytes, as: UTF8.self)
                .drop(while: \.isASCIISpace)
            if line.isEmpty || line.first == "#" { continue }
            if let name = Self.group(line) {
                group = name
            } else if let group, let (key, value) = Self.entry(line) {
                values[group, default: [:]][key] = value
            } else {
                throw .misshapen(line: index + 1)
            }
        }
    }

    /// The value of a key, without the space before it and with what follows: `no # why` is no `no`.
    package func value(of key: String, in group: String) -> String? {
        values[group]?[key]
    }

    private static func group(_ line: Substring) -> String? {
        let line = line.dropLastSpaces()
        guard line.count > 2, line.first == "[", line.last == "]" else { return nil }
        let name = line.dropFirst().dropLast()
        return name.contains { $0 == "[" || $0 == "]" } ? nil : String(name)
    }

    private static func entry(_ line: Substring) -> (key: String, value: String)? {
        guard let sign = line.firstIndex(of: "="), sign > line.startIndex else { return nil }
        let value = line[line.index(after: sign)...].drop(while: \.isASCIISpace)
        return (String(line[..<sign].dropLastSpaces()), String(value))
    }
}

/// Why a `main.conf` has no effect.
package enum MainConfigurationError: Error, Equatable, Sendable {
    /// A line, counted from 1, that is no group, entry or comment, or an entry before the first group.
    case misshapen(line: Int)
    /// Longer than any such file; it was not read.
    case tooLong
}

extension Substring {
    /// Without the white space at the end.
    func dropLastSpaces() -> Substring {
        self[..<(lastIndex { !$0.isASCIISpace }.map(index(after:)) ?? startIndex)]
    }
}

extension Character {
    fileprivate var isASCIISpace: Bool { isASCII && isWhitespace }
}
