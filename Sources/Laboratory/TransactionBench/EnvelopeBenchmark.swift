internal import CBOR
internal import COSE
package import CommandLineInterface
package import MdocModel
package import MdocTrust
internal import MdocVerification
internal import OpenSSLCrypto
internal import WalletPresentation

/// Our own work on one presentation through an app or the web: parsed, opened and verified.
package struct EnvelopeBenchmark {
    private let presentation: StoredPresentation
    private let coldContext: PresentationContext
    private let warmContext: PresentationContext
    let floorSizes: FloorSizes

    package init(_ presentation: StoredPresentation, anchors: [TrustAnchor], now: Timestamp) throws {
        self.presentation = presentation
        let comparison = presentation.asked.map { RequestComparison.requested($0.requests) } ?? .notCompared
        let policy = try PolicyFile.trial.settings()
        coldContext = PresentationContext(
            comparison: comparison, trust: TrustStore(anchors: anchors, remembering: 0), now: now,
            policy: policy)
        warmContext = PresentationContext(
            comparison: comparison, trust: TrustStore(anchors: anchors), now: now, policy: policy)
        let opened = try presentation.opened()
        guard opened.verify(in: warmContext).isAccepted else {
            throw TransactionBenchmark.Failure.rejected
        }
        floorSizes = try presentation.floorSizes(in: opened.transcript)
    }

    /// Nanoseconds from the bytes to the verdict.
    func verification(warm: Bool) throws -> Int64 {
        try ProcessorClock.measure {
            let context = warm ? warmContext : coldContext
            guard try presentation.opened().verify(in: context).isAccepted else {
                throw TransactionBenchmark.Failure.rejected
            }
        }
    }

    /// Nanoseconds of parsing and opening alone.
    func opening() throws -> Int64 {
        try ProcessorClock.measure { _ = try presentation.opened() }
    }
}

extension PresentationVerdict {
    /// Every check passed, of a test document too: the software wallet has no others.
    fileprivate var isAccepted: Bool {
        switch self {
        case .verified: true
        case .mock(let mock): mock.accepted != nil
        case .rejected: false
        }
    }
}

extension StoredPresentation {
    /// What the cryptography under it covers: the ciphertext, the items with the transcript, the signed bytes.
    fileprivate func floorSizes(in transcript: SessionTranscript) throws -> FloorSizes {
        let plaintext = try plaintext(in: transcript)
        let item = try CBORItem.parse(plaintext[...])
        let response = try UnverifiedResponse(try item.map()["identity"] ?? item)
        guard let document = response.documents.first, let issuerAuth = document.issuerAuth else {
            throw TransactionBenchmark.Failure.nothingToVerify
        }
        return try FloorSizes(
            .envelope, response: plaintext.count, of: document, issuerAuth: issuerAuth, in: transcript)
    }

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
