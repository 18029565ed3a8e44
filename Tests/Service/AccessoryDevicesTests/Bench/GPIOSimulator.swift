import Foundation
import Testing

/// A GPIO chip of software (gpio-sim), with a file for the level of each line.
final class GPIOSimulator {
    static let folder = "/sys/kernel/config/gpio-sim"

    private let configuration: String
    private let device: String
    private let chip: String

    /// The path of the chip's node.
    var path: String { "/dev/\(chip)" }

    init(lines: Int) throws {
        configuration = "\(Self.folder)/countersign-\(UInt32.random(in: 0...UInt32.max))"
        try FileManager.default.createDirectory(
            atPath: "\(configuration)/bank0", withIntermediateDirectories: true)
        try Self.write("\(lines)", to: "\(configuration)/bank0/num_lines")
        try Self.write("1", to: "\(configuration)/live")
        device = try Self.read("\(configuration)/dev_name")
        chip = try Self.read("\(configuration)/bank0/chip_name")
    }

    /// Removes the chip, also if lines of it are in use.
    func remove() throws {
        try Self.write("0", to: "\(configuration)/live")
        for folder in ["/bank0", ""] { try #require(unsafe rmdir(configuration + folder) == 0) }
    }

    /// The level of a line: 1 for high.
    func level(_ line: Int) throws -> Int? {
        Int(try Self.read("/sys/devices/platform/\(device)/\(chip)/sim_gpio\(line)/value"))
    }

    private static func read(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Writes an attribute, which takes effect with one write(2).
    private static func write(_ text: String, to path: String) throws {
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }
}
