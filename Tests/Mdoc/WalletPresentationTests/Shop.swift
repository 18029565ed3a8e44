import COSE
import MdocModel
import MdocTrust
import MdocVerification
import OpenSSLCrypto
import TestCredentials

@testable import WalletPresentation

/// A shop with an app and a page, an issuer that it trusts, and a customer's wallet.
struct Shop {
    var issuer: TestIssuer
    let key: RecipientKey
    let merchant: MerchantIdentity
    let otherMerchant: MerchantIdentity
    var origin: WebOrigin
    let otherOrigin: WebOrigin
    let session = SessionBinding(session: "session 1".utf8)
    let nonce: PresentationNonce
    var ledger = NonceLedger(lifetime: 300, capacity: 16)
    /// Who comes with the answer, where it is not who asked.
    var presenter: SessionBinding?
    /// How many seconds later.
    var delay: Int64 = 0
    /// Through which channel it was asked, where it is not the one the answer comes through.
    var issuedFor: PresentationChannel?
    var isIssued = true
    var isSpentBefore = false
    let now = Timestamp(secondsSince1970: TestAuthority.now)
    var requests: [ItemsRequest]
    var documents: [TestDocument]
    var trust: TrustStore
    var testTrust: TrustStore?
    var policy = VerificationPolicy()

    init(issuer: TestIssuer? = nil) throws {
        self.issuer = try issuer ?? TestIssuer(authority: .ofACountry())
        trust = try self.issuer.authority.store()
        key = try Self.recipientKey()
        merchant = try Self.merchant("merchant.example.shop", "TEAM123456")
        otherMerchant = try Self.merchant("merchant.example.bar", "TEAM654321")
        origin = try WebOrigin("https://shop.example")
        otherOrigin = try WebOrigin("https://bar.example")
        // Six bytes that each alphabet of Base64 writes in its own way.
        nonce = try PresentationNonce(
            randomBytes(PresentationNonce.issuedSize - 6) + [UInt8](repeating: 0xff, count: 6))
        requests = [Self.request("family_name", "age_over_21")]
        documents = [
            try TestDocument([
                .init("family_name", Encoded.text("Mustermann")),
                .init("age_over_21", Encoded.boolean(true)),
            ])
        ]
    }

    static func recipientKey() throws -> RecipientKey {
        try RecipientKey(COSEKeyPair(try PrivateKey.generate(.p256)))
    }

    static func merchant(_ merchant: String, _ team: String) throws -> MerchantIdentity {
        try MerchantIdentity(merchantIdentifier: merchant, teamIdentifier: team)
    }

    static func request(_ identifiers: String..., docType: String = TestDocument.mDL) -> ItemsRequest {
        ItemsRequest(
            docType: docType,
            nameSpaces: [
                .init(
                    name: TestDocument.nameSpace,
                    elements: identifiers.map { .init(identifier: $0, intentToRetain: false) })
            ])
    }

    var context: PresentationContext {
        PresentationContext(
            comparison: .requested(requests), trust: trust, testTrust: testTrust, now: now,
            policy: policy)
    }

    /// DeviceResponse of the documents, signed in this transcript.
    func response(in transcript: SessionTranscript) throws -> [UInt8] {
        try issuer.response(documents, in: transcript)
    }

    // The app

    func transcript(_ other: MerchantIdentity? = nil, nonce: PresentationNonce? = nil) -> SessionTranscript {
        .inApp(other ?? merchant, nonce: nonce ?? self.nonce, recipientKeyHash: key.hash)
    }

    /// What the wallet answers in this transcript.
    func envelope(in other: SessionTranscript? = nil, to recipient: RecipientKey? = nil) throws
        -> EnvelopeParts
    {
        let transcript = other ?? transcript()
        let bytes = try WalletEnvelope.seal(
            response(in: transcript), to: (recipient ?? key).pair.privateKey.publicKey(), in: transcript,
            ephemeralKey: PrivateKey.generate(.p256))
        return EnvelopeParts(try WalletEnvelope(bytes[...]))
    }

    /// The wallet's good answer, but for one change.
    func changed(_ change: (inout EnvelopeParts) throws -> Void) throws -> EnvelopeParts {
        var envelope = try envelope()
        try change(&envelope)
        return envelope
    }

    /// Presents it with a nonce that was issued for it.
    func judge(_ envelope: EnvelopeParts) throws -> String {
        try Self.reason {
            let spent = try spentNonce(.app)
            return try WalletEnvelope(envelope.encoded[...]).open(
                with: [key], as: merchant, answering: spent, others: [otherMerchant]
            ).verify(in: context)
        }
    }

    // The page

    func encryptionInfo() throws -> EncryptionInfo { try EncryptionInfo(nonce: nonce, for: key) }

    /// What the wallet answers to this text on a page of this origin.
    func webResponse(
        to text: String? = nil, on other: WebOrigin? = nil, recipient: RecipientKey? = nil
    ) throws -> String {
        let transcript = SessionTranscript.onTheWeb(
            encryptionInfo: try text ?? encryptionInfo().text, origin: other ?? origin)
        return try EncryptedResponse.seal(
            response(in: transcript), to: (recipient ?? key).pair.privateKey.publicKey(), in: transcript,
            ephemeralKey: PrivateKey.generate(.p256))
    }

    func judge(_ response: some Collection<UInt8>, info other: EncryptionInfo? = nil) throws -> String {
        try Self.reason {
            let spent = try spentNonce(.web)
            return try EncryptedResponse(response).open(
                with: key, encryptionInfo: other ?? encryptionInfo(), origin: origin, answering: spent,
                others: [otherOrigin]
            ).verify(in: context)
        }
    }

    // Both

    private func spentNonce(_ channel: PresentationChannel) throws -> SpentNonce {
        var ledger = ledger
        if isIssued { _ = try ledger.issue(nonce, to: session, for: issuedFor ?? channel, at: now) }
        if isSpentBefore { _ = try ledger.spend(nonce, by: session, over: channel, at: now) }
        return try ledger.spend(
            nonce, by: presenter ?? session, over: channel, at: now.advanced(bySeconds: delay))
    }

    /// The verdict, or why there is none, by name.
    static func reason(_ present: () throws -> PresentationVerdict) throws -> String {
        do {
            switch try present() {
            case .verified: return "verified"
            case .mock(let mock): return mock.sign.rawValue
            case .rejected(let rejected):
                let checks = rejected.checks.reports.flatMap(\.checks).filter { check in
                    if case .failed = check.outcome { return true }
                    return false
                }
                let reasons =
                    rejected.failures.map(\.rawValue) + rejected.checks.failures.map(\.rawValue)
                    + checks.map(\.id.rawValue)
                return reasons.first ?? "rejected"
            }
        } catch let error as WalletPresentationError {
            return error.id
        } catch let refusal as NonceRefusal {
            return refusal.rawValue
        }
    }
}
