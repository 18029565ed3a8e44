internal import BlueZTransport

/// bluetoothd's `main.conf` against a reading byte by byte, and what a reader finds in it.
@discardableResult
func fuzzMainConfiguration(_ input: ArraySlice<UInt8>) -> Bool {
    let reference = ReferenceKeyFile(input)
    let configuration: MainConfiguration
    do throws(MainConfigurationError) {
        configuration = try MainConfiguration(parsing: Array(input))
    } catch {
        demand(
            error == .tooLong || error == .malformed(line: reference.malformedLine ?? 0),
            "a line is refused that bluetoothd takes")
        return false
    }
    demand(reference.malformedLine == nil, "a line is taken that bluetoothd refuses")
    for requirement in DaemonRequirement.all {
        let value = configuration.value(of: requirement.key, in: requirement.group)
        let expected = reference.values[requirement.group]?[requirement.key]
        // By their bytes: texts are equal where only their accents are written in another way.
        demand(
            value.map { Array($0.utf8) } == expected.map { Array(String(decoding: $0, as: UTF8.self).utf8) },
            "another value than bluetoothd has")
    }
    let settings = BluetoothDaemonSettings(
        version: nil, file: nil, configuration: .read(configuration), hasChanged: false)
    for version in [BlueZVersion(5, 66), BlueZVersion(5, 82)] { _ = settings.findings(version: version) }
    return settings.findings(version: nil).isEmpty
}

/// A key file as GLib's rules have it, read byte by byte.
private struct ReferenceKeyFile {
    private(set) var values: [String: [String: [UInt8]]] = [:]
    private(set) var malformedLine: Int?

    init(_ text: ArraySlice<UInt8>) {
        var group: ArraySlice<UInt8>?
        for (index, line) in text.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            let line = (line.last == 0x0d ? line.dropLast() : line).drop(while: Self.isSpace)
            if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
            if let name = Self.group(line) {
                group = name
            } else if let group, let sign = line.firstIndex(of: UInt8(ascii: "=")), sign > line.startIndex {
                let key = Self.trimmedEnd(line[..<sign])
                let value = line[(sign + 1)...].drop(while: Self.isSpace)
                values[Self.text(group), default: [:]][Self.text(key)] = Array(value)
            } else {
                malformedLine = index + 1
                return
            }
        }
    }

    private static func group(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let line = trimmedEnd(line)
        guard line.count > 2, line.first == UInt8(ascii: "["), line.last == UInt8(ascii: "]") else {
            return nil
        }
        let name = line.dropFirst().dropLast()
        return name.contains(UInt8(ascii: "[")) || name.contains(UInt8(ascii: "]")) ? nil : name
    }

    private static func trimmedEnd(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.dropLast(bytes.reversed().prefix(while: isSpace).count)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
