internal import CBOR
internal import MdocModel
package import WalletPresentation

/// A fault of a wallet's answer to an app or a web page (Verify with Wallet; ISO/IEC TS 18013-7 Annex C).
///
/// A fault breaks one rule of the presentation channel, or makes the answer a mock: an answer from a
/// developer's test environment. The raw value is the fault's name on the command line.
package enum PresentationFault: String, CaseIterable, Sendable {
    // Faults of the recipient and of the transcript.
    case otherKeyHash = "channel.key_hash"
    /// The answer is encrypted to another key, but contains the hash of the recipient's key.
    case otherKey = "channel.other_key"
    case otherInfoHash = "channel.info_hash"
    case otherMerchant = "channel.other_merchant"
    case otherTeam = "channel.other_team"
    case otherNonce = "channel.other_nonce"
    case otherOrigin = "channel.other_origin"
    case encryptionInfoReencoded = "channel.encryption_info_reencoded"

    // Faults of the message and of the response in it.
    case cut = "channel.cut"
    case swappedEncapsulatedKey = "channel.swapped_enc"
    case ciphertextFlipped = "channel.ciphertext_flipped"
    case extraDocument = "channel.extra_document"
    case mac = "channel.mac"

    // Mocks: a document of PassKit's test issuer, an answer of the developer profile, and an answer of the
    // simulator.
    case testIssuer = "channel.test_issuer"
    case developerProfile = "channel.developer_profile"
    case simulator = "channel.simulator"

    /// The presentation channels (app, web page) to which the broken rule applies.
    package var channels: [PresentationChannel] {
        switch self {
        case .otherKeyHash, .otherInfoHash, .otherMerchant, .otherTeam: [.app]
        case .otherOrigin, .encryptionInfoReencoded: [.web]
        default: [.app, .web]
        }
    }

    /// Returns the expected reason for this fault: the id of the error, or the id of the property by which
    /// the reader recognises a mock.
    package func refusal(at channel: PresentationChannel) -> String {
        switch self {
        case .otherKeyHash: "presentation.recipient_key"
        case .otherInfoHash, .otherMerchant, .otherTeam: "presentation.info_hash"
        case .otherNonce: channel == .app ? "presentation.info_hash" : "presentation.not_opened"
        case .encryptionInfoReencoded: "presentation.encryption_info_reencoded"
        case .otherKey, .otherOrigin, .swappedEncapsulatedKey, .ciphertextFlipped: "presentation.not_opened"
        case .cut: "presentation.malformed"
        case .extraDocument: "presentation.extra_document"
        case .mac: "presentation.device_mac"
        case .testIssuer: "mock.test_issuer"
        case .developerProfile: "mock.developer_profile"
        case .simulator: "mock.simulator"
        }
    }
}

// The effect of each fault on an answer, in the order in which an answer is made.
extension PresentationFault {
    /// Applies the fault to the merchant and nonce with which an app's transcript is made, and returns both.
    func edited(
        merchant: MerchantIdentity, nonce: PresentationNonce
    ) throws(WalletPresentationError) -> (merchant: MerchantIdentity, nonce: PresentationNonce) {
        var (name, team) = (merchant.merchantIdentifier, merchant.teamIdentifier)
        switch self {
        case .otherMerchant: name = "merchant.example.other"
        case .otherTeam: team = "OTHERTEAM0"
        // The nonce also gets an additional byte, because reversing alone does not change a palindrome.
        case .otherNonce: return (merchant, try PresentationNonce(nonce.bytes.reversed() + [0]))
        default: break
        }
        return (try MerchantIdentity(merchantIdentifier: name, teamIdentifier: team), nonce)
    }

    /// Applies the fault to the encryptionInfo and origin with which a web page's transcript is made, and
    /// returns both.
    func edited(
        encryptionInfo info: EncryptionInfo, origin: WebOrigin
    ) throws(WalletPresentationError) -> (info: String, origin: WebOrigin) {
        switch self {
        case .otherOrigin: (info.text, try WebOrigin("https://other.example"))
        case .encryptionInfoReencoded: (info.text.reencodedBase64, origin)
        case .otherNonce: (info.text.withOtherNonce, origin)
        default: (info.text, origin)
        }
    }

    /// Applies the fault to the response before it is encoded.
    func edit(response: inout CBORDraft) {
        let documents = response["documents"]?.items ?? []
        switch self {
        case .extraDocument: response["documents"] = .array(documents + documents.prefix(1))
        case .mac:
            response["documents"] = .array(
                documents.map { document in
                    var document = document
                    // A COSE_Mac0 of HMAC 256/256 (algorithm 5) with a constant tag, which no key produced.
                    document["deviceSigned"]?["deviceAuth"] = [
                        "deviceMac": [
                            .bytes([0xa1, 0x01, 0x05]), [:], .null,
                            .bytes([UInt8](repeating: 0x5a, count: 32)),
                        ]
                    ]
                    return document
                })
        default: break
        }
    }

    /// Returns an envelope with the fault in it.
    ///
    /// - Parameter other: an envelope of the same response with another ephemeral key.
    func edit(envelope: [UInt8], swappingWith other: [UInt8], recipientKeyHash: [UInt8]) -> [UInt8] {
        guard self != .cut else { return envelope.dropLast() }
        guard var draft = CBORDraft(reading: envelope), let second = CBORDraft(reading: other) else {
            return envelope
        }
        switch self {
        case .otherKeyHash: draft["params"]?["pkRHash"]?.flipFirstBit()
        case .otherKey: draft["params"]?["pkRHash"] = .bytes(recipientKeyHash)
        case .otherInfoHash: draft["params"]?["infoHash"]?.flipFirstBit()
        case .swappedEncapsulatedKey: draft["params"]?["pkEm"] = second["params"]?["pkEm"]
        case .ciphertextFlipped: draft["data"]?.flipFirstBit()
        default: break
        }
        return draft.encode()
    }

    /// Returns the text that answers a web page, with the fault in the text.
    ///
    /// - Parameter other: a text for the same response with another ephemeral key.
    func edit(webResponse text: String, swappingWith other: String) -> String {
        // The text is cut at a whole group of base64url. An incomplete group would be a second fault,
        // malformed base64url.
        guard self != .cut else { return String(text.prefix((text.utf8.count - 8) / 4 * 4)) }
        // The decoded text is an array of the text `dcapi` and a map with `enc` and `cipherText`.
        guard let bytes = Base64URL.decode(text.utf8), let others = Base64URL.decode(other.utf8),
            var draft = CBORDraft(reading: bytes), let second = CBORDraft(reading: others),
            draft.items.count == 2, second.items.count == 2
        else { return text }
        switch self {
        case .swappedEncapsulatedKey: draft.items[1]["enc"] = second.items[1]["enc"]
        case .ciphertextFlipped: draft.items[1]["cipherText"]?.flipFirstBit()
        default: break
        }
        return Base64URL.encode(draft.encode())
    }
}

extension CBORDraft {
    fileprivate init?(reading bytes: [UInt8]) {
        guard let item = try? CBORItem.parse(bytes[...]) else { return nil }
        self.init(item)
    }

    fileprivate mutating func flipFirstBit() {
        guard case .bytes(var bytes) = self, !bytes.isEmpty else { return }
        bytes[0] ^= 0x80
        self = .bytes(bytes)
    }
}

extension String {
    /// This base64url text with padding added. A text that needs no padding is written in the alphabet of
    /// base64 instead, with `+` and `/`.
    fileprivate var reencodedBase64: String {
        let padding = String(repeating: "=", count: (4 - utf8.count % 4) % 4)
        return padding.isEmpty ? String(map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }) : self + padding
    }

    /// A copy of this encryptionInfo text in which one character in the middle of the nonce is changed.
    fileprivate var withOtherNonce: String {
        var characters = Array(utf8)
        // Approximately the last 126 characters encode the recipient's key. The nonce is before this key.
        let place = characters.count - 150
        guard place >= 0 else { return self }
        characters[place] = characters[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        return String(decoding: characters, as: UTF8.self)
    }
}
