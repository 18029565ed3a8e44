package import WalletPresentation

/// One rule of the doors of apps and pages (Verify with Wallet; ISO/IEC TS 18013-7 Annex C) that a wallet's answer breaks,
/// or by which it is a mock. The raw value is the fault's name on the command line.
package enum DoorFault: String, CaseIterable, Sendable {
    // For whom it is sealed.
    case otherKeyHash = "door.key_hash"
    /// Sealed for another key, and says it is for ours.
    case otherKey = "door.other_key"
    case otherInfoHash = "door.info_hash"
    case otherMerchant = "door.other_merchant"
    case otherTeam = "door.other_team"
    case otherNonce = "door.other_nonce"
    case otherOrigin = "door.other_origin"
    case encryptionInfoReencoded = "door.encryption_info_reencoded"

    // What comes.
    case cut = "door.cut"
    case swappedEncapsulatedKey = "door.swapped_enc"
    case ciphertextFlipped = "door.ciphertext_flipped"
    case extraDocument = "door.extra_document"
    case mac = "door.mac"

    // Mocks: a document of PassKit's test issuer, as the developer profile has it, and as the simulator.
    case testIssuer = "door.test_issuer"
    case developerProfile = "door.developer_profile"
    case simulator = "door.simulator"

    /// Where there is such a rule.
    package var doors: [PresentationDoor] {
        switch self {
        case .otherKeyHash, .otherInfoHash, .otherMerchant, .otherTeam: [.app]
        case .otherOrigin, .encryptionInfoReencoded: [.web]
        default: [.app, .web]
        }
    }
    /// What refuses it where nothing else is known to be ours: the id of an error or a mock's sign.
    package func refusal(at door: PresentationDoor) -> String {
        switch self {
        case .otherKeyHash: "presentation.recipient_key"
        case .otherInfoHash, .otherMerchant, .otherTeam: "presentation.info_hash"
        case .otherNonce: door == .app ? "presentation.info_hash" : "presentation.not_opened"
        case .encryptionInfoReencoded: "presentation.encryption_info_reencoded"
        case .otherKey, .otherOrigin, .swappedEncapsulatedKey, .ciphertextFlipped: "presentation.not_opened"
        case .cut: "presentation.misshapen"
        case .extraDocument: "presentation.extra_document"
        case .mac: "presentation.device_mac"
        case .testIssuer: "mock.test_issuer"
        case .developerProfile: "mock.developer_profile"
        case .simulator: "mock.simulator"
        }
    }
}
