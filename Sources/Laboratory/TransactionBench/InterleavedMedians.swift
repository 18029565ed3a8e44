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
