internal import CBOR
internal import COSE
package import CommandLineInterface
package import JSON
package import MdocModel
package import MdocTrust
internal import MdocVerification
internal import OpenSSLCrypto
internal import WalletPresentation

/// The reader's own work on one presentation from an app or a web page: parsing, opening and verifying it.
package struct EnvelopeBenchmark {
    private let presentation: StoredPresentation
    private let coldContext: PresentationContext
    private let warmContext: PresentationContext
    let floorSizes: FloorSizes

    package init(_ presentation: StoredPresentation, anchors: [TrustAnchor], now: Timestamp) throws {
        self.presentation = presentation
        let comparison = presentation.asked.map { RequestComparison.requested($0.requests) } ?? .notCompared
        let policy = try PolicyFile.trial.settings()
        // This trust store remembers no document signer, so each run verifies the document signer's
        // certificate again.
        coldContext = PresentationContext(
            comparison: comparison, trust: TrustStore(anchors: anchors, remembering: 0), now: now,
            policy: policy)
        warmContext = PresentationContext(
            comparison: comparison, trust: TrustStore(anchors: anchors), now: now, policy: policy)
        let opened = try presentation.opened()
        // This verification also makes the trust store of `warmContext` remember the document signer.
        guard opened.verify(in: warmContext).isAccepted else {
            throw TransactionBenchmark.Failure.rejected
        }
        floorSizes = try presentation.floorSizes(in: opened.transcript)
    }

    /// Measures parsing, opening and verifying the presentation, in nanoseconds.
    func verification(warm: Bool) throws -> Int64 {
        try ProcessorClock.measure {
            let context = warm ? warmContext : coldContext
            guard try presentation.opened().verify(in: context).isAccepted else {
                throw TransactionBenchmark.Failure.rejected
            }
        }
    }

    /// Measures parsing and opening alone, in nanoseconds.
    func opening() throws -> Int64 {
        try ProcessorClock.measure { _ = try presentation.opened() }
    }
}

extension PresentationVerdict {
    /// Whether every check passed. A test document is accepted too, because the software wallet has no other
    /// documents.
    fileprivate var isAccepted: Bool {
        switch self {
        case .verified: true
        case .mock(let mock): mock.accepted != nil
        case .rejected: false
        }
    }
}

extension StoredPresentation {
    /// Returns the sizes of the data that are decrypted, hashed or signed in the answer: the ciphertext, the
    /// items, the transcript and the signed bytes.
    fileprivate func floorSizes(in transcript: SessionTranscript) throws -> FloorSizes {
        let plaintext = try plaintext(in: transcript)
        let item = try CBORItem.parse(plaintext[...])
        // An app's answer has the response in the member `identity`. A web page's answer is the response
        // itself.
        let response = try UnverifiedResponse(try item.map()["identity"] ?? item)
        guard let document = response.documents.first, let issuerAuth = document.issuerAuth else {
            throw TransactionBenchmark.Failure.nothingToVerify
        }
        return try FloorSizes(
            .envelope, response: plaintext.count, of: document, issuerAuth: issuerAuth, in: transcript)
    }

    /// Decrypts the answer with the first recipient key that opens it.
    private func plaintext(in transcript: SessionTranscript) throws -> [UInt8] {
        let (encapsulatedKey, ciphertext): (ArraySlice<UInt8>, ArraySlice<UInt8>)
        switch message {
        case .envelope(let bytes, _, _):
            let envelope = try WalletEnvelope(bytes[...])
            (encapsulatedKey, ciphertext) = (envelope.encapsulatedKey, envelope.ciphertext)
        case .webResponse(let text, _, _):
            let response = try EncryptedResponse(text)
            (encapsulatedKey, ciphertext) = (response.encapsulatedKey, response.ciphertext)
        }
        for key in keys {
            let opened = try? HPKE.open(
                ciphertext, encapsulatedKey: encapsulatedKey, with: key.pair.privateKey,
                info: transcript.encoded)
            if let opened { return opened }
        }
        throw TransactionBenchmark.Failure.rejected
    }
}

/// The figures of `countersign-lab bench --envelope`: medians in nanoseconds, and rates. A rate is the time
/// of OpenSSL alone for the same cryptography, divided by the time of Countersign. At a rate of 1,
/// Countersign is as fast as OpenSSL alone. The time of OpenSSL is measured in the same run (`TightFloor`,
/// `FormerFloor`).
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

    /// Returns the measurements of an answer's verification, and of the same cryptography in OpenSSL alone
    /// (the floors).
    package static func measurements(_ benchmark: EnvelopeBenchmark) throws -> [Measurement] {
        // `FormerFloor` was the reference of earlier figures. It is still measured, so that new figures can
        // be compared with the earlier ones.
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
        "Times are medians of processor time in nanoseconds.",
        "tightFloorColdNs and tightFloorWarmNs are floors: the time of the shortest OpenSSL calls for the same work. "
            + "floorColdNs and floorWarmNs are the former floors, for comparison with earlier figures: their time also "
            + "includes all keys that are built again, and two unused keys.",
        "Cold: the document signer is unknown. "
            + "The root's key object, the recipient's key and the algorithms of OpenSSL are kept, as in tightFloorColdNs. floorColdNs also builds a key for the root.",
        "Warm: two signatures are checked, by Countersign and by both floors.",
    ]
}
