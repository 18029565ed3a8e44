internal import Glibc
internal import JSON
internal import SystemPackage

/// Shows that work goes on, after its first second, on a standard error that is a terminal: in one line, which is gone
/// when the work ends.
enum Progress {
    static func during<Result>(_ work: String, _ body: () async -> Result) async -> Result {
        guard isatty(STDERR_FILENO) == 1 else { return await body() }
        let line = Task {
            var seconds = 0
            while (try? await Task.sleep(for: .seconds(1), clock: .continuous)) != nil {
                seconds += 1
                draw("\r\(work)… \(seconds) s")
            }
        }
        let result = await body()
        line.cancel()
        await line.value
        draw("\r\u{1b}[K")
        return result
    }

    private static func draw(_ text: String) {
        _ = try? FileDescriptor.standardError.writeAll(text.utf8)
    }
}
