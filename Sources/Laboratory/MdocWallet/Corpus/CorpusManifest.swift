internal import COSE
internal import ErrorMapping
internal import MdocModel
internal import OpenSSLCrypto

/// The list of a corpus's cases, as JSON names its members.
package struct CorpusManifest: Encodable, Sendable {
    /// When all cases are to be judged, RFC 3339.
    package let verifyAt: String
    package let portraitSize: Int
    /// The seed of all keys and random bytes, `nil` if they are OpenSSL's.
    package let seed: String?
    package let cases: [Entry]

    package init(verifyAt: String, portraitSize: Int, seed: String? = nil, cases: [Entry]) {
        self.verifyAt = verifyAt
        self.portraitSize = portraitSize
        self.seed = seed
        self.cases = cases
    }

    /// A case and what is expected of a reader.
    package struct Entry: Encodable, Sendable {
        package struct Request: Encodable, Sendable {
            package let docType: String
            package let nameSpaces: [String: [String: Bool]]
        }

        /// A text, or a null that is written.
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
        /// `must`, or `profile` for a rule that a lenient reader may waive.
        package let level: String
        /// `response`, or `session` for what decryption finds.
        package let layer: String
        package let rule: String
        /// `sig` or `mac`.
        package let deviceAuth: String
        /// `qr`, `nfc` or `nfc-negotiated`.
        package let handover: String
        /// The `mdoc:` text of an engagement by QR.
        package let qr: NullableText
        package let requests: [Request]
        /// Scalars in lower-case hexadecimal digits. Test keys: whoever has the files has the keys.
        package let eReaderKeyPrivate: String
        package let eDeviceKeyPrivate: String
        package let deviceKeyPrivate: String
        /// The SHA-256 of each file, by its name.
        package let files: [String: String]
    }
}

extension CorpusManifest.Entry {
    init(
        _ presentation: PresentationCase, _ presented: PresentedWallet, _ engagement: WalletEngagement,
        _ eReaderKey: COSEKeyPair, files: [CorpusCase.File]
    ) throws(WalletError) {
        name = presentation.name
        let isFaulty =
            presentation.issuing.fault != nil || presentation.holderFault != nil
            || presentation.sessionFault != nil
        expect = isFaulty ? "reject" : "accept"
        level = presentation.isAboutTheProfile ? "profile" : "must"
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
