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
