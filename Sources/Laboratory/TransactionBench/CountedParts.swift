internal import BenchFloor
package import JSON

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
