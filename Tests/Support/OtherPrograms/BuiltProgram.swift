internal import Foundation

/// A program that was built beside the tests, running beside the test.
package final class BuiltProgram: Sendable {
    private let folder: URL
    private let child: ChildProcess

    package struct Overdue: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameters:
    ///   - name: of the program, in the folder of the tests' own.
    ///   - user: the number of the user it runs as, where that is another one; root alone may say so.
    package init(
        _ name: String, _ arguments: [String], environment: [String: String] = [:], as user: UInt32? = nil
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "countersign-program-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: name).path
        let other = user.map { ["setpriv", "--reuid=\($0)", "--regid=\($0)", "--clear-groups"] } ?? []
        child = try ChildProcess(
            other + [program] + arguments, environment: environment,
            output: .file(folder.appending(path: "output").path),
            errors: .file(folder.appending(path: "errors").path))
    }

    deinit {
        child.end()
        try? FileManager.default.removeItem(at: folder)
    }

    package var process: Int32 { child.number }

    package var hasEnded: Bool { child.exitCode != nil }

    package var output: String { text("output") }
    package var errors: String { text("errors") }

    private func text(_ name: String) -> String {
        let bytes = try? Data(contentsOf: folder.appending(path: name))
        return String(decoding: bytes ?? Data(), as: UTF8.self)
    }

    /// The first line of the standard output, once it is there.
    package func firstLine() async throws -> String {
        try await until("a first line") { self.output.contains("\n") }
        return String(output.prefix { $0 != "\n" })
    }

    /// Returns once the program has said this on its standard error, so many times.
    package func said(_ words: String, times: Int = 1) async throws {
        try await until(words) { self.errors.components(separatedBy: words).count > times }
    }

    package func signal(_ number: Int32) {
        child.signal(number)
    }

    /// Waits for the end; the exit code, or 128 and the signal.
    package func ended() async throws -> Int32 {
        try await until("the end") { self.hasEnded }
        return child.waitForEnd()
    }

    /// The same, on this thread and without a bound.
    package func waitForEnd() -> Int32 {
        child.waitForEnd()
    }

    private func until(_ what: String, _ condition: () -> Bool) async throws {
        for _ in 0..<60_000 {
            let isLast = hasEnded
            if condition() { return }
            if isLast { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Overdue(description: "\(what) does not come; standard error: \(errors)")
    }
}
