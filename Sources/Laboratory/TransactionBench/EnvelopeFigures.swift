package import JSON

/// The figures of `countersign-lab bench --envelope`: medians in nanoseconds, and our rate in proportion to the floors' of the
/// same run; 1 is as many a second as OpenSSL alone could do.
package struct EnvelopeFigures {
    package let json: JSONValue

    package init(_ benchmark: EnvelopeBenchmark, rounds: Int, perRound: Int) throws {
        let medians = try InterleavedMedians(
            rounds: rounds, perRound: perRound, of: try Self.measurements(benchmark))
        let time = { (name: String) in JSONValue.integer(medians[name]) }
        let rate = { (floor: String, name: String) in JSONValue.number(medians.ratio(floor, to: name)) }
        json = [
            "tightFloorColdNs": time("tightFloorCold"), "tightFloorWarmNs": time("tightFloorWarm"),
            "floorColdNs": time("floorCold"), "floorWarmNs": time("floorWarm"),
            "envelopeColdNs": time("envelopeCold"), "envelopeWarmNs": time("envelopeWarm"),
            "openNs": time("open"),
            "tightRateCold": rate("tightFloorCold", "envelopeCold"),
            "tightRateWarm": rate("tightFloorWarm", "envelopeWarm"),
            "rateCold": rate("floorCold", "envelopeCold"),
            "rateWarm": rate("floorWarm", "envelopeWarm"),
            "notes": .array(Self.notes.map(JSONValue.string)),
        ]
    }

    /// The parts of an answer's verification and both floors, by their names.
    package static func measurements(_ benchmark: EnvelopeBenchmark) throws -> [Measurement] {
        let former = try FormerFloor(benchmark.floorSizes)
        return try TightFloor(benchmark.floorSizes).measurements + [
            ("floorCold", { try ProcessorClock.measure { try former.run() } }),
            ("floorWarm", { try ProcessorClock.measure { try former.run(knowsSigner: true) } }),
            ("envelopeCold", { try benchmark.verification(warm: false) }),
            ("envelopeWarm", { try benchmark.verification(warm: true) }),
            ("open", { try benchmark.opening() }),
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
