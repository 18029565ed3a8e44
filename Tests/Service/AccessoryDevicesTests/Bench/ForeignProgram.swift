import Deadlines
import Foundation
import OtherPrograms
import Testing

/// A program that has the other side of a device: one of the bench (`Hardware/VirtualBench/guest/accessories`), which
/// shares no code with Countersign.
///
/// The programs of the bench write a line for each thing that happens. They act at the signal USR1, and end at TERM.
final class ForeignProgram: Sendable {
    private static let folder = ProcessInfo.processInfo.environment["COUNTERSIGN_ACCESSORY_BENCH"]
    static let isThere = folder != nil
    static let absence: Comment = "no bench of accessories: run in a guest, beside with-accessories"

    private let output: String
    private let child: ChildProcess

    /// Starts a program of the bench, and waits for its first line.
    init(_ name: String, _ arguments: [String]) async throws {
        let folder = try #require(Self.folder)
        output = Self.newPath()
        child = try ChildProcess(["\(folder)/\(name)"] + arguments, output: .file(output), errors: .inherited)
        let first = try await lines(count: 1)[0]
        #expect(first == "ready" || first.hasPrefix("ready "))
    }

    deinit {
        child.end()
        try? FileManager.default.removeItem(atPath: output)
    }

    /// The complete lines so far.
    var lines: [String] { Self.completeLines(at: output) }

    /// The words after `ready`, such as the path of the device.
    var place: [String] { lines.first?.split(separator: " ").dropFirst().map(String.init) ?? [] }

    /// Waits until there are at least so many lines that begin in this way, and returns all of them.
    func lines(_ beginning: String = "", count: Int) async throws -> [String] {
        try await awaited("line \(count) with \(beginning)") { [output, child] in
            let hasEnded = child.exitCode != nil
            let found = Self.completeLines(at: output).filter { $0.hasPrefix(beginning) }
            if found.count >= count { return found }
            guard !hasEnded else { throw Overdue("line \(count) with \(beginning): the program has ended") }
            return nil
        }
    }

    /// Makes the program act: type, send or try to take the device.
    func act() { child.signal(SIGUSR1) }

    /// Ends the program, which unplugs its device.
    func end() async throws {
        child.signal(SIGTERM)
        try await until("the end of a program of the bench") { [child] in child.exitCode != nil }
        #expect(child.exitCode == 0)
    }

    /// Runs a program of the system to its end, and returns its lines.
    static func lines(of words: [String]) async throws -> [String] {
        let output = newPath()
        defer { try? FileManager.default.removeItem(atPath: output) }
        let child = try ChildProcess(words, output: .file(output), errors: .inherited)
        defer { child.end() }
        try await until("the end of \(words[0])") { child.exitCode != nil }
        return completeLines(at: output)
    }

    private static func newPath() -> String {
        FileManager.default.temporaryDirectory.appending(path: "countersign-foreign-\(UUID().uuidString)")
            .path
    }

    private static func completeLines(at path: String) -> [String] {
        let text = String(decoding: (try? Data(contentsOf: URL(filePath: path))) ?? Data(), as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}
