internal import BenchFloor
internal import Glibc
package import JSON

/// A named part of a benchmark. `measure` runs the part once and returns its time in nanoseconds.
package typealias Measurement = (name: String, measure: () throws -> Int64)

/// The medians of several measurements. The measurements are run in turn, so that a temporary load on the
/// computer affects all of them alike.
struct InterleavedMedians {
    private let medians: [String: Int64]

    /// - Parameters:
    ///   - rounds: the number of means from which each median is taken.
    ///   - perRound: the number of measurements for each mean.
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

    /// The median of a measurement, in nanoseconds. 0 if there is no measurement with this name.
    subscript(_ name: String) -> Int64 { medians[name, default: 0] }

    /// Returns the median of `name` divided by the median of `other`, rounded to thousandths.
    func ratio(_ name: String, to other: String) -> Double {
        (Double(self[name]) / Double(self[other]) * 1000).rounded() / 1000
    }
}

/// The processor time of this process, in nanoseconds. The time of other programs on the same processor is
/// not counted.
enum ProcessorClock {
    static func now() -> Int64 {
        var time = timespec()
        let isRead = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0
        precondition(isRead, "the kernel has no clock for the CPU time of a process")
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Runs `body` and returns its processor time, in nanoseconds.
    ///
    /// `body` is called through `bench_run_counted`, so that `valgrind --tool=callgrind`, which can count
    /// within a function of a given name, counts only the instructions of `body`.
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

/// A closure that a C function runs, and the error that the closure threw.
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

/// A run of the parts of a benchmark under `valgrind --tool=callgrind`, which counts instructions instead of
/// time. `Hardware/check-ratios` reads the counts.
package enum CountedParts {
    /// Runs each part `times` times.
    ///
    /// - Returns: JSON with the names of the parts, in the order in which they ran.
    package static func run(_ parts: [Measurement], times: Int) throws -> JSONValue {
        // A first run makes the objects that the later runs share. The instructions of this run are counted
        // separately, so that the counts of the parts do not include the work of making these objects.
        for part in parts { _ = try part.measure() }
        bench_end_part()
        for part in parts {
            for _ in 0..<times { _ = try part.measure() }
            bench_end_part()
        }
        return ["times": .integer(Int64(times)), "parts": .array(parts.map { .string($0.name) })]
    }
}
