package import JSON

/// The figures of `countersign-lab bench`: medians in nanoseconds, and their ratios to the floors of the same run.
package struct BenchFigures {
    package let json: JSONValue

    package init(_ benchmark: TransactionBenchmark, rounds: Int, perRound: Int) throws {
        let medians = try InterleavedMedians(
            rounds: rounds, perRound: perRound, of: try Self.measurements(benchmark))
        let trust = try InterleavedMedians(
            rounds: rounds, perRound: 1, of: [("trustOpen", { try benchmark.openingTrust() })])
        let time = { (name: String) in JSONValue.integer(medians[name]) }
        let ratio = { (name: String, floor: String) in JSONValue.number(medians.ratio(name, to: floor)) }
        json = [
            "tightFloorColdNs": time("tightFloorCold"), "tightFloorWarmNs": time("tightFloorWarm"),
            "floorNs": time("floor"), "transactionColdNs": time("transactionCold"),
            "transactionWarmNs": time("transactionWarm"), "verifyColdNs": time("verifyCold"),
            "verifyWarmNs": time("verifyWarm"), "sessionNs": time("session"),
            "decodeNs": time("decode"),
            "tightRatioCold": ratio("transactionCold", "tightFloorCold"),
            "tightRatioWarm": ratio("transactionWarm", "tightFloorWarm"),
            "ratioCold": ratio("transactionCold", "floor"),
            "ratioWarm": ratio("transactionWarm", "floor"),
            "verifyWarmLargeTrustNs": time("verifyWarmLargeTrust"),
            "trustOpenNs": .integer(trust["trustOpen"]),
            "ratioLargeTrust": ratio("verifyWarmLargeTrust", "verifyWarm"),
            "notes": .array(Self.notes.map(JSONValue.string)),
        ]
    }

    /// The parts of a transaction and both floors, by their names.
    package static func measurements(_ benchmark: TransactionBenchmark) throws -> [Measurement] {
        let former = try FormerFloor(benchmark.floorSizes)
        return try TightFloor(benchmark.floorSizes).measurements + [
            ("floor", { try ProcessorClock.measure { try former.run() } }),
            ("transactionCold", { try benchmark.transaction(warm: false) }),
            ("transactionWarm", { try benchmark.transaction(warm: true) }),
            ("verifyCold", { try benchmark.verification(warm: false) }),
            ("verifyWarm", { try benchmark.verification(warm: true) }),
            ("session", { try benchmark.session() }),
            ("decode", { try benchmark.decoding() }),
            ("verifyWarmLargeTrust", { try benchmark.verificationInLargeTrust() }),
        ]
    }

    private static let notes = [
        "Times are processor time in nanoseconds, medians; trustOpenNs alone is elapsed time.",
        "tightFloorColdNs and tightFloorWarmNs are the shortest OpenSSL calls for the same work. floorNs is the former "
            + "floor, for comparison with earlier figures: it builds three keys again and derives an unused key.",
        "Cold keeps the root's key object and what OpenSSL looks up by name; nothing is remembered of the document "
            + "signer. tightFloorColdNs keeps the same, floorNs builds a key for the root as well.",
        "Warm checks two signatures. tightRatioWarm compares it with two, ratioWarm with the three of floorNs.",
    ]
}
