internal import CBOR
package import COSE
internal import CommandLineInterface
package import JSON
package import MdocModel
internal import MdocSession
package import MdocTrust
package import MdocVerification
internal import OpenSSLCrypto

/// The reader's own work on one response: a new session around it, so that every run has fresh keys, and its
/// verification over the transcript that it belongs to.
package struct TransactionBenchmark {
    private let response: [UInt8]
    private let coldContext: VerificationContext
    private let warmContext: VerificationContext
    private let largeContext: VerificationContext
    private let largeTrust: LargeTrust
    private let engagement: DeviceEngagement
    private let eDeviceKey: COSEKeyPair
    private let request: [UInt8]
    let floorSizes: FloorSizes

    package enum Failure: Error {
        /// The response holds no document with an issuerAuth.
        case nothingToVerify
        /// The response is rejected; there is no point in measuring how fast.
        case rejected
    }

    package init(
        response: [UInt8], transcript: SessionTranscript, comparison: RequestComparison,
        readerKey: COSEKeyPair?,
        anchors: [TrustAnchor], now: Timestamp
    ) throws {
        self.response = response
        let policy = try PolicyFile.trial.settings()
        let context = { (store: TrustStore) in
            VerificationContext(
                transcript: transcript, comparison: comparison,
                readerKey: readerKey, trust: store, now: now, policy: policy)
        }
        coldContext = context(TrustStore(anchors: anchors, remembering: 0))
        warmContext = context(TrustStore(anchors: anchors))
        let parsed = try UnverifiedResponse(response[...])
        guard let document = parsed.documents.first, let issuerAuth = document.issuerAuth else {
            throw Failure.nothingToVerify
        }
        guard case .verified = parsed.verify(in: warmContext) else { throw Failure.rejected }
        largeTrust = try LargeTrust(with: anchors, at: now)
        largeContext = context(try largeTrust.open())
        eDeviceKey = COSEKeyPair(try .generate(.p256))
        engagement = try Self.engagement(eDeviceKey)
        request = DeviceRequest.encode([
            (ItemsRequest(docType: document.docType, nameSpaces: []).encoded(), nil)
        ])
        floorSizes = try FloorSizes(
            .session(request: request.count), response: response.count, of: document,
            issuerAuth: issuerAuth, in: transcript)
    }

    private static func engagement(_ key: COSEKeyPair) throws -> DeviceEngagement {
        let bytes = CBOREncoder.encode { encoder in
            encoder.map(count: 2)
            encoder.integer(0)
            encoder.text("1.0")
            encoder.integer(1)
            encoder.array(count: 2)
            encoder.integer(1)
            encoder.encoded(key.publicKeyBytes.bytes)
        }
        return try DeviceEngagement(bytes[...])
    }

    /// Nanoseconds of: a fresh key, agreement, session keys, the request sealed, the response opened.
    func session() throws -> Int64 {
        try measuredSession { _ in }
    }

    /// Nanoseconds of a whole transaction's work on the reader's processor.
    func transaction(warm: Bool) throws -> Int64 {
        let context = warm ? warmContext : coldContext
        return try measuredSession { response in try Self.verify(response[...], in: context) }
    }

    /// What the phone does between sending and receiving is not measured.
    private func measuredSession(_ body: ([UInt8]) throws -> Void) throws -> Int64 {
        let now = ContinuousClock.now
        var session: ReaderSession?
        var establishment: [UInt8] = []
        let sending = try ProcessorClock.measure {
            let readerKey = COSEKeyPair(try .generate(.p256))
            var reader = try ReaderSession(engagement: engagement, handover: .qr, eReaderKey: readerKey)
            guard case .transmit(let message, _) = try reader.send(request[...], now: now) else {
                throw Failure.rejected
            }
            establishment = message
            session = consume reader
        }
        let message = try answer(to: establishment)
        let receiving = try ProcessorClock.measure {
            guard case .deliver(let opened, _)? = session?.receive(message[...], now: now) else {
                throw Failure.rejected
            }
            try body(opened)
        }
        return sending + receiving
    }

    private func answer(to establishment: [UInt8]) throws -> [UInt8] {
        var holder = HolderSession(
            deviceEngagement: Array(engagement.bytes), handover: .qr, eDeviceKey: eDeviceKey)
        _ = try holder.receive(establishment[...])
        return try holder.seal(response[...])
    }

    /// Nanoseconds of parsing and verifying alone.
    func verification(warm: Bool) throws -> Int64 {
        try ProcessorClock.measure { try Self.verify(response[...], in: warm ? warmContext : coldContext) }
    }

    /// Nanoseconds of parsing and verifying alone, warm, with many other roots and CRLs trusted.
    func verificationInLargeTrust() throws -> Int64 {
        try ProcessorClock.measure { try Self.verify(response[...], in: largeContext) }
    }

    /// Elapsed nanoseconds to open a large trust store on disk for verification.
    func openingTrust() throws -> Int64 {
        let start = ContinuousClock.now
        _ = try largeTrust.open()
        return start.duration(to: .now).nanoseconds
    }

    /// Takes away what the measurements needed on disk.
    package func discard() { largeTrust.discard() }

    /// Nanoseconds of decoding the response with everything embedded in it: items, MSO, device namespaces.
    func decoding() throws -> Int64 {
        try ProcessorClock.measure {
            let parsed = try UnverifiedResponse(response[...])
            for document in parsed.documents {
                guard let issuerAuth = document.issuerAuth else { continue }
                _ = try COSESign1(issuerAuth).payload.map { payload in
                    try MobileSecurityObject(payload: payload)
                }
            }
        }
    }

    private static func verify(_ response: ArraySlice<UInt8>, in context: VerificationContext) throws {
        guard case .verified = try UnverifiedResponse(response).verify(in: context) else {
            throw Failure.rejected
        }
    }
}

extension Duration {
    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}

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
