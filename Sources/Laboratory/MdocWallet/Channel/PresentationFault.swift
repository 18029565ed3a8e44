internal import CBOR
internal import MdocModel
package import WalletPresentation

/// One rule of the channels of apps and pages (Verify with Wallet; ISO/IEC TS 18013-7 Annex C) that a wallet's answer breaks,
/// or by which it is a mock. The raw value is the fault's name on the command line.
package enum PresentationFault: String, CaseIterable, Sendable {
    // For whom it is sealed.
    case otherKeyHash = "channel.key_hash"
    /// Sealed for another key, and says it is for ours.
    case otherKey = "channel.other_key"
    case otherInfoHash = "channel.info_hash"
    case otherMerchant = "channel.other_merchant"
    case otherTeam = "channel.other_team"
    case otherNonce = "channel.other_nonce"
    case otherOrigin = "channel.other_origin"
    case encryptionInfoReencoded = "channel.encryption_info_reencoded"

    // What comes.
    case cut = "channel.cut"
    case swappedEncapsulatedKey = "channel.swapped_enc"
    case ciphertextFlipped = "channel.ciphertext_flipped"
    case extraDocument = "channel.extra_document"
    case mac = "channel.mac"

    // Mocks: a document of PassKit's test issuer, as with the developer profile, and as in the simulator.
    case testIssuer = "channel.test_issuer"
    case developerProfile = "channel.developer_profile"
    case simulator = "channel.simulator"

    /// Where there is such a rule.
    package var channels: [PresentationChannel] {
        switch self {
        case .otherKeyHash, .otherInfoHash, .otherMerchant, .otherTeam: [.app]
        case .otherOrigin, .encryptionInfoReencoded: [.web]
        default: [.app, .web]
        }
    }
    /// What refuses it where nothing else is known to be ours: the id of an error or a mock's sign.
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

// What each fault does to an answer, in the order in which it is made.
extension PresentationFault {
    /// To the transcript of an app's request.
    func asking(
        _ merchant: MerchantIdentity, _ nonce: PresentationNonce
    ) throws(WalletPresentationError) -> (merchant: MerchantIdentity, nonce: PresentationNonce) {
        var (name, team) = (merchant.merchantIdentifier, merchant.teamIdentifier)
        switch self {
        case .otherMerchant: name = "merchant.example.other"
        case .otherTeam: team = "OTHERTEAM0"
        case .otherNonce: return (merchant, try PresentationNonce(nonce.bytes.reversed() + [0]))
        default: break
        }
        return (try MerchantIdentity(merchantIdentifier: name, teamIdentifier: team), nonce)
    }

    /// To the transcript of a page's request.
    func asking(
        _ info: EncryptionInfo, on origin: WebOrigin
    ) throws(WalletPresentationError) -> (info: String, origin: WebOrigin) {
        switch self {
        case .otherOrigin: (info.text, try WebOrigin("https://other.example"))
        case .encryptionInfoReencoded: (info.text.reencodedBase64, origin)
        case .otherNonce: (info.text.withOtherNonce, origin)
        default: (info.text, origin)
        }
    }

    func edit(response: inout CBORDraft) {
        let documents = response["documents"]?.items ?? []
        switch self {
        case .extraDocument: response["documents"] = .array(documents + documents.prefix(1))
        case .mac:
            response["documents"] = .array(
                documents.map { document in
                    var document = document
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

    /// To an envelope; `other` is another one, sealed with another key.
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

    /// To the text that answers a page; `other` is another one, sealed with another key.
    func edit(webResponse text: String, swappingWith other: String) -> String {
        // Whole groups of base64url: what is left of a group would be another fault.
        guard self != .cut else { return String(text.prefix((text.utf8.count - 8) / 4 * 4)) }
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
    /// The same bytes with padding, or in the other alphabet where there is nothing to pad.
    fileprivate var reencodedBase64: String {
        let padding = String(repeating: "=", count: (4 - utf8.count % 4) % 4)
        return padding.isEmpty ? String(map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }) : self + padding
    }

    /// Of encryptionInfo: one character in the middle of the nonce changed.
    fileprivate var withOtherNonce: String {
        var characters = Array(utf8)
        let place = characters.count - 150
        guard place >= 0 else { return self }
        characters[place] = characters[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        return String(decoding: characters, as: UTF8.self)
    }
}
