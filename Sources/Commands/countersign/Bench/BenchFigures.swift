internal import ReaderReports

/// What `countersign bench` prints: medians in nanoseconds, and what they are against the floor of the same run.
struct BenchFigures {
    let floorNs: Int64
    let transactionColdNs: Int64
    let transactionWarmNs: Int64
    let verifyColdNs: Int64
    let verifyWarmNs: Int64
    let sessionNs: Int64
    let decodeNs: Int64
    let ratioCold: Double
    let ratioWarm: Double
    /// Warm, with 500 roots and 50 CRLs trusted.
    let verifyWarmLargeTrustNs: Int64
    /// From 500 roots and 50 CRLs on disk to what verification takes.
    let trustOpenNs: Int64
    let ratioLargeTrust: Double

    /// Interleaves all measurements in each round, so that what disturbs the machine disturbs all alike.
    init(
        _ benchmark: TransactionBenchmark, rounds: Int, perRound: Int
    ) throws {
        let floor = try OpenSSLFloor(benchmark.floorSizes)
        var samples = [[Int64]](repeating: [], count: 9)
        for _ in 0..<rounds {
            var sums = [Int64](repeating: 0, count: samples.count)
            for _ in 0..<perRound {
                let start = ContinuousClock.now
                try floor.run()
                sums[0] += start.duration(to: .now).nanoseconds
                sums[1] += try benchmark.transaction(warm: false)
                sums[2] += try benchmark.transaction(warm: true)
                sums[3] += try benchmark.verification(warm: false)
                sums[4] += try benchmark.verification(warm: true)
                sums[5] += try benchmark.session()
                sums[6] += try benchmark.decoding()
                sums[7] += try benchmark.verificationInLargeTrust()
            }
            sums[8] = try benchmark.openingTrust() * Int64(perRound)
            for index in samples.indices { samples[index].append(sums[index] / Int64(perRound)) }
        }
        let medians = samples.map { $0.sorted()[rounds / 2] }
        floorNs = medians[0]
        transactionColdNs = medians[1]
        transactionWarmNs = medians[2]
        verifyColdNs = medians[3]
        verifyWarmNs = medians[4]
        sessionNs = medians[5]
        decodeNs = medians[6]
        ratioCold = Self.ratio(medians[1], to: medians[0])
        ratioWarm = Self.ratio(medians[2], to: medians[0])
        verifyWarmLargeTrustNs = medians[7]
        trustOpenNs = medians[8]
        ratioLargeTrust = Self.ratio(medians[7], to: medians[4])
    }

    private static func ratio(_ figure: Int64, to floor: Int64) -> Double {
        (Double(figure) / Double(floor) * 1000).rounded() / 1000
    }

    var json: JSONValue {
        [
            "floorNs": .integer(floorNs), "transactionColdNs": .integer(transactionColdNs),
            "transactionWarmNs": .integer(transactionWarmNs), "verifyColdNs": .integer(verifyColdNs),
            "verifyWarmNs": .integer(verifyWarmNs), "sessionNs": .integer(sessionNs),
            "decodeNs": .integer(decodeNs), "ratioCold": .number(ratioCold), "ratioWarm": .number(ratioWarm),
            "verifyWarmLargeTrustNs": .integer(verifyWarmLargeTrustNs), "trustOpenNs": .integer(trustOpenNs),
            "ratioLargeTrust": .number(ratioLargeTrust),
        ]
    }
}
