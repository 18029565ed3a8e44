internal import BenchFloor
internal import Glibc
package import JSON

/// A part of a benchmark; `measure` runs it once and gives nanoseconds.
package typealias Measurement = (name: String, measure: () throws -> Int64)

/// Medians of several measurements that take turns, so that what disturbs the machine disturbs all alike.
struct InterleavedMedians {
    private let medians: [String: Int64]

    /// - Parameters:
    ///   - rounds: over how many means each median is taken.
    ///   - perRound: how many times each is measured for one mean.
    init(rounds: Int, perRound: Int, of measurements: [Measurement]) throws {
        var means = [[Int64]](repeating: [], count: measurements.count)
        for _ in 0..<rounds {
            var sums = [Int64](repeating: 0, count: measurements.count)
            for _ in 0..<perRound {
                for (index, measurement) in measurements.enumerated() {
                    sums[index] += try measurement.measure()
                }
            }
            for (index, sum) in sums.enumerated() { means[index].append(sum / Int64(perRound)) }
        }
        medians = Dictionary(
            uniqueKeysWithValues: zip(measurements.map(\.name), means.map { $0.sorted()[rounds / 2] }))
    }

    subscript(_ name: String) -> Int64 { medians[name, default: 0] }

    /// The first through the second, to the thousandth.
    func ratio(_ name: String, to other: String) -> Double {
        (Double(self[name]) / Double(self[other]) * 1000).rounded() / 1000
    }
}

/// The processor time of this process, in nanoseconds: other programs on the same processor do not count.
enum ProcessorClock {
    static func now() -> Int64 {
        var time = timespec()
        let isRead = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0
        precondition(isRead, "the kernel has no clock of a process")
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Runs `body`; the processor time that it took. valgrind counts its instructions.
    static func measure(_ body: () throws -> Void) throws -> Int64 {
        try withoutActuallyEscaping(body) { body in
            var counted = CountedBody(body: body)
            let start = now()
            unsafe withUnsafeMutablePointer(to: &counted) { counted in
                unsafe bench_run_counted(
                    { unsafe $0?.assumingMemoryBound(to: CountedBody.self).pointee.run() }, counted)
            }
            let time = now() - start
            if let failure = counted.failure { throw failure }
            return time
        }
    }
}

/// A closure that C runs, and the error that it threw.
private struct CountedBody {
    let body: () throws -> Void
    private(set) var failure: (any Error)?

    init(body: @escaping () throws -> Void) {
        self.body = body
    }

    mutating func run() {
        do { try body() } catch { failure = error }
    }
}

/// Runs the parts of a benchmark for a program that counts instructions, `valgrind --tool=callgrind`, in place of a clock.
/// `Hardware/check-ratios` reads the counts.
package enum CountedParts {
    /// Runs each part this many times, in the order of the names that it returns.
    package static func run(_ parts: [Measurement], times: Int) throws -> JSONValue {
        // Objects that are made once and kept belong to no part.
        for part in parts { _ = try part.measure() }
        bench_end_part()
        for part in parts {
            for _ in 0..<times { _ = try part.measure() }
            bench_end_part()
        }
        return ["times": .integer(Int64(times)), "parts": .array(parts.map { .string($0.name) })]
    }
}
