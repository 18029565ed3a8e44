internal import COSE
internal import ErrorMapping
package import MdocModel
internal import MdocSession
internal import OpenSSLCrypto

/// A presentation as it was made, in files: one case of a corpus.
package struct CorpusCase: Sendable {
    package struct File: Sendable {
        package let name: String
        package let bytes: [UInt8]
    }

    package let files: [File]
    package let entry: CorpusManifest.Entry

    /// Makes the presentation at `now` with a reader in memory. `instant` is when an engagement over NFC begins.
    package init(
        _ presentation: PresentationCase, entropy: TestEntropy = .openSSL, at now: Timestamp,
        instant: ContinuousClock.Instant
    ) throws(WalletError) {
        let presented = try PresentedWallet(presentation, entropy: entropy, at: now)
        let engagement = try presented.wallet.engagement(presentation.handover, now: instant)
        let eReaderKey = COSEKeyPair(
            try mapping(
                entropy.key(on: presentation.sessionCurve, for: "ephemeral reader key"),
                WalletError.cryptography))
        let exchange = try SessionExchange(
            presented, engagement: engagement, eReaderKey: eReaderKey, instant: instant)
        files = Self.files(presented, engagement, exchange)
        entry = try CorpusManifest.Entry(presentation, presented, engagement, eReaderKey, files: files)
    }

    /// Makes a case of the corpus of this seed. No two cases share a key.
    package init(
        _ presentation: PresentationCase, seed: String, at now: Timestamp, instant: ContinuousClock.Instant
    ) throws(WalletError) {
        try self.init(
            presentation, entropy: .seed("\(seed) \(presentation.name)"), at: now, instant: instant)
    }

    private static func files(
        _ presented: PresentedWallet, _ engagement: WalletEngagement, _ exchange: SessionExchange
    ) -> [File] {
        var files = [
            File(name: "device_response.cbor", bytes: exchange.deviceResponse),
            File(name: "session_transcript.cbor", bytes: Array(exchange.transcript.encoded)),
            File(name: "device_engagement.cbor", bytes: engagement.deviceEngagement),
            File(name: "device_request.cbor", bytes: presented.deviceRequest),
            File(name: "session_establishment.cbor", bytes: exchange.sessionEstablishment),
            File(name: "session_data.cbor", bytes: exchange.sessionData),
            File(name: "credential.cbor", bytes: presented.document.credential()),
            File(name: "iaca.der", bytes: presented.issuer.root),
            File(name: "ds.der", bytes: presented.issuer.signer),
        ]
        if case .nfc(let select, let request) = engagement.handover {
            files.append(File(name: "handover_select.ndef", bytes: select))
            if let request { files.append(File(name: "handover_request.ndef", bytes: request)) }
        }
        return files
    }
}

/// One request and its answer between a reader and the phone, in memory.
private struct SessionExchange {
    let transcript: SessionTranscript
    let sessionEstablishment: [UInt8]
    let sessionData: [UInt8]
    /// The plain response, as the phone made it.
    let deviceResponse: [UInt8]

    init(
        _ presented: PresentedWallet, engagement: WalletEngagement, eReaderKey: COSEKeyPair,
        instant: ContinuousClock.Instant
    ) throws(WalletError) {
        do throws(SessionError) {
            var reader = try ReaderSession(
                engagement: Self.parsed(engagement), handover: engagement.handover, eReaderKey: eReaderKey)
            transcript = reader.transcript
            guard case .transmit(let request, _) = try reader.send(presented.deviceRequest[...], now: instant)
            else { throw .unexpectedMessage }
            sessionEstablishment = request
        } catch {
            throw .session(error)
        }
        var phone = WalletSession(presented.wallet, engagement: engagement)
        switch phone.receive(sessionEstablishment[...]) {
        case .send(let answer, _), .sendLast(let answer, _): sessionData = answer
        case .end: sessionData = []
        }
        deviceResponse = phone.deviceResponse ?? []
    }

    private static func parsed(_ engagement: WalletEngagement) throws(SessionError) -> DeviceEngagement {
        try mapping(DeviceEngagement(engagement.deviceEngagement[...]), SessionError.malformed)
    }
}
