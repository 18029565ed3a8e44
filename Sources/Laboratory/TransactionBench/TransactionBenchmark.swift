internal import CBOR
package import COSE
internal import CommandLineInterface
package import JSON
package import MdocModel
internal import MdocSession
package import MdocTrust
package import MdocVerification
internal import OpenSSLCrypto

/// The reader's own work on one response: a session and the verification of the response.
///
/// Every transaction runs in a new session, so that each run has fresh keys. The device signature or MAC of
/// the response covers the transcript of an earlier session, so the verification uses that transcript.
///
/// The response is verified with three trust stores:
/// - cold: a trust store that remembers nothing, so that the document signer's certificate is verified in
///   each run;
/// - warm: a store that verified the document signer before;
/// - large: a warm store with 500 roots and 50 CRLs, opened from disk (``LargeTrust``).
///
/// ``BenchFigures`` alternates these measurements with two reference measurements, called floors. A floor
/// does the same cryptography with OpenSSL alone. Times are processor time in nanoseconds. Only
/// ``openingTrust()`` measures elapsed time. The phone's work between sending and receiving is not measured.
///
/// The response must pass verification, because there is no point in measuring how fast a response is
/// rejected. Call ``discard()`` at the end, since the large store is a folder on disk.
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
        /// The response has no document with an issuerAuth.
        case nothingToVerify
        /// The response is rejected.
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
        // A store that remembers nothing verifies the document signer's certificate in each run.
        coldContext = context(TrustStore(anchors: anchors, remembering: 0))
        warmContext = context(TrustStore(anchors: anchors))
        let parsed = try UnverifiedResponse(response[...])
        guard let document = parsed.documents.first, let issuerAuth = document.issuerAuth else {
            throw Failure.nothingToVerify
        }
        // The verification also makes the warm store remember the document signer.
        guard case .verified = parsed.verify(in: warmContext) else { throw Failure.rejected }
        largeTrust = try LargeTrust(with: anchors, at: now)
        largeContext = context(try largeTrust.open())
        eDeviceKey = COSEKeyPair(try .generate(.p256))
        engagement = try Self.engagement(eDeviceKey)
        // The request has no elements, because the benchmark only encrypts it. The measured response was not
        // made for this request.
        request = DeviceRequest.encode([
            (ItemsRequest(docType: document.docType, nameSpaces: []).encoded(), nil)
        ])
        floorSizes = try FloorSizes(
            .session(request: request.count), response: response.count, of: document,
            issuerAuth: issuerAuth, in: transcript)
    }

    /// Makes the smallest DeviceEngagement: the version, and the cipher suite with the key.
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

    /// Measures a session, in nanoseconds: a fresh key, the key agreement, the session keys, sealing the
    /// request and opening the response.
    func session() throws -> Int64 {
        try measuredSession { _ in }
    }

    /// Measures the whole work of a transaction on the reader's processor, in nanoseconds.
    func transaction(warm: Bool) throws -> Int64 {
        let context = warm ? warmContext : coldContext
        return try measuredSession { response in try Self.verify(response[...], in: context) }
    }

    /// Measures a session and a call of `body` with the decrypted response. The phone's work between sending
    /// and receiving is not measured.
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
            // The session is stored in a variable, because the second measured part needs it too. The phone's
            // work is between the two parts.
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

    /// Plays the phone: receives the reader's message and returns the encrypted response.
    private func answer(to establishment: [UInt8]) throws -> [UInt8] {
        var holder = HolderSession(
            deviceEngagement: Array(engagement.bytes), handover: .qr, eDeviceKey: eDeviceKey)
        // The request does not matter, since the response was made before the benchmark.
        _ = try holder.receive(establishment[...])
        return try holder.seal(response[...])
    }

    /// Measures parsing and verifying alone, in nanoseconds.
    func verification(warm: Bool) throws -> Int64 {
        try ProcessorClock.measure { try Self.verify(response[...], in: warm ? warmContext : coldContext) }
    }

    /// Measures parsing and verifying alone, in nanoseconds: with a warm store that has many other roots and
    /// CRLs.
    func verificationInLargeTrust() throws -> Int64 {
        try ProcessorClock.measure { try Self.verify(response[...], in: largeContext) }
    }

    /// Measures the opening of a large trust store on disk, in nanoseconds of elapsed time.
    func openingTrust() throws -> Int64 {
        let start = ContinuousClock.now
        _ = try largeTrust.open()
        return start.duration(to: .now).nanoseconds
    }

    /// Deletes the large trust store from the disk.
    package func discard() { largeTrust.discard() }

    /// Measures, in nanoseconds, the decoding of the response and of the encoded structures inside it: items,
    /// MSO and device namespaces.
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

/// The figures of `countersign-lab bench`: medians in nanoseconds, and their ratios to the times that OpenSSL
/// alone takes in the same run (`TightFloor`, `FormerFloor`).
package struct BenchFigures {
    package let json: JSONValue

    package init(_ benchmark: TransactionBenchmark, rounds: Int, perRound: Int) throws {
        let medians = try InterleavedMedians(
            rounds: rounds, perRound: perRound, of: try Self.measurements(benchmark))
        // The opening of the large trust store is measured separately, in elapsed time instead of processor
        // time. One opening for each round is enough, because an opening takes much longer than the other
        // parts.
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

    /// Returns the measurements of a transaction's parts, and of the same cryptography in OpenSSL alone (the
    /// floors).
    package static func measurements(_ benchmark: TransactionBenchmark) throws -> [Measurement] {
        // Older reports have ratios to `FormerFloor`. It is measured so that new reports can be compared with
        // them.
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
        "Times are medians of processor time in nanoseconds. Only trustOpenNs is elapsed time.",
        "tightFloorColdNs and tightFloorWarmNs are floors: the time of the shortest OpenSSL calls for the same work. "
            + "floorNs is the former floor, kept for comparison with earlier figures: its time also includes three keys that are built again, and an unused key.",
        "Cold: the document signer is unknown. "
            + "The root's key object and the algorithms of OpenSSL are kept, as in tightFloorColdNs. floorNs also builds a key for the root.",
        "Warm checks two signatures. tightRatioWarm divides by a floor that checks two; ratioWarm divides by floorNs, which checks three.",
    ]
}
