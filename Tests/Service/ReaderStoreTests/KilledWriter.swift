import Glibc
import OtherPrograms
import RecordBench

/// A run of the writer beside the test, and how to kill it.
enum KilledWriter {
    struct SaysNothing: Error {
        let errors: String
    }

    /// What it said before it was killed: after so many lines, and then so many microseconds.
    static func run(
        _ arguments: [String], killedAfter lines: Int, andMicroseconds delay: UInt32
    ) throws -> [WriterLine] {
        let writer = try BuiltProgram("RecordWriter", arguments)
        var milliseconds = 60_000
        while writer.output.count(where: { $0 == "\n" }) < lines {
            milliseconds -= 1
            guard milliseconds > 0, !writer.hasEnded else { throw SaysNothing(errors: writer.errors) }
            usleep(500)
        }
        usleep(delay)
        writer.signal(SIGKILL)
        _ = writer.waitForEnd()
        return writer.output.split(separator: "\n").compactMap { WriterLine($0) }
    }
}
