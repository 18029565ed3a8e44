internal import COSE
internal import MdocModel
internal import MdocVerification
internal import OpenSSLCrypto
internal import WalletPresentation

/// A shop with one key, one nonce and one request over each channel, all fixed; the seeds were sealed for it.
final class FuzzShop: Sendable {
    static let standard: FuzzShop = {
        do { return try FuzzShop() } catch { fatalError("the fuzz targets have no shop: \(error)") }
    }()

    let key: RecipientKey
    let merchant: MerchantIdentity
    let origin: WebOrigin
    let info: EncryptionInfo
    private let nonce: PresentationNonce
    private let context: PresentationContext

    private init() throws {
        key = try RecipientKey(
            COSEKeyPair(
                try PrivateKey(
                    curve: .p256, scalar: Self.digest("countersign recipient key for test vectors"))))
        merchant = try MerchantIdentity(
            merchantIdentifier: "merchant.example.shop", teamIdentifier: "TEAM123456")
        origin = try WebOrigin("https://shop.example")
        nonce = try PresentationNonce(Array(Self.digest("countersign nonce for test vectors")))
        info = try EncryptionInfo(nonce: nonce, for: key)
        var policy = VerificationPolicy()
        policy.acceptsTestDocuments = true
        context = PresentationContext(
            comparison: .requested([.everything]), trust: FuzzWorld.standard.trust,
            now: FuzzWorld.standard.now, policy: policy)
    }

    private static func digest(_ text: String) -> ArraySlice<UInt8> {
        Digest(.sha256, of: Array(text.utf8)[...]).bytes[...]
    }

    var appTranscript: SessionTranscript {
        .inApp(merchant, nonce: nonce, recipientKeyHash: key.hash)
    }

    var webTranscript: SessionTranscript {
        .onTheWeb(encryptionInfo: info.text, origin: origin)
    }

    func open(_ envelope: WalletEnvelope) throws(WalletPresentationError) -> OpenedPresentation {
        try envelope.open(with: [key], as: merchant, answering: .acceptingReplays(of: nonce))
    }

    func open(_ response: EncryptedResponse) throws(WalletPresentationError) -> OpenedPresentation {
        try response.open(
            with: key, encryptionInfo: info, origin: origin, answering: .acceptingReplays(of: nonce))
    }

    /// Only the seeds are signed in the shop's transcripts, so that nothing but their elements is verified.
    ///
    /// - Returns: whether it is.
    @discardableResult
    func judge(_ opened: OpenedPresentation) -> Bool {
        switch opened.verify(in: context) {
        case .verified:
            demand(false, "an issuer of UT is no test issuer")
            return false
        case .mock(let mock):
            guard let presentation = mock.accepted else {
                demand(mock.sign != .testTrust, "a mock by a trust that is not there")
                return false
            }
            for element in presentation.response.documents.flatMap(\.elements) {
                demand(FuzzWorld.isIssued(element), "a forged element is verified")
            }
            return true
        case .rejected(let rejected):
            let hasReason =
                !rejected.failures.isEmpty || !rejected.checks.failures.isEmpty
                || rejected.checks.reports.contains { report in
                    report.checks.contains { $0.outcome != .passed }
                }
            demand(hasReason, "rejected for no reason")
            return false
        }
    }
}
