internal import JSON

/// What `countersign bench` prints: medians in nanoseconds, and what they are against the floors of the same run.
struct BenchFigures {
    let json: JSONValue

    init(_ benchmark: TransactionBenchmark, rounds: Int, perRound: Int) throws {
        let (former, tight) = (try FormerFloor(benchmark.floorSizes), try TightFloor(benchmark.floorSizes))
        let medians = try InterleavedMedians(
            rounds: rounds, perRound: perRound,
            of: tight.measurements + [
                ("floorNs", { try ProcessorClock.measure { try former.run() } }),
                ("transactionColdNs", { try benchmark.transaction(warm: false) }),
                ("transactionWarmNs", { try benchmark.transaction(warm: true) }),
                ("verifyColdNs", { try benchmark.verification(warm: false) }),
                ("verifyWarmNs", { try benchmark.verification(warm: true) }),
                ("sessionNs", { try benchmark.session() }),
                ("decodeNs", { try benchmark.decoding() }),
                ("verifyWarmLargeTrustNs", { try benchmark.verificationInLargeTrust() }),
            ])
        let trust = try InterleavedMedians(
            rounds: rounds, perRound: 1, of: [("trustOpenNs", { try benchmark.openingTrust() })])
        let time = { (name: String) in JSONValue.integer(medians[name]) }
        let ratio = { (name: String, floor: String) in JSONValue.number(medians.ratio(name, to: floor)) }
        json = [
            "tightFloorColdNs": time("tightFloorColdNs"), "tightFloorWarmNs": time("tightFloorWarmNs"),
            "floorNs": time("floorNs"), "transactionColdNs": time("transactionColdNs"),
            "transactionWarmNs": time("transactionWarmNs"), "verifyColdNs": time("verifyColdNs"),
            "verifyWarmNs": time("verifyWarmNs"), "sessionNs": time("sessionNs"),
            "decodeNs": time("decodeNs"),
            "tightRatioCold": ratio("transactionColdNs", "tightFloorColdNs"),
            "tightRatioWarm": ratio("transactionWarmNs", "tightFloorWarmNs"),
            "ratioCold": ratio("transactionColdNs", "floorNs"),
            "ratioWarm": ratio("transactionWarmNs", "floorNs"),
            "verifyWarmLargeTrustNs": time("verifyWarmLargeTrustNs"),
            "trustOpenNs": .integer(trust["trustOpenNs"]),
            "ratioLargeTrust": ratio("verifyWarmLargeTrustNs", "verifyWarmNs"),
            "notes": .array(Self.notes.map(JSONValue.string)),
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
