internal import CBOR
internal import COSE
internal import MdocModel
internal import OpenSSLCrypto
internal import WalletPresentation

/// HPKEEnvelope from its bytes to the verdict.
///
/// - Returns: whether what is in it verifies.
@discardableResult
func fuzzWalletEnvelope(_ input: ArraySlice<UInt8>) -> Bool {
    guard let envelope = try? WalletEnvelope(input) else { return false }
    demand(
        envelope.encapsulatedKey.count == 65 && envelope.recipientKeyHash.count == 32
            && envelope.infoHash.count == 32, "a key or hash of another size")
    guard let opened = try? FuzzShop.standard.open(envelope) else { return false }
    return FuzzShop.standard.judge(opened)
}

/// EncryptedResponse from its bytes to the verdict, and from text.
///
/// - Returns: whether what is in it verifies.
@discardableResult
func fuzzEncryptedResponse(_ input: ArraySlice<UInt8>) -> Bool {
    if let bytes = Base64URL.decode(input) {
        demand(
            (try? EncryptedResponse(input)) != nil || (try? EncryptedResponse(decoded: bytes[...])) == nil,
            "the text of a response was refused")
    } else {
        demand((try? EncryptedResponse(input)) == nil, "a text that is none was taken")
    }
    guard let response = try? EncryptedResponse(decoded: input) else { return false }
    demand(response.encapsulatedKey.count == 65, "a key of another size")
    guard let opened = try? FuzzShop.standard.open(response) else { return false }
    return FuzzShop.standard.judge(opened)
}

/// What a wallet seals, whatever it says: both channels open it, and find a DeviceResponse or say that there is none.
func fuzzSealedAnswer(_ input: ArraySlice<UInt8>) {
    let shop = FuzzShop.standard
    let isResponse = (try? UnverifiedResponse(input)) != nil
    do {
        let recipient = try shop.key.pair.privateKey.publicKey()
        let envelope = try WalletEnvelope.seal(
            Array(input), to: recipient, in: shop.appTranscript, ephemeralKey: ephemeralKey())
        check(isResponse) { () throws(WalletPresentationError) in
            try shop.open(WalletEnvelope(envelope[...]))
        }
        let response = try EncryptedResponse.seal(
            Array(input), to: recipient, in: shop.webTranscript, ephemeralKey: ephemeralKey())
        check(isResponse) { () throws(WalletPresentationError) in
            try shop.open(EncryptedResponse(response.utf8))
        }
    } catch {
        fatalError("the world's wallet cannot seal")
    }
}

private func ephemeralKey() throws(OpenSSLCryptoError) -> PrivateKey {
    try PrivateKey(curve: .p256, scalar: [UInt8](repeating: 9, count: 32)[...])
}

private func check(
    _ isResponse: Bool, _ open: () throws(WalletPresentationError) -> OpenedPresentation
) {
    do throws(WalletPresentationError) {
        FuzzShop.standard.judge(try open())
        demand(isResponse, "an answer was taken that is no response")
    } catch {
        switch error {
        // The longest messages do not fit into one.
        case .malformed, .response, .notBase64URL:
            demand(!isResponse || error.isOfSize, "a response was refused")
        default: fatalError("what was sealed does not open")
        }
    }
}

extension WalletPresentationError {
    fileprivate var isOfSize: Bool {
        switch self {
        case .malformed(_, .tooLong), .notBase64URL: true
        default: false
        }
    }
}

/// What is read from text: encryptionInfo, origins, and PassKit's names.
func fuzzPresentationText(_ input: ArraySlice<UInt8>) {
    guard let text = String(validating: input, as: UTF8.self) else { return }
    if let info = try? EncryptionInfo(text) {
        demand(info.text.utf8.elementsEqual(input), "another text than was sent is bound")
        demand((16...64).contains(info.nonce.bytes.count), "a nonce of another size")
        _ = try? info.recipientKey.publicKey()
    }
    if let origin = try? WebOrigin(text) {
        demand(origin.serialised.utf8.elementsEqual(input), "another origin than was sent is bound")
        demand(input.allSatisfy { $0 > 0x20 && $0 < 0x7f } && input.last != UInt8(ascii: "/"), "no origin")
    }
    if let element = IdentityElement(text) {
        demand(element.name.utf8.elementsEqual(input), "an element of two names")
    }
    if let intent = IntentToStore(text) {
        demand(intent.name.utf8.elementsEqual(input), "an intent of two names")
    }
}
