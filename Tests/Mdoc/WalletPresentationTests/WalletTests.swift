import COSE
import MdocModel
import MdocTrust
import MdocVerification
import MdocWallet
import OpenSSLCrypto
import PKIX
import TestCredentials
import Testing

@testable import WalletPresentation

/// The software wallet as who answers: what it does, good and bad, is what the channels are for.
@Suite("The software wallet over both channels")
struct WalletTests {
    private let now = Timestamp(secondsSince1970: TestAuthority.now)
    private let recipient: RecipientKey
    private let merchant: MerchantIdentity
    private let nonce: PresentationNonce
    private let origin: WebOrigin
    private let descriptor: IdentityDescriptor

    init() throws {
        recipient = try Shop.recipientKey()
        merchant = try Shop.merchant("merchant.example.shop", "TEAM123456")
        nonce = try PresentationNonce(randomBytes(PresentationNonce.issuedSize))
        origin = try WebOrigin("https://shop.example")
        descriptor = try IdentityDescriptor(
            .driversLicense, [(.givenName, .willNotStore), (.ageAtLeast(21), .willNotStore)])
    }

    /// What comes of a case over a channel, by name.
    private func judged(_ presentation: PresentationCase, at channel: PresentationChannel) throws -> String {
        let presented = try PresentedWallet(presentation, at: now)
        let context = PresentationContext(
            comparison: .requested([descriptor.itemsRequest]),
            trust: TrustStore(anchors: [try TrustAnchor(Certificate(der: presented.issuer.root[...]))]),
            now: now, policy: VerificationPolicy())
        return try Shop.reason {
            switch channel {
            case .app: try app(presented.wallet).verify(in: context)
            case .web: try web(presented.wallet).verify(in: context)
            }
        }
    }

    private func app(_ wallet: Wallet) throws -> OpenedPresentation {
        let envelope = try #require(
            try wallet.envelope(
                answering: descriptor.itemsRequest, of: merchant, nonce: nonce, for: recipient))
        return try WalletEnvelope(envelope[...]).open(
            with: [recipient], as: merchant, answering: .acceptingReplays(of: nonce))
    }

    private func web(_ wallet: Wallet) throws -> OpenedPresentation {
        let info = try EncryptionInfo(nonce: nonce, for: recipient)
        let request = try WebRequest(
            DeviceRequestDraft([descriptor.itemsRequest]), encryptionInfo: info, origin: origin, signedBy: nil
        )
        let asked = try #require(Base64URL.decode(request.deviceRequest.utf8))
        let response = try #require(
            try wallet.webResponse(answering: asked, encryptionInfo: info, on: origin))
        return try EncryptedResponse(response.utf8).open(
            with: recipient, encryptionInfo: info, origin: origin, answering: .acceptingReplays(of: nonce))
    }

    @Test(
        "A conforming wallet of the test issuer passes every check over both channels",
        arguments: [PresentationChannel.app, .web])
    func good(_ channel: PresentationChannel) throws {
        #expect(try judged(PresentationCase("good"), at: channel) == "mock.test_trust")
    }

    @Test("Each fault is refused by its own name where it can be made", arguments: PresentationFault.allCases)
    func faults(_ fault: PresentationFault) throws {
        for channel in fault.channels {
            #expect(
                try judged(PresentationCase(fault), at: channel) == fault.refusal(at: channel), "\(channel)")
        }
    }

    @Test("A fault of the document is refused as nearby", arguments: [PresentationChannel.app, .web])
    func documentFaults(_ channel: PresentationChannel) throws {
        #expect(try judged(PresentationCase(IssuerFault.digestFlipped), at: channel) == "digests")
        #expect(try judged(PresentationCase(IssuerFault.expired), at: channel) == "validity")
        #expect(
            try judged(PresentationCase(HolderFault.signatureFlipped), at: channel) == "device_authentication"
        )
    }

    @Test("A holder who declines gives nothing")
    func declined() throws {
        let presentation = PresentationCase("declined") { $0.decision = .declines }
        let wallet = try PresentedWallet(presentation, at: now).wallet
        #expect(
            try wallet.envelope(
                answering: descriptor.itemsRequest, of: merchant, nonce: nonce, for: recipient) == nil)
    }
}
