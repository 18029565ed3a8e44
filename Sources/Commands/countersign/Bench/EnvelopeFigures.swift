internal import JSON

/// What `countersign bench --envelope` prints: medians in nanoseconds, and our rate in proportion to the floors' of the
/// same run; 1 is as many a second as OpenSSL alone could do.
struct EnvelopeFigures {
    let json: JSONValue

    init(_ benchmark: EnvelopeBenchmark, rounds: Int, perRound: Int) throws {
        let (former, tight) = (try FormerFloor(benchmark.floorSizes), try TightFloor(benchmark.floorSizes))
        let medians = try InterleavedMedians(
            rounds: rounds, perRound: perRound,
            of: tight.measurements + [
                ("floorColdNs", { try ProcessorClock.measure { try former.run() } }),
                ("floorWarmNs", { try ProcessorClock.measure { try former.run(knowsSigner: true) } }),
                ("envelopeColdNs", { try benchmark.verification(warm: false) }),
                ("envelopeWarmNs", { try benchmark.verification(warm: true) }),
                ("openNs", { try benchmark.opening() }),
            ])
        let time = { (name: String) in JSONValue.integer(medians[name]) }
        let rate = { (floor: String, name: String) in JSONValue.number(medians.ratio(floor, to: name)) }
        json = [
            "tightFloorColdNs": time("tightFloorColdNs"), "tightFloorWarmNs": time("tightFloorWarmNs"),
            "floorColdNs": time("floorColdNs"), "floorWarmNs": time("floorWarmNs"),
            "envelopeColdNs": time("envelopeColdNs"), "envelopeWarmNs": time("envelopeWarmNs"),
            "openNs": time("openNs"),
            "tightRateCold": rate("tightFloorColdNs", "envelopeColdNs"),
            "tightRateWarm": rate("tightFloorWarmNs", "envelopeWarmNs"),
            "rateCold": rate("floorColdNs", "envelopeColdNs"),
            "rateWarm": rate("floorWarmNs", "envelopeWarmNs"),
            "notes": .array(Self.notes.map(JSONValue.string)),
        ]
    }

    private static let notes = [
        "Times are processor time in nanoseconds, medians.",
        "tightFloorColdNs and tightFloorWarmNs are the shortest OpenSSL calls for the same work. floorColdNs and "
            + "floorWarmNs are the former floor, for comparison with earlier figures: it builds all keys again and "
            + "derives two unused keys.",
        "Cold keeps the root's key object, the recipient's key and what OpenSSL looks up by name; nothing is remembered "
            + "of the document signer. tightFloorColdNs keeps the same, floorColdNs builds a key for the root as well.",
        "Warm checks two signatures, beside two in both floors.",
    ]
}
