internal import ReaderReports

/// What `countersign bench --envelope` prints: medians in nanoseconds, and our rate against the floor's of the same run.
struct EnvelopeFigures {
    /// With three verifications, and with two where the document signer was verified before.
    let floorColdNs: Int64
    let floorWarmNs: Int64
    let envelopeColdNs: Int64
    let envelopeWarmNs: Int64
    let openNs: Int64

    /// Interleaves all measurements in each round, so that what disturbs the machine disturbs all alike.
    init(_ benchmark: EnvelopeBenchmark, rounds: Int, perRound: Int) throws {
        let floor = try OpenSSLFloor(benchmark.floorSizes, in: benchmark.floorWrapper)
        var samples = [[Int64]](repeating: [], count: 5)
        for _ in 0..<rounds {
            var sums = [Int64](repeating: 0, count: samples.count)
            for _ in 0..<perRound {
                var start = ContinuousClock.now
                try floor.run()
                sums[0] += start.duration(to: .now).nanoseconds
                start = .now
                try floor.run(knowsSigner: true)
                sums[1] += start.duration(to: .now).nanoseconds
                sums[2] += try benchmark.verification(warm: false)
                sums[3] += try benchmark.verification(warm: true)
                sums[4] += try benchmark.opening()
            }
            for index in samples.indices { samples[index].append(sums[index] / Int64(perRound)) }
        }
        let medians = samples.map { $0.sorted()[rounds / 2] }
        (floorColdNs, floorWarmNs) = (medians[0], medians[1])
        (envelopeColdNs, envelopeWarmNs, openNs) = (medians[2], medians[3], medians[4])
    }

    /// To the thousandth: 1 is as many a second as OpenSSL alone could do.
    private static func rate(_ floor: Int64, _ ours: Int64) -> Double {
        (Double(floor) / Double(ours) * 1000).rounded() / 1000
    }

    var json: JSONValue {
        [
            "floorColdNs": .integer(floorColdNs), "floorWarmNs": .integer(floorWarmNs),
            "envelopeColdNs": .integer(envelopeColdNs), "envelopeWarmNs": .integer(envelopeWarmNs),
            "openNs": .integer(openNs), "rateCold": .number(Self.rate(floorColdNs, envelopeColdNs)),
            "rateWarm": .number(Self.rate(floorWarmNs, envelopeWarmNs)),
        ]
    }
}
