internal import COSE
internal import ErrorMapping
package import MdocModel
internal import MdocSession
internal import OpenSSLCrypto

/// A case of a corpus: one presentation as files, with its entry in the manifest.
package struct CorpusCase: Sendable {
    package struct File: Sendable {
        package let name: String
        package let bytes: [UInt8]
    }

    package let files: [File]
    package let entry: CorpusManifest.Entry

    /// Makes the presentation with a reader in memory.
    ///
    /// - Parameters:
    ///   - now: the time at which the document is issued and judged.
    ///   - instant: the time at which an engagement over NFC begins.
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
        files = Self.files(of: presented, engaged: engagement, by: exchange)
        entry = try CorpusManifest.Entry(
            presentation, of: presented, engaged: engagement, with: eReaderKey, files: files)
    }

    /// Makes a case whose keys and random bytes follow from `seed` and the name of the case. The name is
    /// included so that no two cases share a key.
    package init(
        _ presentation: PresentationCase, seed: String, at now: Timestamp, instant: ContinuousClock.Instant
    ) throws(WalletError) {
        try self.init(
            presentation, entropy: .seed("\(seed) \(presentation.name)"), at: now, instant: instant)
    }

    /// Returns the files of the case. Only a case with an NFC handover has files of the handover.
    private static func files(
        of presented: PresentedWallet, engaged engagement: WalletEngagement, by exchange: SessionExchange
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

/// The messages of one session between a reader and the phone, exchanged in memory.
private struct SessionExchange {
    let transcript: SessionTranscript
    let sessionEstablishment: [UInt8]
    let sessionData: [UInt8]
    /// The phone's response before encryption. Empty if the phone sent no response.
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
        // If the phone ends the session without a message, the file for the message is empty.
        case .end: sessionData = []
        }
        deviceResponse = phone.deviceResponse ?? []
    }

    private static func parsed(_ engagement: WalletEngagement) throws(SessionError) -> DeviceEngagement {
        try mapping(DeviceEngagement(engagement.deviceEngagement[...]), SessionError.malformed)
    }
}

/// The manifest of a corpus, `manifest.json`. The properties have the names of the JSON members.
package struct CorpusManifest: Encodable, Sendable {
    /// The time at which all cases are judged (RFC 3339).
    package let verifyAt: String
    package let portraitSize: Int
    /// The seed of all keys and random bytes. Nil if OpenSSL's generator made them.
    package let seed: String?
    package let cases: [Entry]

    package init(verifyAt: String, portraitSize: Int, seed: String? = nil, cases: [Entry]) {
        self.verifyAt = verifyAt
        self.portraitSize = portraitSize
        self.seed = seed
        self.cases = cases
    }

    /// A case, and the verdict that a reader must reach.
    package struct Entry: Encodable, Sendable {
        package struct Request: Encodable, Sendable {
            package let docType: String
            package let nameSpaces: [String: [String: Bool]]
        }

        /// A text, or an explicit `null` in the JSON.
        package struct NullableText: Encodable, Sendable {
            package let text: String?

            package func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                if let text { try container.encode(text) } else { try container.encodeNil() }
            }
        }

        package let name: String
        /// `accept` or `reject`.
        package let expect: String
        /// `must`, or `profile` for a rule whose breach a lenient reader may accept.
        package let level: String
        /// `response`, or `session` if the fault is found during decryption.
        package let layer: String
        package let rule: String
        /// `sig` or `mac`.
        package let deviceAuth: String
        /// `qr`, `nfc` or `nfc-negotiated`.
        package let handover: String
        /// The `mdoc:` text of an engagement by QR code. Null for another handover.
        package let qr: NullableText
        package let requests: [Request]
        /// The private keys, as scalars in lower-case hexadecimal digits. The keys are only for tests,
        /// because anybody with the corpus has them.
        package let eReaderKeyPrivate: String
        package let eDeviceKeyPrivate: String
        package let deviceKeyPrivate: String
        /// The SHA-256 of each file, by its name.
        package let files: [String: String]
    }
}

extension CorpusManifest.Entry {
    init(
        _ presentation: PresentationCase, of presented: PresentedWallet,
        engaged engagement: WalletEngagement, with eReaderKey: COSEKeyPair, files: [CorpusCase.File]
    ) throws(WalletError) {
        name = presentation.name
        // The files of a case are the same with or without a fault of the card or of a presentation channel,
        // so these faults do not count here.
        let isFaulty =
            presentation.issuing.fault != nil || presentation.holderFault != nil
            || presentation.sessionFault != nil
        expect = isFaulty ? "reject" : "accept"
        level = presentation.isAboutTheProfile ? "profile" : "must"
        // A status 20 that is sent with the response is a member of SessionData, not of DeviceResponse.
        let isAboutTheSession = presentation.sessionFault != nil || presentation.endsSessionWithResponse
        layer = isAboutTheSession ? "session" : "response"
        rule = PresentationCase.ruleInWords[presentation.name] ?? presentation.name
        deviceAuth = presentation.deviceAuthentication == .mac ? "mac" : "sig"
        handover =
            switch presentation.handover {
            case .qr: "qr"
            case .static: "nfc"
            case .negotiated: "nfc-negotiated"
            }
        qr = NullableText(
            text: presentation.handover == .qr ? EngagementURI.text(for: engagement.deviceEngagement) : nil)
        requests = presented.requests.map { Request($0) }
        eReaderKeyPrivate = try eReaderKey.unprotectedScalarText()
        eDeviceKeyPrivate = try engagement.eDeviceKey.unprotectedScalarText()
        deviceKeyPrivate = try presented.document.deviceKey.unprotectedScalarText()
        self.files = files.reduce(into: [:]) {
            $0[$1.name] = Digest(.sha256, of: $1.bytes[...]).bytes.hexadecimal
        }
    }
}

extension CorpusManifest.Entry.Request {
    fileprivate init(_ request: ItemsRequest) {
        docType = request.docType
        nameSpaces = request.nameSpaces.reduce(into: [:]) { spaces, space in
            for element in space.elements {
                spaces[space.name, default: [:]][element.identifier] = element.intentToRetain
            }
        }
    }
}

extension COSEKeyPair {
    /// The private key in lower-case hexadecimal digits, for a test corpus.
    fileprivate func unprotectedScalarText() throws(WalletError) -> String {
        try mapping(privateKey.withUnprotectedScalar { $0.hexadecimal }, WalletError.cryptography)
    }
}
