/// Shows that work continues, in one line that counts the seconds from the first on and is removed when the work ends.
/// It is shown on a standard error that is a terminal.
package enum Progress {
    package static func during<Result: ~Copyable, Failure: Error>(
        _ work: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let line = ProgressLine(work)
        defer { line?.end() }
        return try body()
    }

    package static func during<Result: ~Copyable, Failure: Error>(
        _ work: String, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let line = ProgressLine(work)
        defer { line?.end() }
        return try await body()
    }
}
